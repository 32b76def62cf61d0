"""The quads of `shapes-min` in order: two scenes that differ in one thing, and a caption for each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from random import Random
from typing import Literal

from vlbench.benchmarks.drawn.posed import plural, with_article
from vlbench.benchmarks.drawn.scene import (
    BUSY,
    COLOURS,
    KINDS,
    Colour,
    Figure,
    Kind,
    Scene,
    a_background,
    are_apart,
    distinct_looks,
    scattered,
)

NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven")
# Radii in pixels of what captions call large and small, and of everything else.
LARGE, SMALL, USUAL = (27.0, 33.0), (12.0, 15.0), (17.0, 23.0)
BYSTANDERS = (1, 3)
# How far along its axis a relation must be clearer than across it.
CLEARLY = 1.4

Axis = Literal["level", "upright"]


@dataclass(frozen=True, slots=True)
class Quad:
    """Two pictures and the caption of each; ids are numbers from 1 over all categories."""

    id: str
    category: str
    scenes: tuple[Scene, Scene]
    captions: tuple[str, str]


Pair = tuple[tuple[Scene, str], tuple[Scene, str]]


def replaced_object(rng: Random) -> Pair:
    """One of two shapes is of another kind."""
    figures = _figures(rng)
    first, second = figures[:2]
    taken = {f.kind for f in figures if f.colour == first.colour}
    other = replace(first, kind=rng.choice([k for k in KINDS if k not in taken]))
    return _both(rng, figures, other, _two(first.name, second), _two(other.name, second))


def other_attribute(rng: Random) -> Pair:
    """One of two shapes has another colour, another size, or stripes."""
    which = rng.choice(("colour", "size", "stripes"))
    figures = _figures(rng)
    first, second = figures[:2]
    if which == "colour":
        # Two of one colour that touch would look like one.
        taken = {f.colour for f in figures if f.kind == first.kind or not are_apart(f, first)}
        other = replace(first, colour=rng.choice([c for c in COLOURS if c not in taken]))
        return _both(rng, figures, other, _two(first.name, second), _two(other.name, second))
    if which == "stripes":
        figures = (replace(first, striped=False), *figures[1:])
        other = replace(figures[0], striped=True)
        names = f"plain {first.name}", f"striped {first.name}"
        return _both(rng, figures, other, _two(names[0], second), _two(names[1], second))
    # Drawn large first, so that the small one has room too.
    figures = _figures(rng, rng.uniform(*LARGE))
    first, second = figures[:2]
    other = replace(first, radius=rng.uniform(*SMALL))
    names = f"large {first.name}", f"small {first.name}"
    return _both(rng, figures, other, _two(names[0], second), _two(names[1], second))


def swapped_places(rng: Random) -> Pair:
    """Two shapes have changed places."""
    axis: Axis = rng.choice(("level", "upright"))
    while True:
        figures = _figures(rng)
        first, second = figures[:2]
        apart = abs(first.x - second.x), abs(first.y - second.y)
        along, across = apart if axis == "level" else apart[::-1]
        there = replace(first, x=second.x, y=second.y), replace(second, x=first.x, y=first.y)
        # Each is to stand where the other stood without covering more than the other did.
        alike = abs(first.radius - second.radius) < 3
        if along > max(CLEARLY * across, 40) and alike and _are_told_apart((*there, *figures[2:])):
            break
    ground = a_background(rng)
    swapped = Scene((*there, *figures[2:]), ground)
    return _ordered(
        rng, (Scene(figures, ground), _related(axis, first, second)), (swapped, _related(axis, *there))
    )


def _are_told_apart(figures: tuple[Figure, ...]) -> bool:
    return all(a.colour != b.colour or are_apart(a, b) for a, b in combinations(figures, 2))


def _related(axis: Axis, seen: Figure, origin: Figure) -> str:
    if axis == "level":
        place = "to the left of" if seen.x < origin.x else "to the right of"
    else:
        place = "above" if seen.y < origin.y else "below"
    return f"{with_article(seen.name).capitalize()} {place} {with_article(origin.name)}."


def other_count(rng: Random) -> Pair:
    """One of several equal shapes is in one of the pictures only."""
    count = rng.randint(3, 6)
    look, *others = distinct_looks(rng, 3)
    looks = [look] * count + others[: rng.randint(1, 2)]
    figures = scattered(rng, looks, [rng.uniform(13, 20) for _ in looks], overlap=BUSY)
    ground = a_background(rng)
    companion = figures[count]
    more = Scene(figures, ground), _counted(count, look, companion)
    fewer = Scene(figures[1:], ground), _counted(count - 1, look, companion)
    return _ordered(rng, more, fewer)


def _counted(count: int, look: tuple[Kind, Colour], companion: Figure) -> str:
    kind, colour = look
    return f"{NUMBERS[count].capitalize()} {colour} {plural(kind)} and {with_article(companion.name)}."


def _figures(rng: Random, first: float | None = None) -> tuple[Figure, ...]:
    """The two shapes of the captions and some bystanders; the first one's radius may be given."""
    looks = distinct_looks(rng, 2 + rng.randint(*BYSTANDERS))
    radii = [rng.uniform(*USUAL) for _ in looks]
    return scattered(rng, looks, radii if first is None else [first, *radii[1:]], overlap=BUSY)


def _two(name: str, second: Figure) -> str:
    return f"{with_article(name).capitalize()} and {with_article(second.name)}."


def _both(rng: Random, figures: tuple[Figure, ...], other: Figure, one_says: str, other_says: str) -> Pair:
    """The scene as it is, and with `other` in place of its first figure."""
    ground = a_background(rng)
    return _ordered(
        rng, (Scene(figures, ground), one_says), (Scene((other, *figures[1:]), ground), other_says)
    )


def _ordered(rng: Random, one: tuple[Scene, str], other: tuple[Scene, str]) -> Pair:
    return (one, other) if rng.random() < 0.5 else (other, one)


# The four categories as VisMin names them.
CATEGORIES: Mapping[str, Callable[[Random], Pair]] = {
    "object": replaced_object,
    "attribute": other_attribute,
    "relation": swapped_places,
    "counting": other_count,
}


def quad(number: int, seed: int) -> Quad:
    """The `number`-th quad (from 1); it depends on nothing but its number and the seed.

    The categories take turns.
    """
    category = list(CATEGORIES)[(number - 1) % len(CATEGORIES)]
    (first, one), (second, other) = CATEGORIES[category](Random(f"shapes-min {seed} {number}"))
    return Quad(f"{number:04d}", category, (first, second), (one, other))
