"""What a reading of reduced text is, and the readings of texts that are an option from end to end."""

from __future__ import annotations

import re
from dataclasses import dataclass

from vlbench.scoring.readers.choices import Choices, key_of
from vlbench.scoring.readers.option_texts import ORDINAL_TAIL

EDGES = " \t\n.,;:!?\"'()[]{}<>-+/|#~="


@dataclass(frozen=True, slots=True)
class Reading:
    """The label read from `text[start:end]` by `rule`, or None and the reason."""

    label: str | None = None
    rule: str = ""
    start: int = 0
    end: int = 0
    reason: str = ""


_ARTICLE = re.compile(r"\A(?:an?|the) ", re.IGNORECASE)
_LETTERS_ONLY = re.compile(r"(?:[A-Za-z][\s.,;/|&()\[\]?!\"'-]+)+[A-Za-z]")
_LONGEST_LETTERS = 60


def _only_labels(text: str, options: Choices) -> bool:
    """Whether the text is made of labels, several of them, and nothing else."""
    if not options.letters or len(text) > _LONGEST_LETTERS:
        return False
    if any(len(own) == 1 and own.isalpha() for own in options.own.values()):
        return False  # "A. C" may be a label and its text
    if _LETTERS_ONLY.fullmatch(text) is None:
        return False
    named = {options.label(char) for char in text if char.isalpha()}
    return len(named) > 1 and None not in named


def whole_reading(text: str, options: Choices) -> Reading | None:
    """The whole text is a label or an option's text, give or take punctuation."""
    stripped = text.strip(EDGES)
    if text[text.find(stripped) + len(stripped) :] in {"++", "#"}:
        return None  # "C++", "C#"
    start = text.find(stripped)
    if start and text[start - 1] == "-" and stripped[:1].isdigit():
        start, stripped = start - 1, f"-{stripped}"
    if label := options.label(stripped):
        return Reading(label, "bare", start, start + len(stripped))
    if _only_labels(stripped, options):
        return Reading(reason="several labels are named and none is chosen")
    key = key_of(stripped)
    option = options.whole.get(key_of(text)) or options.whole.get(key)
    if option is None and (tail := ORDINAL_TAIL.search(key)) and tail.end() == len(key):
        option = options.whole.get(key[: tail.start()])  # "the right one"
    if option is None:
        return None
    spelling = " ".join(stripped.split())
    label = option.label_of(spelling) or option.label_of(_ARTICLE.sub("", spelling))
    if label is None:
        return Reading(reason="two options have this text")
    return Reading(label, "whole text", start, start + len(stripped))
