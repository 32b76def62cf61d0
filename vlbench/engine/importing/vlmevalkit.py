"""Prediction files of VLMEvalKit, and of MMStar's authors, who use the same form: .xlsx, TSV or CSV."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from vlbench.benchmarks.embedded_options import read_options
from vlbench.engine.importing.prediction import Prediction, problem_of
from vlbench.engine.importing.spreadsheet import Cells, opened_sheet
from vlbench.errors import DatasetError
from vlbench.types import Sample

LABELS: Final = "ABCDEFGHIJ"
REQUIRED: Final = ("index", "prediction")
# The second level is spelled both ways in its data files.
_CATEGORIES: Final = (("category",), ("l2_category", "l2-category"))


def read_predictions(path: Path) -> Iterator[Prediction]:
    """The predictions in the order of the file. Raises DatasetError when a column is missing."""
    with opened_sheet(path) as sheet:
        missing = [name for name in REQUIRED if name not in sheet.columns]
        if missing:
            raise DatasetError(
                f"{path} is no VLMEvalKit prediction file: it lacks the column{'s' * (len(missing) > 1)} "
                f"{', '.join(missing)}. Columns found: {', '.join(sheet.columns) or 'none'}. Check that it "
                "is the file with the model's answers, not the benchmark's own data."
            )
        for number, cells in sheet.rows:
            yield _prediction(number, cells)


def _prediction(number: int, cells: Cells) -> Prediction:
    question, gold = cells.get("question", ""), cells.get("answer", "").strip()
    in_columns = {label: cells[label] for label in LABELS if label in cells}
    options = in_columns or read_options(question)
    path = [next((cells[name] for name in names if name in cells), "") for names in _CATEGORIES]
    sample = Sample(
        id=cells.get("index", f"row-{number}").strip(),
        question=question,
        options=options,
        gold=gold,
        options_in_question=not in_columns,
        categories=tuple(name for name in path if name),
        source=cells.get("bench", ""),
        problem=problem_of(question, options, gold),
    )
    return Prediction(f"row {number}", sample, cells.get("prediction", ""))
