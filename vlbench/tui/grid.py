"""Tables of cells for a given width: nothing wraps, and what matters least leaves first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from textual.content import Content

GAP: Final = 2
ELLIPSIS_FROM: Final = 3
CUT_IN_MIDDLE_FROM: Final = 8


@dataclass(frozen=True, slots=True)
class Column:
    """One column. `leaves` orders what is left out of a narrow table, highest first; 0 stays.

    `least` is the width in cells to which a column of words may be cut; None keeps it whole. Words are cut
    at their end, or in the middle where both ends tell things apart (`cut`), as with models of one provider.
    """

    title: str
    align: Literal["left", "right"] = "left"
    leaves: int = 0
    least: int | None = None
    cut: Literal["end", "middle"] = "end"


def text(words: str, style: str = "") -> Content:
    """One cell. `words` must be our own or inert; they are never read as markup."""
    return Content.styled(words, style)


def grid(columns: Sequence[Column], rows: Sequence[Sequence[Content]], width: int) -> Content:
    """The table as lines of at most `width` cells, titles first."""
    widths = _widths(columns, rows)
    kept = _kept(columns, widths, width)
    _shrink(columns, widths, kept, width)
    head = [Content.styled(column.title, "$muted") for column in columns]
    lines = [_line(columns, widths, kept, cells) for cells in (head, *rows)]
    return Content("\n").join(line.truncate(width) for line in lines)


def spare(columns: Sequence[Column], rows: Sequence[Sequence[Content]], width: int) -> int:
    """Cells that the whole table leaves free of `width`; negative when it does not fit."""
    widths = _widths(columns, rows)
    return width - sum(widths) - GAP * (len(widths) - 1)


def _widths(columns: Sequence[Column], rows: Sequence[Sequence[Content]]) -> list[int]:
    return [
        max([len(column.title), *(row[at].cell_length for row in rows)]) for at, column in enumerate(columns)
    ]


def _kept(columns: Sequence[Column], widths: Sequence[int], width: int) -> list[int]:
    """The columns that fit when those that can be cut are cut, without those that leave first."""
    kept = list(range(len(columns)))
    while True:
        least = [min(widths[at], columns[at].least or widths[at]) for at in kept]
        leaving = max(kept, key=lambda at: columns[at].leaves)
        if sum(least) + GAP * (len(kept) - 1) <= width or columns[leaving].leaves == 0:
            return kept
        kept.remove(leaving)


def _shrink(columns: Sequence[Column], widths: list[int], kept: list[int], width: int) -> None:
    over = sum(widths[at] for at in kept) + GAP * (len(kept) - 1) - width
    for at in sorted(kept, key=lambda at: widths[at], reverse=True):
        least = columns[at].least
        if over <= 0 or least is None:
            continue
        cut = min(over, max(0, widths[at] - least))
        widths[at] -= cut
        over -= cut


def _line(
    columns: Sequence[Column], widths: Sequence[int], kept: Sequence[int], cells: Sequence[Content]
) -> Content:
    padded = [_fitted(cells[at], widths[at], columns[at]) for at in kept]
    return Content(" " * GAP).join(padded).rstrip()


def _fitted(cell: Content, width: int, column: Column) -> Content:
    if cell.cell_length > width:
        return _cut(cell, width, column.cut)
    room = width - cell.cell_length
    return cell.pad_left(room) if column.align == "right" else cell.pad_right(room)


def _cut(cell: Content, width: int, where: Literal["end", "middle"]) -> Content:
    if where == "end" or width < CUT_IN_MIDDLE_FROM:
        return cell.truncate(width, ellipsis=width >= ELLIPSIS_FROM)
    last = width // 2
    end = cell[len(cell) - last :].truncate(last)
    begin = cell.truncate(width - 1 - end.cell_length)
    return (begin + "…" + end).truncate(width, pad=True)


def beside(left: Content, right: Content, width: int) -> Content:
    """One line with `left` at its beginning and `right` at its end; `left` is cut when both do not fit."""
    room = width - right.cell_length - GAP
    if room <= 0:
        return left.truncate(width, ellipsis=True)
    return left.truncate(room, ellipsis=True, pad=True) + Content(" " * GAP) + right
