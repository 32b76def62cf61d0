"""How wide each column of a table is drawn, so that it fits a terminal and no number is ever cut."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from vlbench.report.layout import Table

FOLDED: Final = 12
"""A column of names is folded over several lines rather than made narrower than this."""

_PIECES: Final = re.compile(r"[^\s:/+,_@|-]*(?:\s+|[:/+,_@|-]|$)")

Widths = dict[int, int]
"""Columns by their place in the table, with the terminal columns each takes."""


def fitted(table: Table, shown: Sequence[int], width: int, gap: int) -> list[Widths]:
    """The columns `shown`, as one table that fits `width` or, when none does, as several below each other.

    Each of several begins with the columns of names (the first alone where no number fits beside all) and
    takes as many of the others as fit; a single number that is too wide all the same stays whole.
    """
    names = [at for at in shown if not table.columns[at].right]
    widest = max((_narrowest(table, at) for at in shown if at not in names), default=0)
    if _total([*(_narrowest(table, at) for at in names), widest], gap) > width:
        names = names[:1]
    parts: list[list[int]] = [[*names]]
    for at in shown:
        if at in names:
            continue
        grown = sorted([*parts[-1], at])
        if _total([_narrowest(table, one) for one in grown], gap) > width and len(parts[-1]) > len(names):
            parts.append([*names, at])
        else:
            parts[-1] = grown
    return [_shared(table, part, width, gap) for part in parts]


def _shared(table: Table, part: Sequence[int], width: int, gap: int) -> Widths:
    """Natural widths, taken back one by one from the widest column that can still give."""
    widths = {at: _natural(table, at) for at in part}
    least = {at: _narrowest(table, at) for at in part}
    while (excess := _total(list(widths.values()), gap) - width) > 0:
        giving = [at for at in part if widths[at] > least[at]]
        if not giving:
            break
        # Long headings break at a word before names are folded inside one.
        headings = [at for at in giving if table.columns[at].right]
        widest = max(headings or giving, key=lambda at: widths[at])
        widths[widest] -= 1 if not headings else min(excess, widths[widest] - least[widest])
    return widths


def folded(text: str, width: int) -> str:
    """`text` in lines of at most `width` columns: broken at blanks, else behind the marks inside names.

    Only a piece without either that is wider still is broken inside.
    """
    from rich.cells import cell_len, chop_cells

    if cell_len(text) <= width:
        return text
    lines = [""]
    for piece in _PIECES.findall(text):
        if cell_len(lines[-1] + piece.rstrip()) <= width:
            lines[-1] += piece
        else:
            lines += chop_cells(piece, width) if cell_len(piece.rstrip()) > width else [piece]
    return "\n".join(line.rstrip() for line in lines if line.strip())


def _natural(table: Table, at: int) -> int:
    from rich.cells import cell_len

    return max(cell_len(text) for text in (table.columns[at].name, *(row[at] for row in table.rows)))


def _narrowest(table: Table, at: int) -> int:
    """Names may be folded, numbers may not, for half of a number is another one."""
    from rich.cells import cell_len

    longest = max((cell_len(row[at]) for row in table.rows), default=1)
    words = [cell_len(word) for word in table.columns[at].name.split()]
    return max(longest if table.columns[at].right else min(longest, FOLDED), *words)


def _total(widths: Sequence[int], gap: int) -> int:
    return sum(widths) + gap * max(0, len(widths) - 1)
