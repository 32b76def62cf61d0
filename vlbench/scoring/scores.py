"""Everything a view shows about a run's scores, so that views need no arithmetic of their own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from vlbench.scoring.accuracy import AccuracyRow, accuracy_row
from vlbench.scoring.arm import Arm
from vlbench.scoring.baselines import Baselines, baselines_of
from vlbench.scoring.facts import Facts, Path
from vlbench.scoring.gain import GainRow, gain_row, refusal_warning
from vlbench.types import Condition


@dataclass(frozen=True, slots=True)
class ScoreWarning:
    """What a reader must know before using a number of one row, as a sentence or two."""

    kind: Literal["refusals", "partial"]
    variant: str
    condition: Condition
    text: str


@dataclass(frozen=True, slots=True)
class Scores:
    """The scores of a run; all proportions are fractions 0..1.

    `categories` are the paths of all categories, coarse before fine, in the order of every row's own.
    `rows` has one accuracy row per arm, in the order given; `gains` one per variant and no-image condition
    where the variant was also shown the pictures.
    """

    categories: tuple[Path, ...]
    rows: tuple[AccuracyRow, ...]
    gains: tuple[GainRow, ...]
    baselines: Baselines
    warnings: tuple[ScoreWarning, ...]

    @property
    def provisional(self) -> bool:
        """Whether any sample of any arm is still pending."""
        return any(row.overall.provisional for row in self.rows)

    @property
    def partial(self) -> bool:
        """Whether any sample of any arm failed or was unusable."""
        return any(row.overall.partial for row in self.rows)


def score(facts: Facts, arms: Sequence[Arm], *, base: str | None = None, resamples: int = 0) -> Scores:
    """The scores of all arms of a run.

    `base` is the variant that serves as the others' LLM base. Its 2-shot text arm is taken if there is one,
    as in the paper, else its 0-shot one. `resamples` > 0 bootstraps the intervals of MG and ML* (for a
    finished run); 0 takes closed forms, which a live view can afford twice a second. Raises ValueError when
    two arms are of the same variant and condition, or an arm does not fit `facts`.
    """
    by_name = {(arm.variant, arm.condition): arm for arm in arms}
    if len(by_name) < len(arms):
        raise ValueError("two arms are of the same variant and condition")
    rows = tuple(accuracy_row(facts, arm) for arm in arms)
    base_arm = _base_arm(arms, base)
    gains = tuple(
        gain_row(facts, seen, arm, base_arm, resamples=resamples)
        for arm in arms
        if arm.variant != base
        and not arm.condition.has_image
        and (seen := _seen_arm(arms, arm.variant)) is not None
    )
    return Scores(
        categories=tuple(path for level in facts.levels[1:] for path in level.paths),
        rows=rows,
        gains=gains,
        baselines=baselines_of(facts),
        warnings=tuple(_warnings(rows)),
    )


def _seen_arm(arms: Sequence[Arm], variant: str) -> Arm | None:
    seen = [arm for arm in arms if arm.variant == variant and arm.condition.show == "image"]
    return min(seen, key=lambda arm: arm.condition.shots, default=None)


def _base_arm(arms: Sequence[Arm], base: str | None) -> Arm | None:
    texts = [arm for arm in arms if arm.variant == base and arm.condition.show == "text"]
    return max(texts, key=lambda arm: arm.condition.shots, default=None)


def _warnings(rows: Iterable[AccuracyRow]) -> Iterable[ScoreWarning]:
    for row in rows:
        counts, total = row.overall.counts, row.overall.total
        if row.overall.partial:
            text = (
                f"{row.variant}: under {row.condition.id} {counts.failed:,} of {total:,} requests failed and "
                f"{counts.unusable:,} samples are unusable. They count as not right in the accuracy and are "
                "left out of MG and ML."
            )
            if counts.failed:
                text += " Run the same command again to ask only for those that failed."
            yield ScoreWarning("partial", row.variant, row.condition, text)
        if not row.condition.has_image:
            refusals = refusal_warning(row.variant, row.condition, counts.refused, total)
            if refusals:
                yield ScoreWarning("refusals", row.variant, row.condition, refusals)
