"""Text from outside (servers, models, data files) made fit for a terminal, a report and an error message.

So are sums of money, which a price out of a file makes of any size.
"""

from __future__ import annotations

import unicodedata
from typing import Final

# Cc and Cf draw on the terminal or reorder text, Cs cannot be encoded, Zl and Zp break a paragraph.
_UNSAFE: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})

SUMS_IN_FULL: Final = 1e15
"""From here on a sum of money is told by its magnitude alone: only a mistyped price comes to it."""


def printable(text: str, limit: int = 200) -> str:
    """`text` as one line of at most `limit` characters without control or formatting characters."""
    # Cut first, so that a huge body costs nothing; twice the limit leaves room for what is taken out.
    head = text[: 2 * limit]
    if not head.isascii() or not head.isprintable():
        head = "".join(" " if unicodedata.category(c) in _UNSAFE else c for c in head)
    line = " ".join(head.split())
    return line if len(line) <= limit and len(text) <= 2 * limit else line[: limit - 1] + "…"


def amount(value: float, decimals: int) -> str:
    """A sum as `1,284.06`, with so many decimals; `1e+308` where it would be a wall of digits."""
    return f"{value:,.{decimals}f}" if value < SUMS_IN_FULL else f"{value:.0e}"
