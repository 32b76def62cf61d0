"""VDiff-Bench (arXiv 2609.06245): which of four statements is a difference between two pictures?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from vlbench.benchmarks.benchmark import Benchmark, HubSet, Row
from vlbench.benchmarks.own.files import tables_of
from vlbench.benchmarks.own.pictures import PictureFolder
from vlbench.benchmarks.pack import Pack
from vlbench.benchmarks.tables.literals import as_text, parsed_list
from vlbench.benchmarks.tables.opened import opened_table
from vlbench.benchmarks.tables.table import Table, TableRow
from vlbench.benchmarks.vdiff_categories import category_path
from vlbench.benchmarks.vdiff_options import NullOption, gold_label, labelled
from vlbench.errors import DatasetError
from vlbench.types import Sample

PICTURES: Final = ("image_1", "image_2")
REQUIRED: Final = (*PICTURES, "choices", "ground truth", "change category")
QUESTION: Final = "Which of these statements describes a difference between image A and image B?"


def read_rows(path: Path, pack: Pack) -> Iterator[Row]:
    """The rows of `image_diff_mcq_data`: a file, or a folder of shards.

    The whole table is read first, without its pictures: the no-difference option is the choice that all
    rows share. Raises `DatasetError` when a column is missing, and says what lists of differences lack.
    """
    rows: list[TableRow] = []
    for file in tables_of(path):
        with opened_table(file, pack, PICTURES, PictureFolder(file.parent)) as table:
            _require(table)
            rows += table.rows
    choices = [_choices(row) for row in rows]
    null = NullOption.of(found for found in choices if found)
    uses = Counter(_index(row, number) for number, row in enumerate(rows, start=1))
    seen: Counter[str] = Counter()
    for number, (row, texts) in enumerate(zip(rows, choices, strict=True), start=1):
        name = _index(row, number)
        seen[name] += 1
        yield _row(row, name if uses[name] == 1 else f"{name}-{seen[name]}", texts, null)


def _require(table: Table) -> None:
    if "differences" in table.columns and "choices" not in table.columns:
        raise DatasetError(
            f"{table.path} holds lists of differences (image_diff_data): it has no choices and no change "
            "categories, so there is no question to ask. The questions of VDiff-Bench are in "
            "elaine1wan/image_diff_mcq_data: take that file, or leave --data out to fetch it."
        )
    table.require(REQUIRED, "VDiff-Bench")


def _choices(row: TableRow) -> list[str]:
    return [as_text(choice) for choice in parsed_list(row.cells.get("choices", "")) or ()]


def _index(row: TableRow, number: int) -> str:
    return row.cells.get("index", "").strip() or f"row-{number}"


def _row(row: TableRow, name: str, choices: list[str], null: NullOption) -> Row:
    pictures = tuple(span for column in PICTURES for span in row.pictures.get(column, ()))
    options: dict[str, str] = {}
    gold = null_label = ""
    problem = row.problem
    try:
        if len(pictures) != 2:
            raise ValueError(f"it has {len(pictures)} pictures, not two")
        options = labelled(choices)
        gold = gold_label(row.cells.get("ground truth", ""), options)
        null_label = null.label(options)
        if gold == null_label:
            raise ValueError("its ground truth is that nothing differs, but every pair of pictures differs")
    except ValueError as error:
        problem = problem or str(error)
    sample = Sample(
        id=name,
        question=QUESTION,
        options=options,
        gold=gold,
        categories=category_path(row.cells.get("change category", "")),
        source=row.cells.get("source", ""),
        null_label=null_label,
        problem=problem,
    )
    return Row(sample, pictures)


VDIFF = Benchmark(
    name="vdiff",
    title="VDiff-Bench",
    version="vdiff-1",
    split="train",
    levels=("group", "category"),
    size=1756,
    images_per_question=2,
    source="https://arxiv.org/abs/2609.06245",
    licence="see huggingface.co/datasets/elaine1wan/image_diff_mcq_data",
    home=HubSet("elaine1wan/image_diff_mcq_data"),
    read=read_rows,
    metrics=("differences",),
    files=tables_of,
)
