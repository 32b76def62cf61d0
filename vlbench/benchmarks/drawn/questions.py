"""The questions of `shapes` in order: which axis, which picture, which option is right."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random

from vlbench.benchmarks.drawn import perception, reasoning
from vlbench.benchmarks.drawn.posed import Posed
from vlbench.benchmarks.drawn.scene import Scene

Pose = Callable[[Random], Posed]

LABELS = "ABCD"
AXES: Mapping[str, Mapping[str, Pose]] = {
    "coarse perception": {
        "main colour": perception.main_colour,
        "background": perception.background,
        "layout": perception.layout,
    },
    "fine-grained perception": {
        "counting": perception.counting,
        "location": perception.location,
        "recognition": perception.recognition,
    },
    "instance reasoning": {
        "relation": perception.relation,
        "size comparison": perception.size_comparison,
        "same colour": perception.same_colour,
    },
    "logical reasoning": {
        "pattern": reasoning.pattern,
        "odd one out": reasoning.odd_one_out,
        "sequence": reasoning.sequence,
    },
    "science & technology": {
        "paint mixing": reasoning.mixing,
        "balance": reasoning.balance,
        "thermometer": reasoning.thermometer,
    },
    "math": {
        "sum of counts": reasoning.sum_of_counts,
        "bar chart": reasoning.bar_chart,
        "fraction": reasoning.fraction,
    },
}


@dataclass(frozen=True, slots=True)
class DrawnQuestion:
    """One sample before it is drawn: the options by label, the right label, and what the picture shows."""

    id: str
    category: str
    axis: str
    question: str
    options: dict[str, str]
    gold: str
    scene: Scene


def question(number: int, seed: int) -> DrawnQuestion:
    """The `number`-th question (from 1); it depends on nothing but its number and the seed.

    The categories take turns, each category's axes take turns, and of every four questions of a category
    each label is the right one once.
    """
    turn, place = divmod(number - 1, len(AXES))
    category = list(AXES)[place]
    axes = AXES[category]
    axis = list(axes)[turn % len(axes)]
    rng = Random(f"shapes {seed} {number}")
    posed = axes[axis](rng)
    gold = _gold(category, turn, seed)
    wrong = iter(rng.sample(posed.wrong, len(posed.wrong)))
    options = {label: posed.right if label == gold else next(wrong) for label in LABELS}
    return DrawnQuestion(f"shapes-{number:04d}", category, axis, posed.question, options, gold, posed.scene)


def _gold(category: str, turn: int, seed: int) -> str:
    block, place = divmod(turn, len(LABELS))
    return Random(f"gold {seed} {category} {block}").sample(LABELS, len(LABELS))[place]
