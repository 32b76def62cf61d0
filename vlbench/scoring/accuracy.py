"""How many samples are right, what became of the others, and how sure that is.

The headline is right / all: a reply that was refused, cut off, unreadable or never came is not right.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING

from vlbench.scoring.arm import Arm
from vlbench.scoring.codes import Code
from vlbench.scoring.facts import Facts, Level, Path
from vlbench.scoring.intervals import Clusters, Interval, effective_sizes, wilson
from vlbench.types import Condition

if TYPE_CHECKING:
    from vlbench.scoring.arm import CodeGrid


@dataclass(frozen=True, slots=True)
class Counts:
    """How often each thing became of a sample; with repeats each one counts. In the order of `Code`."""

    pending: int = 0
    right: int = 0
    wrong: int = 0
    unparsed: int = 0
    refused: int = 0
    blocked: int = 0
    truncated: int = 0
    failed: int = 0
    unusable: int = 0


@dataclass(frozen=True, slots=True)
class Accuracy:
    """One accuracy with its denominators. Fractions 0..1, None where there is nothing to divide by.

    `value` is right / total, the headline. `total` counts all samples except those still pending: while any
    is (`provisional`), the seeded shuffle makes the value an estimate of the final one. `of_answered` is
    right / answered, `coverage` answered / total. `partial` says that samples failed or were unusable.
    `cut` counts answers committed before the reply was cut off. `interval` belongs to `value`.
    """

    value: float | None
    right: int
    total: int
    answered: int
    of_answered: float | None
    coverage: float | None
    counts: Counts
    cut: int
    interval: Interval | None
    provisional: bool
    partial: bool


@dataclass(frozen=True, slots=True)
class CategoryAccuracy:
    """The accuracy of one category; `mean_of_parts` is the unweighted mean over the categories inside it."""

    path: Path
    accuracy: Accuracy
    mean_of_parts: float | None


@dataclass(frozen=True, slots=True)
class Averages:
    """Three averages that are all called "average" somewhere; they differ, so each has its name.

    `sample_mean` is the headline (MMStar's official average). `coarse_mean` is the unweighted mean over the
    coarse categories: the same number only when these are equally large and complete. `fine_mean` is the one
    over the finest categories (lmms-eval's average of MMStar). None where there is no such level or no data.
    """

    sample_mean: float | None
    coarse_mean: float | None
    fine_mean: float | None


@dataclass(frozen=True, slots=True)
class AccuracyRow:
    """One variant under one condition: overall, by category (coarse before fine, then by name), averages."""

    variant: str
    condition: Condition
    repeats: int
    overall: Accuracy
    categories: tuple[CategoryAccuracy, ...]
    averages: Averages


def accuracy_row(facts: Facts, arm: Arm) -> AccuracyRow:
    """The accuracies of one arm.

    Repeats are averaged: right and total count every repeat. Raises ValueError when the arm does not fit
    `facts`.
    """
    grid, cut = arm.grid(facts.size), arm.cut_grid(facts.size)
    levels = [_level_accuracies(level, grid, cut, facts.shares_pictures) for level in facts.levels]
    overall = levels[0][()]
    values: dict[Path, list[float]] = {}
    for level in levels[1:]:
        for path, accuracy in level.items():
            if accuracy.value is not None:
                values.setdefault(path[:-1], []).append(accuracy.value)
    categories = tuple(
        CategoryAccuracy(path, accuracy, _mean(values.get(path, ())))
        for level in levels[1:]
        for path, accuracy in level.items()
    )
    means = [_mean(accuracy.value for accuracy in level.values()) for level in levels]
    averages = Averages(
        sample_mean=overall.value,
        coarse_mean=means[1] if len(means) > 1 else None,
        fine_mean=means[-1] if len(means) > 2 else None,
    )
    return AccuracyRow(arm.variant, arm.condition, len(arm.repeats), overall, categories, averages)


def accuracy_of(counts: Counts, *, cut: int = 0, effective_size: float | None = None) -> Accuracy:
    """The accuracy that follows from counts.

    `effective_size` is the number of independent samples they are worth, where that is not their total.
    """
    answered = counts.right + counts.wrong
    lost = counts.failed + counts.unusable
    total = answered + counts.unparsed + counts.refused + counts.blocked + counts.truncated + lost
    value = counts.right / total if total else None
    interval = None
    if value is not None:
        is_clustered = effective_size is not None
        interval = wilson(value, total if effective_size is None else effective_size, clustered=is_clustered)
    return Accuracy(
        value=value,
        right=counts.right,
        total=total,
        answered=answered,
        of_answered=counts.right / answered if answered else None,
        coverage=answered / total if total else None,
        counts=counts,
        cut=cut,
        interval=interval,
        provisional=counts.pending > 0,
        partial=lost > 0,
    )


def _level_accuracies(
    level: Level, grid: CodeGrid, cut: CodeGrid, shares_pictures: bool
) -> dict[Path, Accuracy]:
    import numpy as np

    kinds, width = len(level.paths), len(Code)
    table = np.bincount((level.index * width + grid).ravel(), minlength=(kinds + 1) * width)
    counts = [Counts(*row) for row in table.reshape(-1, width)[:kinds].tolist()]
    marked = np.bincount(level.index[np.nonzero(cut)[1]], minlength=kinds + 1)[:kinds].tolist()
    effective: list[float] | list[None] = [None] * kinds
    if shares_pictures or len(grid) > 1:
        right, done = (grid == Code.RIGHT).sum(axis=0), (grid != Code.PENDING).sum(axis=0)
        squares = np.array([count.right for count in counts])
        effective = effective_sizes(Clusters.of(level, right, done, squares)).tolist()
    return {
        path: accuracy_of(count, cut=marks, effective_size=size)
        for path, count, marks, size in zip(level.paths, counts, marked, effective, strict=True)
    }


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None
