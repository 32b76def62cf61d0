"""The rows of a data file, TSV, CSV or parquet alike: texts by column, and pictures by their place.

Cells are texts and stay what they are: `nan`, `None`, `1e5` and `007` are such texts, and only an empty cell
is missing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from vlbench.errors import DatasetError
from vlbench.types import Span

INDEX_COLUMN = "index"


@dataclass(frozen=True, slots=True)
class TableRow:
    """One row. `number` counts from 1 without the header; a column whose cell is empty is left out.

    `problem` says why a part of the row could not be read.
    """

    number: int
    cells: Mapping[str, str]
    pictures: Mapping[str, tuple[Span, ...]]
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """A data file's columns, and its rows as a stream that can be read once."""

    path: Path
    columns: tuple[str, ...]
    rows: Iterator[TableRow]

    def require(self, names: tuple[str, ...], what: str) -> None:
        """DatasetError naming the columns `what` needs that are missing and those that were found."""
        missing = [name for name in names if name not in self.columns]
        if missing:
            raise DatasetError(
                f"{self.path} is no {what} file: it lacks the column{'s' * (len(missing) > 1)} "
                f"{', '.join(missing)}. Columns found: {', '.join(self.columns)}. "
                "Check that it is the right file, or the revision it was fetched from."
            )
