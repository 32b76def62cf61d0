"""Text from outside as the view may show it: it cannot draw, reorder, or break the grid of cells."""

from __future__ import annotations

import unicodedata
from typing import Final

from textual.content import Content

from vlbench.printable import printable

LONGEST: Final = 20_000
"""Characters of one text that are laid out; a reply of a megabyte would hold the screen up for seconds."""

STAND_IN: Final = "�"
_CONTROL_PICTURES: Final = 0x2400
_DELETE: Final = 0x7F
_MOST_MARKS: Final = 2
_UNSAFE: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def line(text: str, limit: int = 200) -> str:
    """`text` as one short line whose width in cells every terminal agrees on."""
    return "".join(" " if _is_mark(c) else c for c in printable(text, limit))


def block(text: str) -> str:
    """`text` of several lines, character by character, so that ranges of characters stay what they were.

    Control characters become their pictures, characters that format or reorder a stand-in, and so do more
    than two combining marks in a row.
    """
    if text.isascii() and text.isprintable():
        return text
    shown: list[str] = []
    marks = 0
    for character in text:
        marks = marks + 1 if unicodedata.combining(character) else 0
        shown.append(STAND_IN if marks > _MOST_MARKS else _shown(character))
    return "".join(shown)


def excerpt(text: str, span: tuple[int, int] | None, style: str) -> Content:
    """`text` made inert, the characters of `span` in `style`; only the surroundings of it when it is long."""
    first = 0
    if len(text) > LONGEST and span is not None:
        first = max(0, min(span[0] - LONGEST // 2, len(text) - LONGEST))
    last = min(len(text), first + LONGEST)
    content = Content(block(text[first:last]))
    if span is not None and span[1] > span[0]:
        content = content.stylize(style, max(0, span[0] - first), max(0, min(last, span[1]) - first))
    before = Content.styled(f"… {first:,} characters before\n", "$muted") if first else Content("")
    left = len(text) - last
    after = Content.styled(f"\n… {left:,} characters more", "$muted") if left else Content("")
    return before + content + after


def _shown(character: str) -> str:
    if character == "\n":
        return character
    if character == "\t":
        return " "
    if character < " ":
        return chr(_CONTROL_PICTURES + ord(character))
    if ord(character) == _DELETE:
        return "␡"
    return STAND_IN if unicodedata.category(character) in _UNSAFE or _is_selector(character) else character


def _is_mark(character: str) -> bool:
    return character >= "\u0300" and (
        unicodedata.category(character) in ("Mn", "Me") or _is_selector(character)
    )


def _is_selector(character: str) -> bool:
    """Variation selectors change how wide the character before them is on some terminals only."""
    return "\ufe00" <= character <= "\ufe0f" or "\U000e0100" <= character <= "\U000e01ef"
