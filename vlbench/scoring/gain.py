"""What the picture adds, and what is answered without it: MG, ML and ML*.

All of them rest on pairs of the same sample (see `vlbench.scoring.pairs`), so that a sample which failed on
one side moves neither score. MG and ML* are defined in L. Chen et al., "Are We on the Right Way for
Evaluating Large Vision-Language Models?" (NeurIPS 2024, arXiv 2403.20330); ML is the plain accuracy without
pictures.
"""

from __future__ import annotations

from dataclasses import dataclass

from vlbench.scoring.arm import Arm
from vlbench.scoring.codes import Code
from vlbench.scoring.facts import Facts, Path
from vlbench.scoring.intervals import Interval
from vlbench.scoring.pairs import Paired, pair
from vlbench.types import Condition

REFUSAL_LIMIT = 0.02
"""The share of refusals without pictures above which MG is misleading."""


def gain_of(with_image: float, without_image: float) -> float:
    """MG, the multi-modal gain: accuracy with the picture minus accuracy without it. May be negative."""
    return with_image - without_image


def leakage_of(without_image: float, base: float | None) -> float | None:
    """ML*, the multi-modal leakage: what is right without the picture beyond the LLM base, never below 0.

    None when there is no base; a base of 0.0 is one.
    """
    return None if base is None else max(0.0, without_image - base)


@dataclass(frozen=True, slots=True)
class Leakage:
    """ML* with its parts, on the `pairs` of the variant without pictures and the LLM base.

    `value` is max(0, without_image - base); its `interval` is cut off at 0 too. A pair counts whatever became
    of the side with the picture, for it is not in the formula; without failures `without_image` equals ML.
    """

    value: float
    without_image: float
    base: float
    interval: Interval
    pairs: int
    provisional: bool


@dataclass(frozen=True, slots=True)
class Gain:
    """MG and ML on the same `pairs` of `possible` ones; fractions, None without pairs.

    `mg` is with_image - without_image; `ml` is without_image, the accuracy without the picture.
    `leakage` (ML*) is None without a base. `provisional` while a sample of either side is pending.
    """

    pairs: int
    possible: int
    with_image: float | None
    without_image: float | None
    mg: float | None
    mg_interval: Interval | None
    ml: float | None
    ml_interval: Interval | None
    leakage: Leakage | None
    provisional: bool


@dataclass(frozen=True, slots=True)
class CategoryGain:
    """The gain of one category."""

    path: Path
    gain: Gain


@dataclass(frozen=True, slots=True)
class GainRow:
    """The gains of one variant over one no-image condition (`without`); two such conditions are never mixed.

    `base` names the LLM base's variant and `base_condition` what it was shown; None without one.
    """

    variant: str
    with_image: Condition
    without: Condition
    base: str | None
    base_condition: Condition | None
    overall: Gain
    categories: tuple[CategoryGain, ...]


def gain_row(facts: Facts, seen: Arm, unseen: Arm, base: Arm | None = None, *, resamples: int = 0) -> GainRow:
    """The gains of one variant, from its arms with (`seen`) and without (`unseen`) pictures and the base's.

    `resamples` > 0 bootstraps the intervals of MG and ML*; 0 takes the closed form, which is fast enough to
    repeat while a run goes on. Raises ValueError when an arm does not fit `facts`.
    """
    without = unseen.grid(facts.size)
    seen_grid = seen.grid(facts.size)
    pairs = pair(facts, seen_grid, without, resamples=resamples)
    is_live = bool((seen_grid == Code.PENDING).any() or (without == Code.PENDING).any())
    leaks: dict[Path, Leakage | None] = {}
    if base is not None:
        base_grid = base.grid(facts.size)
        base_is_live = bool((base_grid == Code.PENDING).any() or (without == Code.PENDING).any())
        against = pair(facts, without, base_grid, resamples=resamples)
        leaks = {path: _leakage(paired, base_is_live) for path, paired in against.items()}
    gains = {path: _gain(paired, leaks.get(path), is_live) for path, paired in pairs.items()}
    overall = gains.pop(())
    return GainRow(
        variant=seen.variant,
        with_image=seen.condition,
        without=unseen.condition,
        base=base.variant if base else None,
        base_condition=base.condition if base else None,
        overall=overall,
        categories=tuple(CategoryGain(path, gain) for path, gain in gains.items()),
    )


def refusal_warning(variant: str, condition: Condition, refused: int, total: int) -> str | None:
    """What a reader of MG must know when over 2 % of `total` replies without pictures are refusals."""
    if total == 0 or refused / total <= REFUSAL_LIMIT:
        return None
    found = (
        f"{variant}: {refused:,} of {total:,} replies under {condition.id} are refusals "
        f"({refused / total:.1%}). They count as not right, so ML is too low and MG too high."
    )
    if condition.shots:
        return f"{found} The two examples did not prevent them: read MG as an upper bound."
    return f"{found} Run again with --shots 2: two examples before each question teach the model to guess."


def _gain(paired: Paired, leakage: Leakage | None, is_live: bool) -> Gain:
    first, second = paired.counts.first, paired.counts.second
    return Gain(
        pairs=paired.counts.pairs,
        possible=paired.counts.pairs + paired.counts.missing,
        with_image=first,
        without_image=second,
        mg=None if first is None or second is None else gain_of(first, second),
        mg_interval=paired.difference,
        ml=second,
        ml_interval=paired.second,
        leakage=leakage,
        provisional=is_live,
    )


def _leakage(paired: Paired, is_live: bool) -> Leakage | None:
    without, base = paired.counts.first, paired.counts.second
    value = None if without is None else leakage_of(without, base)
    if without is None or base is None or value is None or paired.difference is None:
        return None
    return Leakage(value, without, base, paired.difference.clipped(0.0, 1.0), paired.counts.pairs, is_live)
