"""Other ways to write an option's text: numbers and words, units, spellings, the places of a pair."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Alias:
    """`text` stands for the option `label`; an `isolated` one only as a clause of its own."""

    text: str
    label: str
    isolated: bool = False


_NUMBER_NAMES = (
    *("zero", "one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
)
_NUMBER_OF = {name: str(number) for number, name in enumerate(_NUMBER_NAMES)}
_PLACES = {
    "first": (
        *("first", "1", "1st", "image 1", "picture 1", "image one", "picture one", "image #1"),
        *("第一", "图1", "图一", "left"),
    ),
    "second": (
        *("second", "2", "2nd", "image 2", "picture 2", "image two", "picture two", "image #2"),
        *("第二", "图2", "图二", "right"),
    ),
}
_ORDINAL_TEXT = re.compile(
    r"(?:the )?(?:(first|second|1st|2nd)(?: (?:image|picture|one|photo))?"
    r"|(?:image|picture|photo) (1|2|one|two))"
)
_QUANTITY = re.compile(r"([€£¥]?)([-+]?\d[\d.,]*)(?:( ?)(%|°?[^\W\d_][\w²³/]{0,14}|°))?")
_GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+")
_SPELLINGS = (("color", "colour"), ("gray", "grey"), ("center", "centre"), ("meter", "metre"))


def _number_words(keys: Mapping[str, str]) -> Iterator[Alias]:
    """Numbers as words and words as numbers."""
    for label, text in keys.items():
        if text in _NUMBER_OF:
            yield Alias(_NUMBER_OF[text], label)
        elif text.isdecimal() and len(text) <= 2 and int(text) < len(_NUMBER_NAMES):
            yield Alias(_NUMBER_NAMES[int(text)], label)


def _quantities(keys: Mapping[str, str]) -> Iterator[Alias]:
    """Numbers with and without their unit, a blank before it, or commas: "5cm", "5 percent", "1,000"."""
    for label, text in keys.items():
        match = _QUANTITY.fullmatch(text)
        if match is None:
            continue
        number, blank, unit = match[2], match[3], match[4] or ""
        spellings = [number]
        if _GROUPED.fullmatch(number):
            spellings.append(number.replace(",", ""))
        elif number.isdecimal() and len(number) > 3 and number[0] != "0":
            spellings.append(f"{int(number):,}")
        if number[0] == "-":
            spellings.append(f"minus {number[1:]}")
        for spelling in spellings:
            if unit != "%":  # "50" for 50 % may be a share of one as well
                yield Alias(spelling, label, isolated=bool(match[1] or unit))
            if unit:
                yield Alias(spelling + unit if blank else f"{spelling} {unit}", label)
                yield Alias(match[0].replace(number, spelling), label)
            if unit == "%":
                yield Alias(f"{spelling} percent", label)
                yield Alias(f"{spelling} per cent", label)


def _wordings(keys: Mapping[str, str]) -> Iterator[Alias]:
    """British and American spelling; "St Paul" for "St. Paul"; "isn't open" for "not open"."""
    for label, text in keys.items():
        for american, british in _SPELLINGS:
            if british in text:
                yield Alias(text.replace(british, american), label)
            elif american in text:
                yield Alias(text.replace(american, british), label)
        if "." in text and any(char.isalpha() for char in text):
            yield Alias(text.replace(".", ""), label)
        if text.startswith("not "):
            yield from (Alias(f"{verb} {text[4:]}", label) for verb in ("isn't", "aren't"))


def _places(keys: Mapping[str, str]) -> Iterator[Alias]:
    """Other names of the two pictures of a pair."""
    if len(keys) != 2:
        return
    places = dict[str, str]()
    for label, text in keys.items():
        match = _ORDINAL_TEXT.fullmatch(label.lower()) or _ORDINAL_TEXT.fullmatch(text)
        if match:
            is_first = (match[1] or match[2]) in {"first", "1st", "1", "one"}
            places["first" if is_first else "second"] = label
    if len(places) < 2:
        return
    for place, label in places.items():
        for name in _PLACES[place]:
            if name != label.lower():
                yield Alias(name, label, isolated=name in {"1", "2"})


def aliases(keys: Mapping[str, str]) -> list[Alias]:
    """Every other way to write the options' texts (`keys`: label to lower-case text), each for one option."""
    found = dict[str, Alias]()
    shared = set(keys.values())
    for alias in (*_number_words(keys), *_quantities(keys), *_wordings(keys), *_places(keys)):
        known = found.setdefault(alias.text, alias)
        if known.label != alias.label:
            shared.add(alias.text)
    return [alias for alias in found.values() if alias.text not in shared]
