"""What a built-in picture shows, as data: figures, boxes, lines and notes on a light background.

Drawing (`draw`), questions and gold answers all start from a `Scene`, so an answer can be recomputed
without looking at a pixel, and a changed copy of a scene is a changed picture. Coordinates and sizes are
pixels, x to the right and y downwards, angles are degrees.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from random import Random
from typing import Literal

Kind = Literal["circle", "square", "triangle", "star", "pentagon", "hexagon", "diamond", "cross"]
Colour = Literal["red", "orange", "yellow", "green", "blue", "purple", "pink"]
Background = Literal["white", "pale yellow", "pale blue", "pale green", "pale pink", "light grey"]
Ink = Literal["ink", "faint", "paper"]

KINDS: tuple[Kind, ...] = (
    "circle",
    "square",
    "triangle",
    "star",
    "pentagon",
    "hexagon",
    "diamond",
    "cross",
)
COLOURS: tuple[Colour, ...] = ("red", "orange", "yellow", "green", "blue", "purple", "pink")
BACKGROUNDS: tuple[Background, ...] = (
    "white",
    "pale yellow",
    "pale blue",
    "pale green",
    "pale pink",
    "light grey",
)
WIDTH, HEIGHT = 320, 240
STRIPED_SHARE = 0.1
# In a busy picture shapes cover each other this far (of the smaller radius): people still see both.
BUSY = 0.6


@dataclass(frozen=True, slots=True)
class Figure:
    """A named shape inside the circle of `radius` around its centre; plain, or with pale stripes."""

    kind: Kind
    colour: Colour
    x: float
    y: float
    radius: float
    angle: float = 0.0
    striped: bool = False

    @property
    def name(self) -> str:
        """How a question calls it: "red star"."""
        return f"{self.colour} {self.kind}"


@dataclass(frozen=True, slots=True)
class Box:
    """An upright rectangle; `edge` is the width of its ink outline, 0 for none."""

    left: float
    top: float
    right: float
    bottom: float
    colour: Colour | Ink
    edge: float = 0.0


@dataclass(frozen=True, slots=True)
class Line:
    """A straight line; `ink` is dark, `faint` a light grey."""

    x0: float
    y0: float
    x1: float
    y1: float
    colour: Ink = "ink"
    width: float = 2.0


@dataclass(frozen=True, slots=True)
class Note:
    """A short text centred at a point; `size` is the font's height."""

    x: float
    y: float
    text: str
    size: float = 14.0


Element = Figure | Box | Line | Note


@dataclass(frozen=True, slots=True)
class Scene:
    """One picture: its elements are drawn in order, later ones over earlier ones."""

    elements: tuple[Element, ...]
    background: Background = "white"
    width: int = WIDTH
    height: int = HEIGHT

    @property
    def figures(self) -> tuple[Figure, ...]:
        """The named shapes, in drawing order."""
        return tuple(e for e in self.elements if isinstance(e, Figure))

    @property
    def boxes(self) -> tuple[Box, ...]:
        """The rectangles, in drawing order."""
        return tuple(e for e in self.elements if isinstance(e, Box))


def a_background(rng: Random) -> Background:
    """White for two pictures of five, as on most charts and worksheets; else one of the tints."""
    return "white" if rng.random() < 0.4 else rng.choice(BACKGROUNDS[1:])


def distinct_looks(rng: Random, count: int) -> list[tuple[Kind, Colour]]:
    """`count` pairs of kind and colour, no pair twice."""
    return rng.sample(list(product(KINDS, COLOURS)), count)


def tilt(rng: Random) -> float:
    """A slight turn: too small to take a square for a diamond."""
    return rng.uniform(-9, 9)


def scattered(
    rng: Random, looks: Sequence[tuple[Kind, Colour]], radii: Sequence[float], *, overlap: float = 0.0
) -> tuple[Figure, ...]:
    """Figures at random places, in the order of `looks`; some of them striped.

    Pairs of different colours may cover each other by up to `overlap` times the smaller radius, each figure
    in one pair at most; two of one colour stay apart, because nobody could tell where one ends. Radii shrink
    until everything fits.
    """
    scale = 1.0
    while True:
        for _ in range(20):
            placed = _placed(rng, looks, [r * scale for r in radii], overlap)
            if placed is not None:
                return placed
        scale *= 0.94


def _placed(
    rng: Random, looks: Sequence[tuple[Kind, Colour]], radii: Sequence[float], overlap: float
) -> tuple[Figure, ...] | None:
    placed: list[Figure] = []
    paired: set[Figure] = set()
    for (kind, colour), radius in zip(looks, radii, strict=True):
        for _ in range(40):
            partner = rng.choice(placed) if overlap and placed and rng.random() < 0.7 else None
            if partner is not None and (partner in paired or partner.colour == colour):
                continue
            x, y = _place(rng, radius, partner, overlap)
            figure = Figure(kind, colour, x, y, radius, tilt(rng), rng.random() < STRIPED_SHARE)
            if _inside(figure) and all(are_apart(figure, o) for o in placed if o is not partner):
                break
        else:
            return None
        if partner is not None:
            paired |= {figure, partner}
        placed.append(figure)
    return tuple(placed)


def _place(rng: Random, radius: float, partner: Figure | None, overlap: float) -> tuple[float, float]:
    """Anywhere, or at the edge of the partner."""
    if partner is None:
        return rng.uniform(0, WIDTH), rng.uniform(0, HEIGHT)
    cover = rng.uniform(0.3, 1) * overlap * min(radius, partner.radius)
    distance, turn = radius + partner.radius - cover, rng.uniform(0, 2 * math.pi)
    return partner.x + distance * math.cos(turn), partner.y + distance * math.sin(turn)


def _inside(figure: Figure) -> bool:
    margin = figure.radius + 8
    return margin <= figure.x <= WIDTH - margin and margin <= figure.y <= HEIGHT - margin


def are_apart(one: Figure, other: Figure) -> bool:
    """Whether background is seen between the circles around two figures."""
    return math.hypot(one.x - other.x, one.y - other.y) >= one.radius + other.radius + 4
