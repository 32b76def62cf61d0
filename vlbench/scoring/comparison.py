"""Two variants on the same samples: who is better, by how much, and whether chance would do as well."""

from __future__ import annotations

from dataclasses import dataclass

from vlbench.scoring.arm import Arm
from vlbench.scoring.facts import Facts, Path
from vlbench.scoring.intervals import RESAMPLES, Interval, mcnemar
from vlbench.scoring.pairs import Paired, pair


@dataclass(frozen=True, slots=True)
class Comparison:
    """First against second variant in one category; fractions, None without pairs.

    `difference` is first - second over the `pairs`. `p_value` is McNemar's, exact and two-sided. Its unit is
    the cluster (one sample where none share pictures or are repeated): `first_ahead` and `second_ahead` count
    those in which one has more right. It is not corrected for looking at many categories.
    """

    path: Path
    pairs: int
    first: float | None
    second: float | None
    difference: float | None
    interval: Interval | None
    first_ahead: int
    second_ahead: int
    p_value: float


def compare(facts: Facts, first: Arm, second: Arm, *, resamples: int = RESAMPLES) -> tuple[Comparison, ...]:
    """Both arms compared: the whole run first, then by category.

    Raises ValueError when an arm does not fit `facts`.
    """
    paired = pair(facts, first.grid(facts.size), second.grid(facts.size), resamples=resamples)
    return tuple(_comparison(path, sides) for path, sides in paired.items())


def _comparison(path: Path, paired: Paired) -> Comparison:
    first, second = paired.counts.first, paired.counts.second
    return Comparison(
        path=path,
        pairs=paired.counts.pairs,
        first=first,
        second=second,
        difference=None if first is None or second is None else first - second,
        interval=paired.difference,
        first_ahead=paired.first_ahead,
        second_ahead=paired.second_ahead,
        p_value=mcnemar(paired.first_ahead, paired.second_ahead),
    )
