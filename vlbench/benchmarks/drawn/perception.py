"""Questions on what is there: coarse perception, fine-grained perception, instance reasoning."""

from __future__ import annotations

import math
from collections.abc import Callable
from random import Random

from vlbench.benchmarks.drawn.posed import Posed, a_number, others, plural
from vlbench.benchmarks.drawn.scene import (
    BACKGROUNDS,
    BUSY,
    COLOURS,
    HEIGHT,
    KINDS,
    WIDTH,
    Figure,
    Scene,
    a_background,
    distinct_looks,
    scattered,
    tilt,
)

LAYOUTS = ("in a row", "in a column", "in a ring", "in a diagonal line", "scattered about")
CORNERS = ("top left", "top right", "bottom left", "bottom right")


def main_colour(rng: Random) -> Posed:
    """The colour most shapes have: five of one, at most two of any other."""
    right, second, third = rng.sample(COLOURS, 3)
    colours = [right] * 5 + [second] * rng.randint(1, 2) + [third]
    looks = [(rng.choice(KINDS), c) for c in colours]
    figures = scattered(rng, looks, [rng.uniform(17, 27) for _ in looks], overlap=BUSY)
    question = rng.choice(
        ("Which colour do most of the shapes have?", "What is the main colour of the shapes?")
    )
    fourth = rng.choice([c for c in COLOURS if c not in {right, second, third}])
    return Posed(question, right, (second, third, fourth), Scene(figures, a_background(rng)))


def background(rng: Random) -> Posed:
    """The colour behind everything."""
    right = a_background(rng)
    looks = distinct_looks(rng, rng.randint(3, 5))
    figures = scattered(rng, looks, [rng.uniform(22, 36) for _ in looks])
    question = rng.choice(
        ("What colour is the background of the picture?", "Which colour is the background?")
    )
    return Posed(question, right, others(rng, right, BACKGROUNDS), Scene(figures, right))


def layout(rng: Random) -> Posed:
    """How the shapes stand to each other as a whole."""
    right = rng.choice(LAYOUTS)
    count = rng.randint(5, 7)
    looks = distinct_looks(rng, count)
    if right == "scattered about":
        figures = scattered(rng, looks, [rng.uniform(15, 22)] * count)
    else:
        places = [_place(right, i, count) for i in range(count)]
        radius = 13.0 if right == "in a column" else 17.0
        figures = tuple(
            Figure(k, c, x + rng.uniform(-6, 6), y + rng.uniform(-6, 6), radius, tilt(rng))
            for (k, c), (x, y) in zip(looks, places, strict=True)
        )
    question = rng.choice(("How are the shapes arranged?", "Which arrangement do the shapes form?"))
    return Posed(question, right, others(rng, right, LAYOUTS), Scene(figures, a_background(rng)))


def _place(layout: str, i: int, count: int) -> tuple[float, float]:
    part = (i + 0.5) / count
    match layout:
        case "in a row":
            return WIDTH * part, HEIGHT / 2
        case "in a column":
            return WIDTH / 2, HEIGHT * part
        case "in a diagonal line":
            return 30 + (WIDTH - 60) * i / (count - 1), 25 + (HEIGHT - 50) * i / (count - 1)
        case _:
            turn = 2 * math.pi * part
            return WIDTH / 2 + 88 * math.cos(turn), HEIGHT / 2 + 88 * math.sin(turn)


def counting(rng: Random) -> Posed:
    """The number of shapes of one kind among others."""
    kind, *rest = rng.sample(KINDS, 4)
    right = rng.randint(2, 6)
    kinds = [kind] * right + [rng.choice(rest) for _ in range(rng.randint(3, 5))]
    looks = [(k, rng.choice(COLOURS)) for k in kinds]
    figures = _mixed(rng, scattered(rng, looks, [rng.uniform(12, 19) for _ in looks], overlap=BUSY))
    question = rng.choice(
        (
            f"How many {plural(kind)} are in the picture?",
            f"What is the number of {plural(kind)} in the picture?",
        )
    )
    return a_number(rng, question, right, Scene(figures, a_background(rng)), least=1)


def location(rng: Random) -> Posed:
    """The corner one shape is nearest to; it stands well inside its quarter."""
    looks = distinct_looks(rng, 6)
    while True:
        figures = scattered(rng, looks, [rng.uniform(15, 24) for _ in looks], overlap=BUSY)
        asked = figures[0]
        if abs(asked.x - WIDTH / 2) > 50 and abs(asked.y - HEIGHT / 2) > 40:
            break
    right = f"{'top' if asked.y < HEIGHT / 2 else 'bottom'} {'left' if asked.x < WIDTH / 2 else 'right'}"
    question = rng.choice(
        (f"In which part of the picture is the {asked.name}?", f"Where in the picture is the {asked.name}?")
    )
    return Posed(question, right, others(rng, right, CORNERS), Scene(_mixed(rng, figures), a_background(rng)))


def recognition(rng: Random) -> Posed:
    """The kind of the only shape of a colour."""
    colours = rng.sample(COLOURS, 5)
    looks = [(rng.choice(KINDS), c) for c in colours]
    figures = scattered(rng, looks, [rng.uniform(12, 20) for _ in looks], overlap=BUSY)
    asked = figures[0]
    question = rng.choice((f"What shape is the {asked.colour} object?", f"Which shape is {asked.colour}?"))
    wrong = others(rng, asked.kind, KINDS)
    return Posed(question, asked.kind, wrong, Scene(_mixed(rng, figures), a_background(rng)))


DIRECTIONS: dict[str, Callable[[float, float], bool]] = {
    "to its left": lambda dx, dy: dx < 0 and abs(dx) > abs(dy),
    "to its right": lambda dx, dy: dx > 0 and abs(dx) > abs(dy),
    "above it": lambda dx, dy: dy < 0 and abs(dy) > abs(dx),
    "below it": lambda dx, dy: dy > 0 and abs(dy) > abs(dx),
}


def relation(rng: Random) -> Posed:
    """Where one shape is as seen from another; clearly along one axis."""
    looks = distinct_looks(rng, 5)
    while True:
        figures = scattered(rng, looks, [rng.uniform(16, 25) for _ in looks], overlap=BUSY)
        seen, origin = figures[:2]
        dx, dy = seen.x - origin.x, seen.y - origin.y
        if max(abs(dx), abs(dy)) > 2.2 * min(abs(dx), abs(dy)):
            break
    right = next(name for name, holds in DIRECTIONS.items() if holds(dx, dy))
    question = rng.choice(
        (
            f"Seen from the {origin.name}, where is the {seen.name}?",
            f"Where does the {seen.name} lie from the {origin.name}?",
        )
    )
    wrong = others(rng, right, tuple(DIRECTIONS))
    return Posed(question, right, wrong, Scene(_mixed(rng, figures), a_background(rng)))


def size_comparison(rng: Random) -> Posed:
    """The largest or the smallest shape: half as large again as the next, or two thirds of it."""
    looks = distinct_looks(rng, 5)
    largest = rng.random() < 0.5
    radii = [32.0 if largest else 12.0] + [rng.uniform(18, 23) for _ in range(4)]
    figures = scattered(rng, looks, radii, overlap=BUSY)
    question = f"Which shape is the {'largest' if largest else 'smallest'}?"
    right, *wrong = (f.name for f in figures[:4])
    return Posed(question, right, tuple(wrong), Scene(_mixed(rng, figures), a_background(rng)))


def same_colour(rng: Random) -> Posed:
    """The one shape that shares its colour with a named kind."""
    shared, *rest = rng.sample(COLOURS, 4)
    kinds = rng.sample(KINDS, 5)
    looks = list(zip(kinds, [shared, shared, *rest], strict=True))
    figures = scattered(rng, looks, [rng.uniform(15, 27) for _ in looks], overlap=BUSY)
    named, twin = kinds[:2]
    question = rng.choice(
        (
            f"Which shape has the same colour as the {named}?",
            f"Which shape shares its colour with the {named}?",
        )
    )
    return Posed(question, twin, tuple(kinds[2:]), Scene(_mixed(rng, figures), a_background(rng)))


def _mixed(rng: Random, figures: tuple[Figure, ...]) -> tuple[Figure, ...]:
    """Another drawing order, so that the shape asked for is not always underneath."""
    return tuple(rng.sample(figures, len(figures)))
