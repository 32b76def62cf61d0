"""The report on a terminal. No text from outside is ever read as markup, and colour says nothing alone."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from vlbench.report.blocks import blocks_of, overview
from vlbench.report.data import ReportData
from vlbench.report.layout import Block, Caution, Heading, Note, Table
from vlbench.report.widths import fitted, folded

if TYPE_CHECKING:
    from rich.console import JustifyMethod, RenderableType

WIDE: Final = 116
"""Columns of a terminal from which on tables show all of theirs."""
ROOMY: Final = 100
"""Columns from which on two blanks instead of one stand between the columns of a table."""
NARROWEST: Final = 40


def terminal_text(reports: Sequence[ReportData], *, width: int = 100, colour: bool = False) -> str:
    """The reports as text of at most `width` columns; `colour` adds ANSI styles."""
    parts = [overview(reports)] if len(reports) > 1 else []
    parts += [blocks_of(report) for report in reports]
    return "\n\n".join(blocks_text(part, width=width, colour=colour) for part in parts)


def blocks_text(blocks: Sequence[Block], *, width: int = 100, colour: bool = False) -> str:
    """Blocks as text of at most `width` columns that ends with a line break."""
    from rich.console import Console

    width = max(width, NARROWEST)
    out = io.StringIO()
    console = Console(
        file=out,
        width=width,
        force_terminal=colour,
        color_system="standard" if colour else None,
        markup=False,
        emoji=False,
        highlight=False,
        legacy_windows=False,
        _environ={},
    )
    for block in blocks:
        if not (isinstance(block, Table) and block.paper):
            console.print(_drawn(block, width))
    # Rich pads table cells to their column; blanks at line ends only get in the way of diffs.
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


def _drawn(block: Block, width: int) -> RenderableType:
    from rich.text import Text

    match block:
        case Heading(text):
            return Text(text, style="bold")
        case Note(text):
            return Text(text, style="dim")
        case Caution(text):
            return Text.assemble(("Warning: ", "bold yellow"), text)
        case Table():
            return _table(block, width)


def _table(block: Table, width: int) -> RenderableType:
    from rich.box import SIMPLE_HEAD
    from rich.console import Group
    from rich.table import Table as RichTable
    from rich.text import Text

    shown = [at for at, column in enumerate(block.columns) if width >= WIDE or not column.wide]
    blanks = 1 if width >= ROOMY else 0
    drawn: list[RenderableType] = ["", Text(block.title, style="bold")]
    for widths in fitted(block, shown, width, gap=1 + blanks):
        table = RichTable(box=SIMPLE_HEAD, padding=(0, blanks, 0, 0), pad_edge=False, show_edge=False)
        for at, columns in widths.items():
            column = block.columns[at]
            justify: JustifyMethod = "right" if column.right else "left"
            table.add_column(Text(column.name), justify=justify, width=columns, overflow="fold")
        for row in block.rows:
            table.add_row(*(Text(folded(row[at], columns)) for at, columns in widths.items()))
        drawn.append(table)
    return Group(*drawn)
