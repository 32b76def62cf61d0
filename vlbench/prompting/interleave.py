"""Pictures in the middle of a text: each stands where its mark `<image n>` is."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from vlbench.types import Part, TextPart

_MARK: Final = re.compile(r"<image (\d{1,2})>")


def marked(text: str) -> frozenset[int]:
    """The numbers, from 1, of the pictures that `text` has marks for."""
    return frozenset(int(match[1]) for match in _MARK.finditer(text))


def interleaved(text: str, pictures: Mapping[int, tuple[Part, ...]]) -> tuple[Part, ...]:
    """`text` with the parts of each picture in place of its first mark.

    Later marks of a picture stay words, as do marks of pictures that are not given.
    """
    parts: list[Part] = []
    placed: set[int] = set()
    begin = 0
    for match in _MARK.finditer(text):
        number = int(match[1])
        if number not in pictures or number in placed:
            continue
        placed.add(number)
        if before := text[begin : match.start()]:
            parts.append(TextPart(before))
        parts += pictures[number]
        begin = match.end()
    if rest := text[begin:]:
        parts.append(TextPart(rest))
    return tuple(parts)
