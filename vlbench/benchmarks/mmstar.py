"""MMStar (arXiv 2403.20330): 1,500 questions that need their picture, in the three files that are about.

The authors' parquet and TSV keep the options in the question's text; VLMEvalKit's TSV has them in columns.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from vlbench.benchmarks.benchmark import Benchmark, HubFile, Row
from vlbench.benchmarks.embedded_options import read_options
from vlbench.benchmarks.pack import Pack
from vlbench.benchmarks.tables.opened import opened_table
from vlbench.benchmarks.tables.table import INDEX_COLUMN, TableRow
from vlbench.types import Sample

LABELS = "ABCD"
REQUIRED = (INDEX_COLUMN, "question", "answer", "category", "l2_category", "image")


def read_rows(path: Path, pack: Pack) -> Iterator[Row]:
    """The rows of any of the three files; DatasetError when a column is missing."""
    with opened_table(path, pack, pictures=("image",)) as table:
        table.require(REQUIRED, "MMStar")
        in_columns = "A" in table.columns and "B" in table.columns
        for row in table.rows:
            yield _row(row, in_columns)


def _row(row: TableRow, in_columns: bool) -> Row:
    cells = row.cells
    question = cells.get("question", "")
    # An empty cell is an absent option; `nan` and `None` are texts (the right answer of two rows is `nan`).
    options = (
        {label: cells[label] for label in LABELS if label in cells} if in_columns else read_options(question)
    )
    pictures = row.pictures.get("image", ())
    gold = cells.get("answer", "").strip()
    sample = Sample(
        id=cells.get(INDEX_COLUMN, f"row-{row.number}"),
        question=question,
        options=options,
        gold=gold,
        options_in_question=not in_columns,
        categories=(cells.get("category", ""), cells.get("l2_category", "")),
        source=cells.get("bench") or cells.get("meta_info.source", ""),
        problem=row.problem or _problem(row, options, gold),
    )
    return Row(sample, pictures)


def _problem(row: TableRow, options: dict[str, str], gold: str) -> str | None:
    """The first thing that makes the row unusable."""
    empty = [name for name in REQUIRED if name not in (row.pictures if name == "image" else row.cells)]
    if empty:
        return f"its {' and '.join(empty)} {'is' if len(empty) == 1 else 'are'} empty"
    if not row.cells["question"].strip():
        return "its question is empty"
    if len(options) < 2:
        return "no options were found in its question or columns"
    if gold not in LABELS or len(gold) != 1:
        return f"its answer {gold[:20]!r} is not a letter from A to {LABELS[-1]}"
    if gold not in options:
        return f"its answer is {gold}, but its options are {', '.join(options)}"
    return None


MMSTAR = Benchmark(
    name="mmstar",
    title="MMStar",
    version="mmstar-1",
    split="val",
    levels=("core", "axis"),
    size=1500,
    images_per_question=1,
    source="https://arxiv.org/abs/2403.20330",
    licence="see huggingface.co/datasets/Lin-Chen/MMStar",
    home=HubFile("Lin-Chen/MMStar", "mmstar.parquet"),
    read=read_rows,
)
