"""Answers to quads in one row a sample: VisMin's own prediction files, and files of similarities."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import isfinite
from pathlib import Path
from typing import Final

from vlbench.engine.importing.prediction import Prediction
from vlbench.engine.importing.spreadsheet import Cells, opened_sheet
from vlbench.errors import DatasetError
from vlbench.scoring.quads import ROLES
from vlbench.types import Sample

ANSWERS: Final = ("Text_Q0", "Text_Q1", "Image_Q0", "Image_Q1")
"""Columns of VisMin's prediction files, in the order of the roles they answer."""

SIMILARITIES: Final = ("text_0_image_0", "text_1_image_0", "text_0_image_1", "text_1_image_1")
"""Columns of a file of similarities: of each caption with each picture, higher being more alike."""

_OPTIONS: Final = {
    "text": {"A": "the first caption", "B": "the second caption"},
    "image": {"First": "the first image", "Second": "the second image"},
}
_GOLDS: Final = dict(zip(ROLES, ("A", "B", "First", "Second"), strict=True))

Answers = dict[str, str]


def read_answers(path: Path) -> Iterator[Prediction]:
    """The replies in VisMin's form: id, category and a text for each of the four questions.

    Raises DatasetError when a column is missing.
    """
    return _predictions(path, ANSWERS, "VisMin prediction", _said)


def read_similarities(path: Path) -> Iterator[Prediction]:
    """What similarities answer: id, category and the four numbers. The strictly larger one wins.

    Equal ones are no answer. Raises DatasetError when a column is missing, or a cell is no number.
    """
    return _predictions(path, SIMILARITIES, "similarity", _compared)


def _predictions(
    path: Path, columns: tuple[str, ...], what: str, answers: Callable[[Path, int, Cells], Answers]
) -> Iterator[Prediction]:
    with opened_sheet(path) as sheet:
        missing = [name for name in ("id", *columns) if name not in sheet.columns]
        if missing:
            raise DatasetError(
                f"{path} is no {what} file: it lacks the column{'s' * (len(missing) > 1)} "
                f"{', '.join(missing)}. Columns found: {', '.join(sheet.columns) or 'none'}."
            )
        for number, cells in sheet.rows:
            for role, text in answers(path, number, cells).items():
                yield Prediction(f"row {number}", _sample(role, cells, number), text)


def _said(path: Path, number: int, cells: Cells) -> Answers:
    return {role: cells.get(column, "") for role, column in zip(ROLES, ANSWERS, strict=True)}


def _compared(path: Path, number: int, cells: Cells) -> Answers:
    s00, s10, s01, s11 = (_number(path, number, cells, column) for column in SIMILARITIES)
    return {
        "text_0": _larger(s00, s10, "AB"),
        "text_1": _larger(s01, s11, "AB"),
        "image_0": _larger(s00, s01, ("First", "Second")),
        "image_1": _larger(s10, s11, ("First", "Second")),
    }


def _number(path: Path, number: int, cells: Cells, column: str) -> float:
    text = cells.get(column, "")
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not isfinite(value):
        raise DatasetError(f"{path}, row {number}: {column} is {text[:40]!r}, not a number. Correct the row.")
    return value


def _larger(first: float, second: float, labels: str | tuple[str, str]) -> str:
    """The label of the larger one; no answer for a tie."""
    return "" if first == second else labels[second > first]


def _sample(role: str, cells: Cells, number: int) -> Sample:
    """The question of one role, named as the benchmark's own file names it."""
    name, category = cells.get("id", f"row-{number}").strip(), cells.get("category", "").strip()
    group = f"{category}-{name}" if category else name
    task = role.partition("_")[0]
    return Sample(
        id=f"{group}-{role}",
        question="",
        options=_OPTIONS[task],
        gold=_GOLDS[role],
        categories=(category, task) if category else (task,),
        group=group,
        role=role,
    )
