"""The options of one question, prepared for finding them in a reply."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from vlbench.scoring.readers.aliases import aliases
from vlbench.scoring.readers.normalise import plain
from vlbench.scoring.readers.tokens import is_wide

_EDGES = " \t\n.,;:!?\"'"
_ARTICLE = re.compile(r"(?:a|an|the) (?=\w)")
_HYPHEN = re.compile(r"(?<=[^\W\d_])-(?=[^\W\d_])")
# Words that say too much else to count as an option's text in the middle of a sentence.
_FUNCTION_WORDS = frozenset({"yes", "no", "none", "nan", "true", "false", "both", "neither", "other", "all"})


def lowered(text: str) -> str:
    """Lower case with hyphens inside words as blanks; every character keeps its place."""
    low = text.lower()
    if len(low) != len(text):
        low = "".join(char.lower() if len(char.lower()) == 1 else char for char in text)
    return _HYPHEN.sub(" ", low) if "-" in low else low


@dataclass(frozen=True, slots=True)
class OptionText:
    """One way to say an option, lower case.

    `labels` and `exact` (the spelling) go together; more than one are twins that differ by case at most.
    `isolated` texts count only as a clause of their own.
    """

    text: str
    labels: tuple[str, ...]
    exact: tuple[str, ...]
    isolated: bool
    alias: bool = False

    def label_of(self, written: str) -> str | None:
        """The one option meant by this spelling; None when two options share it."""
        if len(self.labels) == 1:
            return self.labels[0]
        same = [label for label, exact in zip(self.labels, self.exact, strict=True) if exact == written]
        return same[0] if len(same) == 1 else None


@dataclass(frozen=True, slots=True)
class Choices:
    """Labels and texts of one question.

    `by_name` finds a label by its lower case, `own` its text as matched, `whole` an option by one of its
    texts; `letters` says that every label is one Latin letter.
    """

    labels: tuple[str, ...]
    by_name: Mapping[str, str]
    letters: bool
    texts: tuple[OptionText, ...]
    own: Mapping[str, str]
    whole: Mapping[str, OptionText]

    def label(self, name: str) -> str | None:
        """The label written `name` in any case; exact case where two labels differ by it alone."""
        return name if name in self.labels else self.by_name.get(name.lower())


def _reduced(text: str) -> str:
    return " ".join(plain(text).text.split())


def _key(text: str) -> str:
    low = lowered(text)
    stripped = low.strip(_EDGES) or low
    return _ARTICLE.sub("", stripped, count=1) if _ARTICLE.match(stripped) else stripped


def _needs_isolation(key: str) -> bool:
    return key in _FUNCTION_WORDS or (len(key) == 1 and key.isalpha() and not is_wide(key))


def _option_texts(reduced: Mapping[str, str], keys: Mapping[str, str]) -> tuple[OptionText, ...]:
    """Every way to say an option, the longest first; what names a label is left to the labels."""
    names = {label.lower() for label in keys}
    twins = dict[str, list[str]]()
    for label, key in keys.items():
        if key and not (len(key) == 1 and key in names):
            twins.setdefault(key, []).append(label)
    found = list[OptionText]()
    for key, same in twins.items():
        exact = tuple(reduced[label].strip(_EDGES) for label in same)
        found.append(OptionText(key, tuple(same), exact, _needs_isolation(key)))
    for alias in aliases(keys):
        isolated = alias.isolated or _needs_isolation(alias.text)
        found.append(OptionText(alias.text, (alias.label,), (alias.text,), isolated, alias=True))
    return tuple(sorted(found, key=lambda option: -len(option.text)))


@lru_cache(maxsize=4096)
def _prepared(items: tuple[tuple[str, str], ...]) -> Choices:
    reduced = {label: _reduced(text) for label, text in items}
    keys = {label: _key(text) for label, text in reduced.items()}
    by_name = {label.lower(): label for label in reversed(keys)}
    texts = _option_texts(reduced, keys)
    return Choices(
        labels=tuple(keys),
        by_name=by_name,
        letters=all(len(label) == 1 and label.isascii() and label.isalpha() for label in keys),
        texts=texts,
        own=keys,
        whole={option.text: option for option in texts},
    )


def choices(options: Mapping[str, str]) -> Choices:
    """The prepared form of `options`, remembered for the last few thousand questions."""
    return _prepared(tuple(options.items()))


def key_of(text: str) -> str:
    """A reply reduced as option texts are, to compare the whole of it with them."""
    return _key(" ".join(text.split()))
