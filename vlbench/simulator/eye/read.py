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
_NOTHING = re.compile(
    r"\bno (?:\w+ ){0,2}(?:difference|change)|\bidentical\b|\b(?:are|look) (?:\w+ )?the same\b"
    r"|\bnothing (?:has )?(?:chang|differ)",
    re.IGNORECASE,
)
_PICTURE = re.compile(r"^(?:image ([ab12])|(first|second) image):", re.IGNORECASE | re.MULTILINE)
_CAPTION = re.compile(r"""(?<!\w)["'“](\w[^"“”\n]{0,300}?)["'”](?=\s*\?)""")
_CAPTIONS = re.compile(r"\bdepict:? (\S.{0,200}?) or (\S.{0,200}?)\?")
_INLINE = re.compile(r"(?:(?<=^)|(?<=[\s,;(]))([A-H])[).:]\s")


@dataclass(frozen=True, slots=True)
class Prompt:
    """What was asked.

    `words` are the question's, in lower case and singular; `options` texts by label. `caption` is the
    description for which one of two pictures is to be chosen. `is_reversed` says that the labels of the
    pictures name the second one first. `has_labels` is False where the question
    names the options without any labels, which are made up then.
    """

    words: tuple[str, ...]
    options: dict[str, str]
    caption: str = ""
    is_reversed: bool = False
    has_labels: bool = True

    @property
    def nothing(self) -> str | None:
        """Where a difference is asked for: the label of the option that says that there is none."""
        if not self.has("difference", "differences", "differ", "differs", "changed"):
            return None
        return next((label for label, text in self.options.items() if _NOTHING.search(text)), None)

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
        return _without_letters(text)
    return Prompt(words_of(text[:start]), options, is_reversed=_is_reversed(text))


def _without_letters(text: str) -> Prompt:
    """A question whose choices are two pictures, or two captions, or that has none."""
    words = words_of(text)
    if {"first", "second"} <= set(words) and (quoted := _CAPTION.search(text)):
        pictures = {"First": "the first image", "Second": "the second image"}
        return Prompt(words, pictures, caption=quoted[1], is_reversed=_is_reversed(text))
    if captions := _CAPTIONS.search(text):
        return Prompt(words, {"A": captions[1], "B": captions[2]}, has_labels=False)
    return Prompt(words, {})


def _is_reversed(text: str) -> bool:
    label = _PICTURE.search(text)
    return label is not None and (label[1] or label[2]).lower() in ("b", "2", "second")


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
