"""The options of one question, prepared for finding them in a reply."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from vlbench.scoring.readers.normalise import plain
from vlbench.scoring.readers.tokens import is_wide

_EDGES = " \t\n.,;:!?\"'"
_ARTICLE = re.compile(r"(?:a|an|the) (?=\w)")
_HYPHEN = re.compile(r"(?<=[^\W\d_])-(?=[^\W\d_])")
# Words that say too much else to count as an option's text in the middle of a sentence.
_FUNCTION_WORDS = frozenset({"yes", "no", "none", "nan", "true", "false", "both", "neither", "other", "all"})
_NUMBER_NAMES = (
    *("zero", "one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
)
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
    r"(?:the )?(?:(first|second|1st|2nd)(?: (?:image|picture|one|photo))?"
    r"|(?:image|picture|photo) (1|2|one|two))"
)


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


def _number_aliases(keys: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Numbers as words and words as numbers, as (alias, label)."""
    for label, text in keys.items():
        if text in _NUMBER_OF:
            yield _NUMBER_OF[text], label
        elif text.isdecimal() and len(text) <= 2 and int(text) < len(_NUMBER_NAMES):
            yield _NUMBER_NAMES[int(text)], label


_QUANTITY = re.compile(r"([$€£¥]?)([-+]?\d[\d.,]*)(?:( ?)(%|°?[^\W\d_][\w²³/]{0,14}|°))?")
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+")


def _quantity_aliases(keys: Mapping[str, str]) -> Iterator[tuple[str, str, bool]]:
    """Other ways to write numbers with a unit ("5cm", "5 percent", "1,000"), as (alias, label, is a bare number)."""
    for label, text in keys.items():
        match = _QUANTITY.fullmatch(text)
        if match is None:
            continue
        sign, number, blank, unit = match[1], match[2], match[3], match[4] or ""
        if sign and not unit:
            unit, blank = "dollars" if sign == "$" else "euros" if sign == "€" else "", " "
        spellings = [number]
        if _THOUSANDS.fullmatch(number):
            spellings.append(number.replace(",", ""))
        elif number.isdecimal() and len(number) > 3 and not unit.startswith(("a", "b")):
            spellings.append(f"{int(number):,}")
        for spelling in spellings:
            yield spelling, label, bool(sign or unit)
            if unit:
                yield f"{spelling}{' ' if not blank else ''}{unit}", label, False
            if unit == "%":
                yield from ((f"{spelling} {word}", label, False) for word in ("percent", "per cent"))


def _ordinal_aliases(keys: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Other names of the two pictures of a pair, as (alias, label)."""
    if len(keys) != 2:
        return
    places = dict[str, str]()
    for label, text in keys.items():
        match = _ORDINAL_TEXT.fullmatch(label.lower()) or _ORDINAL_TEXT.fullmatch(text)
        if match:
            is_first = (match[1] or match[2]) in {"first", "1st", "1", "one"}
            places["first" if is_first else "second"] = label
    if len(places) == 2:
        for place, label in places.items():
            yield from ((alias, label) for alias in _ORDINALS[place] if alias != label.lower())


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
    aliases = dict[str, list[str]]()
    for alias, label in (*_number_aliases(keys), *_ordinal_aliases(keys)):
        if alias not in twins:
            aliases.setdefault(alias, []).append(label)
    for alias, same in aliases.items():
        if len(same) == 1:
            isolated = _needs_isolation(alias) or alias in {"1", "2"}
            found.append(OptionText(alias, (same[0],), (alias,), isolated, alias=True))
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
