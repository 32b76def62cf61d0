"""Tables that a benchmark reports beside accuracy, MG and ML: computed once, shown by every renderer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from vlbench.scoring.intervals import Interval

FigureKind = Literal["percent", "count", "p"]


@dataclass(frozen=True, slots=True)
class Figure:
    """One number: a fraction 0..1 (`percent`), a whole number (`count`) or a p-value (`p`).

    None is undefined, which is shown as "—" and never as 0. `of` is what was divided by.
    """

    value: float | None
    kind: FigureKind = "percent"
    interval: Interval | None = None
    of: int | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a section. `variant` and `condition` are "" where it is about the samples alone."""

    variant: str
    condition: str
    names: tuple[str, ...]
    figures: tuple[Figure, ...]


@dataclass(frozen=True, slots=True)
class Section:
    """A table with a title and the sentences below it.

    `id` names it in data formats. Every line has one name for each of `names` and one figure for each of
    `columns`; those in `wide` may be left out where there is little room. A `brief` section also stands in
    the short report at the end of a run.
    """

    id: str
    title: str
    names: tuple[str, ...]
    columns: tuple[str, ...]
    lines: tuple[Line, ...]
    notes: tuple[str, ...] = ()
    wide: tuple[str, ...] = ()
    brief: bool = False

    def __post_init__(self) -> None:
        for line in self.lines:
            if len(line.names) != len(self.names) or len(line.figures) != len(self.columns):
                raise ValueError(f"a line of section {self.id!r} does not fit its columns")


def count(value: int) -> Figure:
    """A whole number."""
    return Figure(value, "count")


def share(part: int, whole: int, interval: Interval | None = None) -> Figure:
    """`part` of `whole` as a fraction; undefined without a whole."""
    return Figure(part / whole if whole else None, "percent", interval if whole else None, whole)
