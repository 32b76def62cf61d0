"""Errors on questions about the difference of two pictures: changes that were missed, and competing ones.

VDiff-Bench (arXiv 2609.06245): a wrong answer is a missed change when it is the no-difference option, and a
competing change when it is one of the false differences. A reply without an answer is neither.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from vlbench.scoring.arm import Arm
from vlbench.scoring.codes import Code
from vlbench.scoring.facts import Level, Path
from vlbench.scoring.intervals import Clusters, Interval, effective_sizes, wilson
from vlbench.scoring.metrics import Ground

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SEMANTIC: Final = "semantic"
TEXTUAL: Final = "textual"
LOW_LEVEL: Final = "low-level"

TEXT_CATEGORY: Final = "OCR/text"
"""The one category that the three-way split sets apart from the semantic ones."""


@dataclass(frozen=True, slots=True)
class ErrorCounts:
    """What became of the questions of one category; with repeats each one counts, pending ones do not.

    `nothing` counts answers that there is no difference, `missed` those of them that are wrong (all, where
    that option is never the gold); `silent` has no answer (unparsed, refused, …, failed). The intervals are
    of `missed` among the wrong answers and among all questions, None where there are none of these.
    """

    total: int
    right: int
    missed: int
    competing: int
    silent: int
    nothing: int
    missed_of_wrong: Interval | None = None
    missed_of_all: Interval | None = None

    @property
    def wrong(self) -> int:
        """Answers that were read and are wrong."""
        return self.missed + self.competing


def error_counts(ground: Ground, arm: Arm, level: Level) -> dict[Path, ErrorCounts]:
    """The errors of one arm by the categories of one level."""
    import numpy as np

    codes, chosen = arm.grid(ground.size), arm.chosen_grid(ground.size).astype(np.int64)
    says_nothing = (chosen == ground.numbers(ground.null_labels)) & (chosen > 0)
    wrong, right = codes == Code.WRONG, codes == Code.RIGHT
    total = codes != Code.PENDING
    answered = wrong | right

    def sums(which: NDArray[np.bool_]) -> list[int]:
        counted = np.bincount(level.index, which.sum(axis=0), len(level.paths) + 1)
        return [round(value) for value in counted[:-1].tolist()]

    clustered = len(codes) > 1 or len(set(ground.groups)) < ground.size
    missed = wrong & says_nothing
    found = zip(
        level.paths,
        sums(total),
        sums(right),
        sums(missed),
        sums(wrong & ~says_nothing),
        sums(total & ~answered),
        sums(answered & says_nothing),
        _intervals(level, missed, wrong, clustered),
        _intervals(level, missed, total, clustered),
        strict=True,
    )
    return {path: ErrorCounts(*counts) for path, *counts in found}


def _intervals(
    level: Level, hits: NDArray[np.bool_], among: NDArray[np.bool_], clustered: bool
) -> list[Interval | None]:
    """The interval of the share of `hits` (repeats, samples) among others, for every category of a level."""
    import numpy as np

    width = len(level.paths)
    counts, sizes = (
        np.bincount(level.index, one.sum(axis=0), width + 1)[:width].astype(np.int64) for one in (hits, among)
    )
    effective = sizes.astype(np.float64)
    if clustered:
        effective = effective_sizes(Clusters.of(level, hits.sum(axis=0), among.sum(axis=0), counts))
    return [
        wilson(count / size, worth, clustered=clustered) if size else None
        for count, size, worth in zip(counts.tolist(), sizes.tolist(), effective.tolist(), strict=True)
    ]


def three_way(path: Path) -> Path:
    """A category path of VDiff-Bench (group, category) with text set apart from the semantic group."""
    if path[:1] == (SEMANTIC,) and path[1:] == (TEXT_CATEGORY,):
        return (TEXTUAL, *path[1:])
    return path


@dataclass(frozen=True, slots=True)
class PairScore:
    """Of `size` groups of questions about the same pictures, those that are right in every question."""

    size: int
    right: int
    questions: int


def pair_score(ground: Ground, arm: Arm) -> PairScore:
    """Groups all of whose questions are right; with repeats each one counts, groups in progress do not."""
    import numpy as np

    number: dict[str, int] = {}
    index = np.array([number.setdefault(group, len(number)) for group in ground.groups], dtype=np.int64)
    size = right = 0
    for codes in arm.grid(ground.size):
        pending = np.bincount(index, codes == Code.PENDING, len(number)) > 0
        failed = np.bincount(index, codes != Code.RIGHT, len(number)) > 0
        size += int((~pending).sum())
        right += int((~pending & ~failed).sum())
    return PairScore(size, right, ground.size)
