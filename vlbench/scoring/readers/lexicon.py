"""The words the strict reader understands, and what each does to a label beside it.

The words stand in `words.toml` (the classes, by language) and `refusals.toml` (how models decline).
"""

from __future__ import annotations

import re
import tomllib
from enum import StrEnum
from functools import cache
from importlib.resources import files


class Word(StrEnum):
    """The classes of `words.toml`; what each one means is said there."""

    KEY = "key"
    NOUN = "noun"
    LINK = "link"
    PREP = "prep"
    GOOD = "good"
    FITS = "fits"
    HINT = "hint"
    BAD = "bad"
    NOT = "not"
    DENIED = "denied"
    MAYBE = "maybe"
    SO = "so"
    BUT = "but"
    IF = "if"
    PICTURE = "picture"
    REASON = "reason"


_CLASS_ORDER = tuple(Word)


def _table(name: str) -> dict[str, object]:
    return tomllib.loads(files(__package__).joinpath(name).read_text(encoding="utf-8"))


@cache
def words() -> dict[str, Word]:
    """Every word with its class; where languages disagree the class listed first in `Word` wins."""
    tables = _table("words.toml")
    classes: dict[str, Word] = {}
    for word_class in _CLASS_ORDER:
        languages = tables[word_class]
        assert isinstance(languages, dict)
        for entry in " ".join(languages.values()).split():
            classes.setdefault(entry, word_class)
    return classes


@cache
def follows_label() -> frozenset[str]:
    """Words that tell the label A before them from the article or the preposition."""
    languages = _table("words.toml")["follows_label"]
    assert isinstance(languages, dict)
    return frozenset(" ".join(languages.values()).split())


LONGEST_PEEL = 8


def peel_end(run: str) -> list[Word | None]:
    """The classes of a run of characters written without spaces, from its end to its start.

    Stops with None at the first character no entry covers.
    """
    table, end, found = words(), len(run), list[Word | None]()
    while end:
        for start in range(max(0, end - LONGEST_PEEL), end):
            if word := table.get(run[start:end]):
                found.append(word)
                end = start
                break
        else:
            found.append(None)
            return found
    return found


def peel_start(run: str) -> list[Word | None]:
    """The classes of a run written without spaces, from its start; None ends it, as in `peel_end`."""
    table, start, found = words(), 0, list[Word | None]()
    while start < len(run):
        for end in range(min(len(run), start + LONGEST_PEEL), start, -1):
            if word := table.get(run[start:end]):
                found.append(word)
                start = end
                break
        else:
            found.append(None)
            return found
    return found


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    phrases, failures = list[str](), list[str]()
    for language, entries in _table("refusals.toml").items():
        assert isinstance(entries, list)
        if language == "failure":
            failures += entries
            continue
        for phrase in entries:
            body = re.sub(r"\s*…\s*", r"[^.!?\\n]{0,40}?", phrase)
            phrases.append((r"\b" if phrase[0].isascii() else "") + f"(?:{body})")
    return re.compile("|".join(phrases)), re.compile("|".join(failures))


def refusal_in(lowered: str) -> re.Match[str] | None:
    """The first refusal phrase in lower-cased text."""
    return _patterns()[0].search(lowered)


def failure_in(lowered: str) -> re.Match[str] | None:
    """The first sign that the text is a stored error message."""
    return _patterns()[1].search(lowered)
