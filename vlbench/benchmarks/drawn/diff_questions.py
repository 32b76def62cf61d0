"""The questions of `shapes-diff` in order: which change, which pictures, which option is right."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random

from vlbench.benchmarks.drawn import diff_low_level as low_level
from vlbench.benchmarks.drawn import diff_semantic as semantic
from vlbench.benchmarks.drawn.diff_change import NOTHING, Change
from vlbench.benchmarks.drawn.diff_treat import Shot

LABELS = "ABCD"
# The ten categories as VDiff-Bench names them.
CHANGES: Mapping[str, Callable[[Random], Change]] = {
    "position": semantic.moved,
    "overall image color": low_level.tinted,
    "motion": semantic.turned,
    "regional image color": semantic.recoloured,
    "noise/resolution": low_level.noisy_or_coarse,
    "appearance/disappearance": semantic.came_or_went,
    "substitution/size": semantic.replaced_or_resized,
    "texture": low_level.smoothed,
    "OCR/text": semantic.reworded,
    "illumination": low_level.lit,
}


@dataclass(frozen=True, slots=True)
class DrawnDifference:
    """One sample before it is drawn; `null` is the label of the option that nothing differs."""

    id: str
    category: str
    options: dict[str, str]
    gold: str
    null: str
    before: Shot
    after: Shot


def question(number: int, seed: int) -> DrawnDifference:
    """The `number`-th question (from 1); it depends on nothing but its number and the seed.

    The categories take turns. Of every four questions of a category each label is right once, and once says
    that nothing differs.
    """
    turn, place = divmod(number - 1, len(CHANGES))
    category = list(CHANGES)[place]
    rng = Random(f"shapes-diff {seed} {number}")
    change = CHANGES[category](rng)
    gold, null = _labels(category, turn, seed)
    wrong = iter(rng.sample(change.wrong, 2))
    fixed = {gold: change.right, null: NOTHING}
    options = {label: fixed[label] if label in fixed else next(wrong) for label in LABELS}
    name = f"shapes-diff-{number:04d}"
    return DrawnDifference(name, category, options, gold, null, change.before, change.after)


def _labels(category: str, turn: int, seed: int) -> tuple[str, str]:
    block, place = divmod(turn, len(LABELS))
    rng = Random(f"labels {seed} {category} {block}")
    order, shift = rng.sample(LABELS, len(LABELS)), rng.randrange(1, len(LABELS))
    return order[place], order[(place + shift) % len(LABELS)]
