"""Runs made of letters, so that a test shows its data: R right, W wrong, and so on."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from vlbench.scoring.arm import Arm
from vlbench.scoring.codes import Code
from vlbench.scoring.facts import Facts, Path
from vlbench.types import Condition, Show

LETTERS = {
    ".": Code.PENDING,
    "R": Code.RIGHT,
    "W": Code.WRONG,
    "U": Code.UNPARSED,
    "X": Code.REFUSED,
    "B": Code.BLOCKED,
    "T": Code.TRUNCATED,
    "F": Code.FAILED,
    "0": Code.UNUSABLE,
}

MakeArm = Callable[..., Arm]
MakeFacts = Callable[..., Facts]


@pytest.fixture
def arm() -> MakeArm:
    def make(*repeats: str, variant: str = "v", show: Show = "image", shots: int = 0, cut: str = "") -> Arm:
        return Arm(
            variant,
            Condition(show=show, shots=2 if shots else 0),
            tuple(bytes(LETTERS[letter] for letter in repeat) for repeat in repeats),
            (bytes(letter == "c" for letter in cut),) if cut else (),
        )

    return make


@pytest.fixture
def facts() -> MakeFacts:
    def make(
        categories: Sequence[Path] | int,
        groups: Sequence[str] | None = None,
        golds: str = "",
        options: int = 4,
    ) -> Facts:
        paths: Sequence[Path] = [()] * categories if isinstance(categories, int) else categories
        size = len(paths)
        return Facts.of(
            categories=paths,
            groups=groups or [str(at) for at in range(size)],
            golds=golds or "A" * size,
            options=[options] * size,
        )

    return make
