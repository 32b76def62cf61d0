"""Whether a model prefers certain labels, whatever stands behind them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import erfc, exp, lgamma, log, sqrt

from vlbench.scoring.arm import Arm
from vlbench.scoring.codes import Code
from vlbench.scoring.metrics import Ground


@dataclass(frozen=True, slots=True)
class LabelUse:
    """How often each of `labels` is the gold and how often it was chosen, on the answered samples.

    `p_value` is of the test that both have the same distribution; None where it cannot be made.
    """

    labels: tuple[str, ...]
    golds: tuple[int, ...]
    chosen: tuple[int, ...]
    p_value: float | None


def label_use(ground: Ground, arm: Arm, labels: Sequence[str]) -> LabelUse:
    """The labels an arm chose beside the golds of the same samples; repeats each count."""
    import numpy as np

    chosen_grid = arm.chosen_grid(ground.size).astype(np.int64)
    codes = arm.grid(ground.size)
    place = {label: at for at, label in enumerate(labels)}
    golds = np.array([place.get(gold, -1) for gold in ground.golds], dtype=np.int64)
    numbers = np.array([place.get(label, -1) for label in ground.labels], dtype=np.int64)
    picked = numbers[chosen_grid]
    counts = ((codes == Code.RIGHT) | (codes == Code.WRONG)) & (golds >= 0) & (picked >= 0)
    pairs = (golds * len(labels) + picked)[counts]
    table = np.bincount(pairs, minlength=len(labels) ** 2).reshape(len(labels), len(labels))
    return LabelUse(
        tuple(labels),
        tuple(table.sum(axis=1).tolist()),
        tuple(table.sum(axis=0).tolist()),
        marginal_homogeneity(table.tolist()),
    )


def marginal_homogeneity(table: Sequence[Sequence[int]]) -> float | None:
    """p-value of the test that rows and columns of a square table have the same distribution.

    The rows are golds, the columns choices. A reader of contents alone errs towards every label as often as
    it errs away from it when the options were shuffled; one that prefers a label does not. The test of
    A. Stuart (1955), Biometrika 42, 412-416, and A. E. Maxwell (1970), British Journal of Psychiatry 116,
    651-655. None when nothing lies off the diagonal.
    """
    import numpy as np

    counts = np.array(table, dtype=np.float64)
    used = (counts.sum(axis=0) + counts.sum(axis=1)) > 0
    counts = counts[used][:, used]
    differences = counts.sum(axis=1) - counts.sum(axis=0)
    errors = counts - np.diag(np.diag(counts))
    covariance = np.diag(errors.sum(axis=0) + errors.sum(axis=1)) - errors - errors.T
    degrees = int(np.linalg.matrix_rank(covariance)) if errors.any() else 0
    if degrees == 0:
        return None
    statistic = float(differences @ np.linalg.pinv(covariance) @ differences)
    return chi_square_tail(statistic, degrees)


def chi_square_tail(statistic: float, degrees: int) -> float:
    """The chance that a chi-square value of `degrees` degrees of freedom exceeds `statistic`.

    The finite sums for whole degrees: M. Abramowitz, I. Stegun, Handbook of Mathematical Functions, 26.4.4-5.
    """
    if statistic <= 0:
        return 1.0
    half = statistic / 2
    start = 0.5 if degrees % 2 else 0.0
    tail = erfc(sqrt(half)) if degrees % 2 else 0.0
    power = start
    while power < degrees / 2:
        tail += exp(power * log(half) - half - lgamma(power + 1))
        power += 1
    return min(1.0, tail)
