"""Multiple-choice rows of any data file as samples: the reader behind own sets and the presets."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from vlbench.benchmarks.benchmark import Row
from vlbench.benchmarks.own.columns import Columns, found_columns
from vlbench.benchmarks.own.options import gold_of, options_of
from vlbench.benchmarks.own.pictures import PictureFolder
from vlbench.benchmarks.pack import Pack
from vlbench.benchmarks.tables.literals import as_text, parsed_list
from vlbench.benchmarks.tables.opened import columns_of, opened_table
from vlbench.benchmarks.tables.table import Table, TableRow
from vlbench.errors import DatasetError
from vlbench.types import Sample

MOST_LEVELS = 4
_MARK = re.compile(r"<image (\d{1,2})>")


@dataclass(frozen=True, slots=True)
class McqFile:
    """How the rows of one file are read.

    `said` names columns the user chose (see `found_columns`). `keeps` leaves rows of another kind out, such
    as open questions; `finish` changes the sample of a row last.
    """

    said: dict[str, str | tuple[str, ...]] = field(default_factory=dict)
    keeps: Callable[[TableRow], bool] | None = None
    finish: Callable[[Sample], Sample] | None = None

    def rows(self, path: Path, pack: Pack, folder: PictureFolder, before: int = 0) -> Iterator[Row]:
        """The rows of `path`; ids of rows without one count on from `before`.

        Raises `DatasetError` when the file cannot be read, or has no question or answer column.
        """
        with ExitStack() as stack:
            columns = found_columns(columns_of(path), self.said)
            table = stack.enter_context(opened_table(path, pack, columns.images, folder))
            require_choice(columns, table)
            for row in table.rows:
                if row.problem is None and self.keeps is not None and not self.keeps(row):
                    continue
                made = mcq_row(row, columns, before)
                yield made if self.finish is None else Row(self.finish(made.sample), made.pictures)


def require_choice(columns: Columns, table: Table) -> None:
    """DatasetError naming the columns found when the file cannot hold multiple-choice questions."""
    lacks = [
        what
        for what, there in (
            ("a column question", columns.question),
            ("a column answer (or answer_index)", columns.answer or columns.answer_number),
        )
        if not there
    ]
    if lacks:
        raise DatasetError(
            f"{table.path} lacks {' and '.join(lacks)}. Columns found: {', '.join(table.columns) or 'none'}. "
            "Rename them, or say which is which in a .set.toml file beside it (docs/own-sets.md)."
        )


def mcq_row(row: TableRow, columns: Columns, before: int = 0) -> Row:
    """One row as a sample; what is wrong with it is its `problem`."""
    cells = row.cells
    pictures = tuple(span for name in columns.images for span in row.pictures.get(name, ()))
    problem, gold, in_question = row.problem, "", False
    options: dict[str, str] = {}
    try:
        options, in_question = options_of(cells, columns)
        gold = gold_of(cells, columns, options)
    except ValueError as error:
        problem = problem or str(error)
    question = cells.get(columns.question, "")
    if not question.strip() and row.problem is None:
        problem = "its question is empty"
    hint = cells.get(columns.hint, "").strip()
    sample = Sample(
        id=cells.get(columns.id, "").strip() or f"row-{before + row.number}",
        question=f"Hint: {hint}\n{question}" if hint else question,
        options=options,
        gold=gold or cells.get(columns.answer, "")[:40],
        options_in_question=in_question,
        categories=categories_of(row, columns),
        source=cells.get(columns.source, ""),
        group=cells.get(columns.group, ""),
        problem=problem,
    )
    return Row(sample, pictures)


def categories_of(row: TableRow, columns: Columns) -> tuple[str, ...]:
    """The levels of a row, coarse first; a cell may hold a list of them. Ends at the first empty one."""
    levels: list[str] = []
    for name in columns.levels:
        text = row.cells.get(name, "").strip()
        listed = parsed_list(text)
        levels += [as_text(value).strip() for value in listed] if listed is not None else [text]
    kept = levels[: levels.index("")] if "" in levels else levels
    return tuple(kept[:MOST_LEVELS])


def marks_of(text: str) -> tuple[int, ...]:
    """The numbers of the pictures that `<image n>` marks in `text` stand for, in order."""
    return tuple(int(match[1]) for match in _MARK.finditer(text))
