"""Cases from files."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest


@dataclass(frozen=True, slots=True)
class Case:
    """One reply with the label a careful person reads from it; None when there is none."""

    id: str
    group: str
    options: dict[str, str]
    output: str
    expected: str | None
    outcome: str | None = None
    contested: bool = False


def cases(name: str) -> list[Case]:
    path = Path(__file__).parents[2] / "data" / name
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [Case(**{key: value for key, value in row.items() if key != "why"}) for row in rows]


@pytest.fixture
def load_cases() -> Callable[[str], list[Case]]:
    return cases
