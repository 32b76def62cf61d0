"""One change from a picture to another, with a true statement about it and two false ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from vlbench.benchmarks.drawn.diff_treat import Shot

NOTHING: Final = "There is no difference between the two images."
"""The fixed option, which every question has and which is never right."""


@dataclass(frozen=True, slots=True)
class Change:
    """Two pictures that differ in one thing. Statements tell the way from `before` to `after`."""

    before: Shot
    after: Shot
    right: str
    wrong: tuple[str, str]

    def __post_init__(self) -> None:
        if len({self.right, *self.wrong, NOTHING}) != 4:
            raise ValueError(f"needs four different options: {self.right!r}, {self.wrong!r}")
        if self.before == self.after:
            raise ValueError(f"the pictures do not differ: {self.right!r}")
