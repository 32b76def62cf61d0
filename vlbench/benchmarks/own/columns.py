"""Which column of a data file is what, by the names that are about, or as the user says."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from string import ascii_uppercase

from vlbench.errors import DatasetError

_ID = ("index", "id", "question_id")
_QUESTION = ("question",)
_ANSWER = ("answer", "gold", "ground_truth", "answer_option")
_OPTIONS = ("options", "choices")
# Where there are pictures, a column of paths holds only the names they once had.
_IMAGES = (("image", "images"), ("image_path", "image_paths"))
# MMBench and MMMU call the coarse level l2-category; MMStar and our own sets write the fine one so.
_LEVELS = ("l2-category", "categories", "category", "subcategory", "l2_category", "l3_category")
_CAPTIONS = ("caption", "text")
_NUMBERED = re.compile(r"(image|img|picture|caption|text)[_ -]?(\d{1,2})")


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of a data file by what they hold; "" or () where there is none.

    `letters` are columns named A, B, … that hold an option each, `options` one column with a list of them.
    `answer_number` counts options from 0. `images` are in the order the pictures are shown, `captions` those
    of a pair. `levels` go from coarse to fine.
    """

    id: str = ""
    question: str = ""
    hint: str = ""
    letters: tuple[str, ...] = ()
    options: str = ""
    answer: str = ""
    answer_number: str = ""
    images: tuple[str, ...] = ()
    captions: tuple[str, ...] = ()
    levels: tuple[str, ...] = ()
    group: str = ""
    source: str = ""


def found_columns(names: Sequence[str], said: Mapping[str, str | tuple[str, ...]]) -> Columns:
    """What each of a file's columns is. `said` maps fields of `Columns` to names the user gave.

    Raises `DatasetError` for a column that the user names and the file lacks, and for a name that stands
    twice.
    """
    for field, given in said.items():
        for name in (given,) if isinstance(given, str) else given:
            if name not in names:
                raise DatasetError(
                    f"There is no column {name!r} for {field}. Columns found: {', '.join(names)}."
                )
    known = {_plain(name): name for name in reversed(names)}

    def first(candidates: Sequence[str]) -> str:
        return next((known[name] for name in candidates if name in known), "")

    letters = tuple(letter for letter in ascii_uppercase if letter in names)
    found = Columns(
        id=first(_ID),
        question=first(_QUESTION),
        hint=first(("hint",)),
        letters=letters if len(letters) >= 2 else (),
        options=first(_OPTIONS),
        answer=first(_ANSWER),
        answer_number=first(("answer_index", "answer_number")),
        images=_images(names, known),
        captions=_numbered(names, _CAPTIONS),
        levels=tuple(known[name] for name in _LEVELS if name in known),
        group=first(("group",)),
        source=first(("source", "bench")),
    )
    columns = Columns(**{name: getattr(found, name) for name in Columns.__slots__} | dict(said))
    for name in dict.fromkeys(names):
        if names.count(name) > 1 and name in _used(columns):
            raise DatasetError(
                f"There are {names.count(name)} columns {name!r}, and which one is meant cannot be told. "
                "Rename all but one."
            )
    return columns


def _used(columns: Columns) -> set[str]:
    """The names of all columns that are read."""
    fields = (getattr(columns, field) for field in Columns.__slots__)
    return {name for field in fields for name in ((field,) if isinstance(field, str) else field) if name}


def _plain(name: str) -> str:
    """A column's name as it is looked for; the letters of options stay apart from it."""
    return name if len(name) == 1 else name.strip().casefold().replace(" ", "_")


def _images(names: Sequence[str], known: Mapping[str, str]) -> tuple[str, ...]:
    """The picture columns: numbered ones in their order, else those with the usual names."""
    if numbered := _numbered(names, ("image", "img", "picture")):
        return numbered
    usual = (tuple(known[name] for name in group if name in known) for group in _IMAGES)
    return next((found for found in usual if found), ())


def _numbered(names: Sequence[str], stems: Sequence[str]) -> tuple[str, ...]:
    found = [
        (int(match[2]), name)
        for name in names
        if (match := _NUMBERED.fullmatch(_plain(name))) and match[1] in stems
    ]
    return tuple(name for _, name in sorted(found))
