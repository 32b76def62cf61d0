"""Text of a server made fit for a terminal and an error message."""

from __future__ import annotations

import unicodedata

# Cc and Cf draw on the terminal or reorder text, Cs cannot be encoded, Zl and Zp break a paragraph.
_UNSAFE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def printable(text: str, limit: int = 200) -> str:
    """`text` as one line of at most `limit` characters without control or formatting characters."""
    # Cut first, so that a huge body costs nothing; twice the limit leaves room for what is taken out.
    clean = "".join(" " if unicodedata.category(c) in _UNSAFE else c for c in text[: 2 * limit])
    line = " ".join(clean.split())
    return line if len(line) <= limit else line[: limit - 1] + "…"
