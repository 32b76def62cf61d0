"""What a report for people is made of. Texts are plain: every renderer escapes them in its own way."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Heading:
    """The first line of one report."""

    text: str


@dataclass(frozen=True, slots=True)
class Note:
    """A sentence beside the table before it."""

    text: str


@dataclass(frozen=True, slots=True)
class Caution:
    """A sentence that must be read before the numbers."""

    text: str


@dataclass(frozen=True, slots=True)
class Column:
    """A column; `right` aligns numbers, `wide` ones are left out of a narrow terminal."""

    name: str
    right: bool = False
    wide: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """Cells as text. `paper` tables are for Markdown alone: too wide for a terminal, right for a paper."""

    title: str
    columns: tuple[Column, ...]
    rows: list[tuple[str, ...]] = field(default_factory=list)
    paper: bool = False

    def add(self, *cells: str) -> None:
        """Add one row. Raises ValueError when it has another number of cells than there are columns."""
        if len(cells) != len(self.columns):
            raise ValueError(f"{len(cells)} cells for {len(self.columns)} columns of {self.title!r}")
        self.rows.append(cells)


Block = Heading | Note | Caution | Table
