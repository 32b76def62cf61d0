"""VisMin (arXiv 2407.16772): 2,084 samples of two pictures and two captions that differ in one thing.

Each is asked as four questions (`vlbench.benchmarks.quads`). Ids start anew in every category, so a sample is
known by category and id. The files are Arrow shards as the data sets library saves them, or parquet.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Final

from vlbench.benchmarks.benchmark import Benchmark, HubSet, Row
from vlbench.benchmarks.own.files import tables_of
from vlbench.benchmarks.pack import Pack
from vlbench.benchmarks.quads import Order, QuadQuestions, quad_samples
from vlbench.benchmarks.tables.opened import opened_table
from vlbench.benchmarks.tables.table import TableRow
from vlbench.errors import DatasetError

PICTURES: Final = ("image_0", "image_1")
REQUIRED: Final = (*PICTURES, "text_0", "text_1", "id", "category")

# The set's own questions mark where pictures go; ours stand where the prompt profile puts them.
_MARK = re.compile(r"<image(?:_\d)?>\s*")


def read_rows(orders: tuple[Order, ...], path: Path, pack: Pack) -> Iterator[Row]:
    """Four rows for each sample of a file or a folder of shards, eight when both `orders` are asked.

    Raises `DatasetError` when a column is missing.
    """
    before = 0
    for file in tables_of(path):
        with opened_table(file, pack, PICTURES) as table:
            table.require(REQUIRED, "VisMin")
            row = None
            for row in table.rows:
                yield from _quad(row, before, orders)
            before += row.number if row else 0
    if not before:
        raise DatasetError(f"{path} holds no rows. Fetch or copy it again.")


def _quad(row: TableRow, before: int, orders: tuple[Order, ...]) -> list[Row]:
    cells = row.cells

    def own(name: str) -> str:
        return _MARK.sub("", cells.get(name, "")).strip()

    category, name = cells.get("category", ""), cells.get("id", "")
    problem = row.problem
    if not category or not name:
        problem = problem or f"its {'category' if name else 'id'} is empty"
    return quad_samples(
        tuple(span for column in PICTURES for span in row.pictures.get(column, ())),
        (cells.get("text_0", ""), cells.get("text_1", "")),
        category,
        name or f"row-{before + row.number}",
        questions=QuadQuestions(
            (own("text_question_0"), own("text_question_1")),
            (own("image_question_0"), own("image_question_1")),
        ),
        orders=orders,
        problem=problem,
    )


VISMIN = Benchmark(
    name="vismin",
    title="VisMin",
    version="vismin-1",
    split="test",
    levels=("category", "task"),
    size=4 * 2084,
    images_per_question=2,
    source="https://arxiv.org/abs/2407.16772",
    licence="CC-BY-4.0",
    home=HubSet("mair-lab/vismin-bench"),
    read=partial(read_rows, ("given",)),
    metrics=("quads",),
    files=tables_of,
)

VISMIN_COUNTERBALANCED = Benchmark(
    name="vismin-counterbalanced",
    title="VisMin, both orders of the choices",
    version="vismin-counterbalanced-1",
    split="test",
    levels=VISMIN.levels,
    size=8 * 2084,
    images_per_question=2,
    source=VISMIN.source,
    licence=VISMIN.licence,
    home=VISMIN.home,
    read=partial(read_rows, ("given", "reversed")),
    metrics=VISMIN.metrics,
    prompts="vismin",
    files=tables_of,
)
