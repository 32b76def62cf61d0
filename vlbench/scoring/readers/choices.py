"""The options of one question, prepared for finding them in a reply."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from vlbench.scoring.readers.normalise import plain

_EDGES = " \t\n.,;:!?\"'"
_ARTICLE = re.compile(r"(?:a|an|the) (?=\w)")
_HYPHEN = re.compile(r"(?<=[^\W\d_])-(?=[^\W\d_])")
# Words that say too much else to count as an option's text in the middle of a sentence.
_FUNCTION_WORDS = frozenset("yes no none nan true false both neither other all".split())
_NUMBER_NAMES = "zero one two three four five six seven eight nine ten eleven twelve".split()
_NUMBER_OF = {name: str(number) for number, name in enumerate(_NUMBER_NAMES)}
_ORDINALS = {
    "first": (
        "first",
        "1",
        "1st",
        "image 1",
        "picture 1",
        "image one",
        "picture one",
        "image #1",
        "第一",
        "图1",
        "图一",
        "left",
    ),
    "second": (
        "second",
        "2",
        "2nd",
        "image 2",
        "picture 2",
        "image two",
        "picture two",
        "image #2",
        "第二",
        "图2",
        "图二",
        "right",
    ),
}
_ORDINAL_TEXT = re.compile(
    r"(?:the )?(?:(first|second|1st|2nd)(?: (?:image|picture|one|photo))?|(?:image|picture|photo) (1|2|one|two))"
)
_WIDE = re.compile("[\u2e80-\u9fff\uac00-\ud7af\u3040-\u30ff\uf900-\ufaff]")


def lowered(text: str) -> str:
    """Lower case with hyphens inside words as blanks; every character keeps its place."""
    low = text.lower()
    if len(low) != len(text):
        low = "".join(char.lower() if len(char.lower()) == 1 else char for char in text)
    return _HYPHEN.sub(" ", low) if "-" in low else low


@dataclass(frozen=True, slots=True)
class OptionText:
    """One way to say an option, lower case. `labels` and `exact` go together; more than one are case twins."""

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
    """Labels and texts of one question. `letters` says that every label is one Latin letter."""

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


def _aliases(texts: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Other ways to say numbers and the two pictures of a pair, as (alias, label)."""
    names = {label: text for label, text in texts.items()}
    for label, text in names.items():
        if text in _NUMBER_OF:
            yield _NUMBER_OF[text], label
        elif text.isdecimal() and int(text) < len(_NUMBER_NAMES):
            yield _NUMBER_NAMES[int(text)], label
    ordinal = dict[str, str]()
    for label, text in names.items():
        for candidate in (label.lower(), text):
            if match := _ORDINAL_TEXT.fullmatch(candidate):
                is_first = (match[1] or match[2]) in {"first", "1st", "1", "one"}
                ordinal["first" if is_first else "second"] = label
                break
    if len(ordinal) == 2 == len(names):
        for place, label in ordinal.items():
            for alias in _ORDINALS[place]:
                if alias != label.lower():
                    yield alias, label


def _option_texts(options: Mapping[str, str]) -> list[OptionText]:
    reduced = {label: _reduced(text) for label, text in options.items()}
    keys = {label: _key(text) for label, text in reduced.items()}
    names = {label.lower() for label in options}
    grouped: dict[str, list[str]] = {}
    for label, key in keys.items():
        if key and not (len(key) == 1 and key in names):
            grouped.setdefault(key, []).append(label)
    found = [
        OptionText(
            key, tuple(labels), tuple(reduced[label].strip(_EDGES) for label in labels), _needs_isolation(key)
        )
        for key, labels in grouped.items()
    ]
    aliased: dict[str, set[str]] = {}
    for alias, label in _aliases(keys):
        if alias not in grouped:
            aliased.setdefault(alias, set()).add(label)
    for alias, alias_labels in aliased.items():
        if len(alias_labels) == 1:
            found.append(
                OptionText(
                    alias,
                    (*alias_labels,),
                    (alias,),
                    _needs_isolation(alias) or alias in {"1", "2"},
                    alias=True,
                )
            )
    return sorted(found, key=lambda option: -len(option.text))


def _needs_isolation(key: str) -> bool:
    return key in _FUNCTION_WORDS or (len(key) == 1 and key.isalpha() and not _WIDE.match(key))


@lru_cache(maxsize=4096)
def _prepared(items: tuple[tuple[str, str], ...]) -> Choices:
    options = dict(items)
    by_name: dict[str, str] = {}
    for label in options:
        by_name.setdefault(label.lower(), label)
    texts = tuple(_option_texts(options))
    own = {label: _key(_reduced(text)) for label, text in options.items()}
    return Choices(
        labels=tuple(options),
        by_name=by_name,
        letters=all(len(label) == 1 and label.isascii() and label.isalpha() for label in options),
        texts=texts,
        own=own,
        whole={option.text: option for option in texts},
    )


def choices(options: Mapping[str, str]) -> Choices:
    """The prepared form of `options`, remembered for the last few thousand questions."""
    return _prepared(tuple(options.items()))


def key_of(text: str) -> str:
    """A reply reduced as option texts are, to compare the whole of it with them."""
    return _key(" ".join(text.split()))


def is_wide(char: str) -> bool:
    """Whether `char` belongs to a script that is written without blanks between words."""
    return bool(_WIDE.match(char))
