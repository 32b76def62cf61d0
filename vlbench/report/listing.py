"""Rows of texts on stdout: columns where they fit, else one short block a row."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from textwrap import fill

GAP = "  "


def markdown(rows: Sequence[dict[str, str]]) -> str:
    """`rows`, which have the same names, as a Markdown table; "" for none."""
    from vlbench.report.cleaned import cleaned

    if not rows:
        return ""
    lines = [
        list(rows[0]),
        ["---"] * len(rows[0]),
        *([cleaned(text) for text in row.values()] for row in rows),
    ]
    return "".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |\n" for line in lines)


def print_rows(rows: Sequence[dict[str, str]]) -> None:
    """Print `rows`, which have the same names. Whatever reads a pipe always gets columns."""
    from rich.cells import cell_len
    from rich.console import Console

    from vlbench.report.cleaned import cleaned

    if not rows:
        return
    table = [list(rows[0]), *([cleaned(text) for text in row.values()] for row in rows)]
    widths = [max(map(cell_len, column)) for column in zip(*table, strict=True)]
    room = Console().width if sys.stdout.isatty() else sum(widths) + len(GAP) * len(widths)
    if sum(widths) + len(GAP) * (len(widths) - 1) <= room:
        for line in table:
            padded = (text + " " * (w - cell_len(text)) for text, w in zip(line, widths, strict=True))
            print(GAP.join(padded).rstrip())
        return
    label = max(map(cell_len, table[0]))
    behind = " " * (label + 2 * len(GAP))
    for row in table[1:]:
        print(row[0])
        for name, text in zip(table[0][1:], row[1:], strict=True):
            # A word that is too long, such as an address, stays whole, so that it can be copied.
            print(
                fill(
                    text or "—",
                    max(room, len(behind) + 1),
                    initial_indent=f"{GAP}{name:<{label}}{GAP}",
                    subsequent_indent=behind,
                    break_long_words=False,
                    break_on_hyphens=False,
                )
            )
