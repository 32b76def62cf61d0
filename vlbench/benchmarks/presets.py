"""The six older benchmarks of the MMStar paper's MG and ML table, as VLMEvalKit publishes them.

Each is the multiple-choice part of one TSV. Addresses and MD5 sums are those VLMEvalKit lists (2026-11).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Final

from vlbench.benchmarks.benchmark import Benchmark, Row, WebFile
from vlbench.benchmarks.mcq import McqFile
from vlbench.benchmarks.own.pictures import PictureFolder
from vlbench.benchmarks.pack import Pack
from vlbench.benchmarks.tables.table import TableRow
from vlbench.types import Sample

_HOST: Final = "https://opencompass.openxlab.space/utils"
# VLMEvalKit's files for circular evaluation give rotation k of question i the index i + k million.
ROTATION_STEP: Final = 1_000_000
LONGEST_INDEX: Final = 12


def _read(file: McqFile, path: Path, pack: Pack) -> Iterator[Row]:
    return file.rows(path, pack, PictureFolder(path.parent))


def _preset(
    name: str,
    title: str,
    place: str,
    md5: str,
    paper: str,
    file: McqFile,
    *,
    levels: tuple[str, ...] = ("category",),
    size: int = 0,
    split: str = "test",
    metrics: tuple[str, ...] = (),
) -> Benchmark:
    return Benchmark(
        name=name,
        title=title,
        version=f"{name}-1",
        split=split,
        levels=levels,
        size=size,
        images_per_question=1,
        source=f"https://arxiv.org/abs/{paper}",
        licence="the data's own, see the paper",
        home=WebFile(f"{_HOST}/{place}", md5),
        read=partial(_read, file),
        prompts="mcq",
        metrics=metrics,
    )


def _has_options(row: TableRow) -> bool:
    """Whether this is no open question, which has no options in its columns."""
    return "A" in row.cells and "B" in row.cells


def _is_mmmu_choice(row: TableRow) -> bool:
    """The paper's split, without the questions that have no options."""
    return row.cells.get("split", "validation") == "validation" and _has_options(row)


def _is_mathvista_choice(row: TableRow) -> bool:
    return row.cells.get("question_type", "multi_choice") == "multi_choice"


def _as_rotation(sample: Sample) -> Sample:
    """The row as what it is: one rotation of a question. Circular accuracy is scored by these groups."""
    if not (sample.id.isascii() and sample.id.isdigit()) or len(sample.id) > LONGEST_INDEX:
        return sample
    places, question = divmod(int(sample.id), ROTATION_STEP)
    return sample.model_copy(update={"group": str(question), "role": f"rotation-{places}"})


MMMU = _preset(
    "mmmu",
    "MMMU, validation split: the questions with options",
    "VLMEval/MMMU_DEV_VAL.tsv",
    "585e8ad75e73f75dcad265dfd0417d64",
    "2311.16502",
    McqFile(keeps=_is_mmmu_choice),
    levels=("discipline", "subject"),
    split="validation",
)
MMBENCH = _preset(
    "mmbench",
    "MMBench v1.0, English dev split, in all rotations",
    "benchmarks/MMBench/MMBench_DEV_EN.tsv",
    "b6caf1133a01c6bb705cf753bb527ed8",
    "2307.06281",
    McqFile(finish=_as_rotation),
    levels=("ability", "sub-ability"),
    split="dev",
    metrics=("circular",),
)
SCIENCEQA = _preset(
    "scienceqa",
    "ScienceQA, test split: the questions with a picture",
    "benchmarks/ScienceQA/ScienceQA_TEST.tsv",
    "e42e9e00f9c59a80d8a5db35bc32b71f",
    "2209.09513",
    McqFile(),
    size=2017,
)
AI2D = _preset(
    "ai2d",
    "AI2D, test split, labels masked",
    "VLMEval/AI2D_TEST.tsv",
    "0f593e0d1c7df9a3d69bf1f947e71975",
    "1603.07396",
    McqFile(),
    size=3088,
)
SEEDBENCH = _preset(
    "seedbench",
    "SEED-Bench: the questions about pictures",
    "benchmarks/SEEDBench/SEEDBench_IMG.tsv",
    "68017231464752261a2526d6ca3a10c0",
    "2307.16125",
    McqFile(),
    size=14233,
)
MATHVISTA = _preset(
    "mathvista",
    "MathVista, testmini: the questions with options",
    "VLMEval/MathVista_MINI.tsv",
    "f199b98e178e5a2a20e7048f5dcb0464",
    "2310.02255",
    McqFile(
        said={"options": "choices", "answer": "answer_option", "levels": ("task",)},
        keeps=_is_mathvista_choice,
    ),
    levels=("task",),
    size=540,
    split="testmini",
)
