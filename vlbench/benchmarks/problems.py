"""Broken rows, and how they are told."""

from __future__ import annotations

from collections.abc import Sequence

from vlbench.errors import DatasetError
from vlbench.types import Record

_MOST_LISTED = 20


class Problem(Record):
    """A row that cannot be used: the sample's id and the reason, which reads on from "row 12: "."""

    id: str
    reason: str


def listed(problems: Sequence[Problem], data: str) -> DatasetError:
    """The error that stops a run before anything is paid; `data` names the file or benchmark."""
    rows = [f"row {problem.id}: {problem.reason}" for problem in problems[:_MOST_LISTED]]
    if len(problems) > _MOST_LISTED:
        rows.append(f"and {len(problems) - _MOST_LISTED} more")
    one = len(problems) == 1
    return DatasetError(
        f"{data} has {len(problems)} broken row{'' if one else 's'} ({'; '.join(rows)}). Repair the file, or "
        f"run with --skip-bad to count {'it' if one else 'them'} as unusable and ask the others."
    )
