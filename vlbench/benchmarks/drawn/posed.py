"""A question posed about a scene, before its options are put in order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from vlbench.benchmarks.drawn.scene import Scene


@dataclass(frozen=True, slots=True)
class Posed:
    """A question with its right option, three wrong ones, and the picture it is about."""

    question: str
    right: str
    wrong: tuple[str, ...]
    scene: Scene

    def __post_init__(self) -> None:
        if len({self.right, *self.wrong}) != 4:
            raise ValueError(f"needs four different options: {self.right!r}, {self.wrong!r}")


def others(rng: Random, right: str, choices: Sequence[str]) -> tuple[str, ...]:
    """Three of `choices`, none of them the right one."""
    return tuple(rng.sample([c for c in choices if c != right], 3))


def near_numbers(rng: Random, right: int, *, least: int = 0) -> tuple[int, ...]:
    """Three neighbours that make four consecutive numbers with the right one.

    The right one is mostly one of the middle two, as where people write the wrong options: part of what a
    model can answer without the picture.
    """
    start = max(least, right - rng.choice((0, 1, 1, 2, 2, 3)))
    return tuple(n for n in range(start, start + 4) if n != right)


def a_number(
    rng: Random, question: str, right: int, scene: Scene, *, least: int = 0, unit: str = ""
) -> Posed:
    """A question whose answer is a whole number."""
    wrong = tuple(f"{n}{unit}" for n in near_numbers(rng, right, least=least))
    return Posed(question, f"{right}{unit}", wrong, scene)


def plural(kind: str) -> str:
    """More than one of a kind."""
    return f"{kind}es" if kind == "cross" else f"{kind}s"


def with_article(name: str) -> str:
    """A name behind "a" or "an"."""
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"
