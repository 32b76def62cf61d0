"""Reads a prompt as the built-in model does: question, options, and the colours and shapes it names."""

from __future__ import annotations

import re
from dataclasses import dataclass

COLOURS = ("red", "orange", "yellow", "green", "blue", "purple", "pink")
KINDS = ("circle", "square", "triangle", "star", "pentagon", "hexagon", "diamond", "cross")
_SYNONYMS = {
    "crosses": "cross",
    "disc": "circle",
    "dot": "circle",
    "rhombus": "diamond",
    "lozenge": "diamond",
    "violet": "purple",
    "color": "colour",
    "colored": "coloured",
    "gray": "grey",
    "biggest": "largest",
    "tiniest": "smallest",
}
_WORD = re.compile(r"\d{1,9}(?:/\d{1,9})?|[a-z]+")
_LINE = re.compile(r"^[ \t]*\(?([A-H])[).:][ \t]+(.+)$", re.MULTILINE)
_INLINE = re.compile(r"(?:(?<=^)|(?<=[\s,;(]))([A-H])[).:]\s")


@dataclass(frozen=True, slots=True)
class Prompt:
    """What was asked. `words` are the question's, in lower case and singular; `options` texts by label."""

    words: tuple[str, ...]
    options: dict[str, str]

    def has(self, *words: str) -> bool:
        """Whether the question holds any of the words."""
        return not self.word_set.isdisjoint(words)

    @property
    def word_set(self) -> frozenset[str]:
        """The question's words without order."""
        return frozenset(self.words)

    @property
    def colours(self) -> tuple[str, ...]:
        """The colours named in the question, in order."""
        return tuple(w for w in self.words if w in COLOURS)

    @property
    def kinds(self) -> tuple[str, ...]:
        """The shapes named in the question, in order."""
        return tuple(w for w in self.words if w in KINDS)

    @property
    def looks(self) -> tuple[tuple[str, str], ...]:
        """Colour and shape where one follows the other, in order."""
        pairs = zip(self.words, self.words[1:], strict=False)
        return tuple((a, b) for a, b in pairs if a in COLOURS and b in KINDS)


def read_prompt(text: str) -> Prompt:
    """Splits the user's text into question and options; without options the whole text is the question."""
    found = [(m.group(1), m.group(2).strip(), m.start()) for m in _LINE.finditer(text)]
    options, start = _in_order(found)
    if len(options) < 2:
        options, start = _in_order(_inline(text))
    if len(options) < 2:
        return Prompt(words_of(text), {})
    return Prompt(words_of(text[:start]), options)


def words_of(text: str) -> tuple[str, ...]:
    """Words and numbers in lower case, plural endings and synonyms taken back."""
    return tuple(_plain(word) for word in _WORD.findall(text.lower()))


def _plain(word: str) -> str:
    word = _SYNONYMS.get(word, word)
    singular = word[:-1] if word.endswith("s") else word
    singular = _SYNONYMS.get(singular, singular)
    return singular if singular in KINDS else word


def _inline(text: str) -> list[tuple[str, str, int]]:
    """Options within one line, such as "A: red, B: blue"."""
    marks = list(_INLINE.finditer(text))
    ends = [*(m.start() for m in marks[1:]), len(text)]
    return [
        (mark.group(1), text[mark.end() : end].split("\n")[0].strip(" \t,;("), mark.start())
        for mark, end in zip(marks, ends, strict=False)
    ]


def _in_order(found: list[tuple[str, str, int]]) -> tuple[dict[str, str], int]:
    """The options A, B, C … as far as they follow each other, and where they start in the text."""
    options: dict[str, str] = {}
    start = 0
    for label, text, position in found:
        if label == "ABCDEFGH"[len(options) : len(options) + 1]:
            if not options:
                start = position
            options[label] = text
    return options, start
