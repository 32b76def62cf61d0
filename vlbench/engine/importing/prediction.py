"""One line of another tool's prediction file, in the words of vlbench."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from vlbench.types import Sample

# What these tools write where the model's answer should stand when the request failed. Only a text that
# begins like this counts: a model may well quote it.
_FAILURES: Final = ("Failed to obtain answer", "[LMMS_EVAL_REQUEST_FAILED", "[LMMS_EVAL_BUDGET_EXCEEDED")


@dataclass(frozen=True, slots=True)
class Prediction:
    """What a model answered to one sample. `place` names the line for error messages.

    `sample` holds what the file itself says of the question; it may lack its options, categories and gold.
    """

    place: str
    sample: Sample
    text: str

    @property
    def is_failure(self) -> bool:
        """Whether the tool wrote its own note of a failed request instead of an answer."""
        return self.text.lstrip().startswith(_FAILURES)


PredictionReader = Callable[[Path], Iterator[Prediction]]


def problem_of(question: str, options: dict[str, str], gold: str) -> str | None:
    """Why a prediction's question cannot be scored; None when it can."""
    if not gold:
        return "its answer is empty"
    if len(options) < 2:
        return "no options were found in its question or columns" if question else "it has no question"
    if gold not in options:
        return f"its answer is {gold[:20]!r}, but its options are {', '.join(options)}"
    return None
