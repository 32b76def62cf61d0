"""The answer matcher of VisMin's authors, bug for bug, so that published numbers can be reproduced.

Source: the evaluation code of github.com/rabiulcste/vismin (`evals/metrics/itm.py`). Gold and reply are
reduced in the same way and the gold must be a word of the reduced reply, or follow "answer" in it. Both
labels are credited when both words occur ("Second, not the first one"), and "a dog" is right for A.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from vlbench.scoring.readers.reader import Reader, credited
from vlbench.types import Answer, Reply

_LETTER_BEFORE_BRACKET = re.compile(r"([A-Za-z])\)")
_PUNCTUATION = re.compile(r"[^\w\s]")


def _inside_first_brackets(text: str) -> str | None:
    """What stands between the first pair of round brackets on one line, in linear time."""
    opening = text.find("(")
    while opening >= 0:
        line_end = text.find("\n", opening)
        line_end = len(text) if line_end < 0 else line_end
        closing = text.find(")", opening, line_end)
        if closing >= 0:
            return text[opening + 1 : closing]
        opening = text.find("(", line_end)
    return None


def _reduced(text: str) -> str:
    inside = _inside_first_brackets(text)
    text = text if inside is None else inside
    letter = _LETTER_BEFORE_BRACKET.search(text)
    text = letter[1] if letter else text
    return " ".join(_PUNCTUATION.sub("", text.split("\n")[0]).split()).lower()


def _read(reply: Reply, options: Mapping[str, str]) -> Answer:
    text = _reduced(reply.text)
    words = set(text.split())

    def accepts(label: str) -> bool:
        gold = _reduced(label)
        return gold in words or gold == text or f"answer {gold}" in text

    return credited(reply, (label for label in options if accepts(label)), "official")


VISMIN_OFFICIAL = Reader(
    name="vismin-official",
    version=1,
    doc="The gold is a word of the first line, or of its first brackets.",
    function=_read,
)
