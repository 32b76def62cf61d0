"""Changes of what a picture shows: moved, turned, recoloured, added, removed, replaced, resized, reworded."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from random import Random

from vlbench.benchmarks.drawn.diff_change import Change
from vlbench.benchmarks.drawn.diff_treat import Shot
from vlbench.benchmarks.drawn.posed import with_article
from vlbench.benchmarks.drawn.scene import (
    BUSY,
    COLOURS,
    HEIGHT,
    KINDS,
    WIDTH,
    Background,
    Box,
    Colour,
    Element,
    Figure,
    Kind,
    Note,
    Scene,
    a_background,
    are_apart,
    distinct_looks,
    scattered,
)

DIRECTIONS = {"to the left": (-1, 0), "to the right": (1, 0), "up": (0, -1), "down": (0, 1)}
OPPOSITE = {"to the left": "to the right", "to the right": "to the left", "up": "down", "down": "up"}
# How far a shape may turn in degrees and still be nearer to where it was than to its own look-alike.
TURNS: dict[Kind, tuple[float, float]] = {
    "triangle": (18, 46),
    "square": (14, 34),
    "star": (12, 28),
    "pentagon": (12, 26),
    "diamond": (16, 60),
    "cross": (14, 34),
}
SIGNS = ("GATE", "ROOM", "BUS", "PLATFORM", "LINE", "EXIT", "TAXI", "FLOOR", "MENU", "SHOP")
SIGN_WIDTH, SIGN_HEIGHT = 150, 32


def moved(rng: Random) -> Change:
    """One shape is somewhere else, straight along one axis."""
    while True:
        figures, ground = _some_figures(rng)
        figure, other = rng.sample(figures, 2)
        direction = rng.choice(tuple(DIRECTIONS))
        dx, dy = DIRECTIONS[direction]
        far = rng.uniform(8, 45)
        new = replace(figure, x=figure.x + far * dx, y=figure.y + far * dy)
        if _fits(new, [f for f in figures if f is not figure]):
            break
    wrong = rng.sample((f"The {figure.name} has moved {OPPOSITE[direction]}.", *_moves_of(other)), 2)
    return _changed(
        rng, figures, ground, figure, new, f"The {figure.name} has moved {direction}.", (wrong[0], wrong[1])
    )


def _moves_of(figure: Figure) -> tuple[str, ...]:
    return tuple(f"The {figure.name} has moved {direction}." for direction in DIRECTIONS)


def turned(rng: Random) -> Change:
    """One shape has turned where it stands."""
    while True:
        figures, ground = _some_figures(rng)
        turning = [f for f in figures if f.kind in TURNS]
        if len(turning) > 1:
            break
    figure, other = rng.sample(turning, 2)
    angle = rng.uniform(*TURNS[figure.kind])
    ways = ("clockwise", "anticlockwise")
    way, back = ways if rng.random() < 0.5 else ways[::-1]
    new = replace(figure, angle=figure.angle + (angle if way == "clockwise" else -angle))
    wrong = (f"The {figure.name} has turned {back}.", f"The {other.name} has turned {rng.choice(ways)}.")
    return _changed(rng, figures, ground, figure, new, f"The {figure.name} has turned {way}.", wrong)


def recoloured(rng: Random) -> Change:
    """One shape has another colour."""
    figures, ground = _some_figures(rng)
    figure, other = rng.sample(figures, 2)
    # Two of one colour that touch would look like one.
    taken = {f.colour for f in figures if f.kind == figure.kind or not are_apart(f, figure)}
    colour, third = rng.sample([c for c in COLOURS if c not in taken], 2)
    new = replace(figure, colour=colour)
    wrong = rng.sample(
        (
            _turns(new, figure.colour),
            _turns(figure, third),
            _turns(other, rng.choice([c for c in COLOURS if c != other.colour])),
        ),
        2,
    )
    return _changed(rng, figures, ground, figure, new, _turns(figure, colour), (wrong[0], wrong[1]))


def _turns(figure: Figure, colour: Colour) -> str:
    return f"The {figure.name} has changed its colour to {colour}."


def came_or_went(rng: Random) -> Change:
    """One shape is in one of the pictures only."""
    figures, ground = _some_figures(rng)
    figure, other = rng.sample(figures, 2)
    rest = tuple(f for f in figures if f is not figure)
    came = rng.random() < 0.5
    appeared, gone = _comes(figure.name), f"The {figure.name} has disappeared."
    seen = {f.name for f in figures}
    new = rng.choice([look for look in distinct_looks(rng, 12) if f"{look[1]} {look[0]}" not in seen])
    right, back = (appeared, gone) if came else (gone, appeared)
    # Of either kind, or the statement that shares most words with the others would always be the right one.
    elsewhere = rng.choice((_comes(f"{new[1]} {new[0]}"), f"The {other.name} has disappeared."))
    sign = _a_sign(rng, figures)
    scenes = (Scene((*rest, *sign), ground), Scene((*figures, *sign), ground))
    before, after = scenes if came else scenes[::-1]
    return Change(Shot(before), Shot(after), right, (back, elsewhere))


def _comes(name: str) -> str:
    return f"{with_article(name).capitalize()} has appeared."


def replaced_or_resized(rng: Random) -> Change:
    """One shape has become another one of its colour, or larger or smaller."""
    figures, ground = _some_figures(rng)
    figure, other = rng.sample(figures, 2)
    if rng.random() < 0.5:
        taken = {f.kind for f in figures if f.colour == figure.colour}
        kind, third = rng.sample([k for k in KINDS if k not in taken], 2)
        new = replace(figure, kind=kind)
        wrong = rng.sample(
            (_becomes(new, figure.kind), _becomes(figure, third), _becomes(other, _another_kind(rng, other))),
            2,
        )
        return _changed(rng, figures, ground, figure, new, _becomes(figure, kind), (wrong[0], wrong[1]))
    factor = rng.uniform(1.15, 1.5)
    grown = replace(figure, radius=figure.radius * factor)
    grows = rng.random() < 0.5 and _fits(grown, [f for f in figures if f is not figure])
    new = grown if grows else replace(figure, radius=figure.radius / factor)
    way, back = ("larger", "smaller") if grows else ("smaller", "larger")
    statements = (f"The {figure.name} has become {back}.", f"The {other.name} has become {way}.")
    return _changed(rng, figures, ground, figure, new, f"The {figure.name} has become {way}.", statements)


def _becomes(figure: Figure, kind: Kind) -> str:
    return f"The {figure.name} has been replaced by {with_article(f'{figure.colour} {kind}')}."


def _another_kind(rng: Random, figure: Figure) -> Kind:
    return rng.choice([kind for kind in KINDS if kind != figure.kind])


def reworded(rng: Random) -> Change:
    """The sign has another text: one character of the number, or the word."""
    while True:
        figures, ground = _some_figures(rng)
        sign = _a_sign(rng, figures, always=True)
        if sign:
            break
    frame, note = sign
    word, number = note.text.split()
    texts = {note.text}
    while len(texts) < 3:
        if rng.random() < 0.6:
            place = rng.randrange(len(number))
            new = number[:place] + rng.choice("0123456789") + number[place + 1 :]
            texts.add(f"{word} {new}")
        else:
            texts.add(f"{rng.choice(SIGNS)} {number}")
    second, third = rng.sample(sorted(texts - {note.text}), 2)
    rest: tuple[Element, ...] = (*figures, frame)
    return Change(
        Shot(Scene((*rest, note), ground)),
        Shot(Scene((*rest, replace(note, text=second)), ground)),
        _reads(note.text, second),
        (_reads(note.text, third), _reads(second, note.text)),
    )


def _reads(one: str, other: str) -> str:
    return f'The text has changed from "{one}" to "{other}".'


def _some_figures(rng: Random) -> tuple[tuple[Figure, ...], Background]:
    looks = distinct_looks(rng, rng.randint(6, 9))
    return scattered(rng, looks, [rng.uniform(12, 23) for _ in looks], overlap=BUSY), a_background(rng)


def _changed(
    rng: Random,
    figures: Sequence[Figure],
    ground: Background,
    old: Figure,
    new: Figure,
    right: str,
    wrong: tuple[str, str],
) -> Change:
    """`new` in the place of `old`, with a sign in both pictures or in none."""
    sign = _a_sign(rng, (*figures, new))
    after = tuple(new if figure is old else figure for figure in figures)
    return Change(Shot(Scene((*figures, *sign), ground)), Shot(Scene((*after, *sign), ground)), right, wrong)


def _a_sign(rng: Random, figures: Sequence[Figure], *, always: bool = False) -> tuple[Box, Note] | tuple[()]:
    """A framed text that covers no shape; none where there is no room, and else in every third picture."""
    text = f"{rng.choice(SIGNS)} {rng.randint(2, 99)}"
    size = rng.choice((15.0, 17.0, 19.0))
    if not always and rng.random() > 1 / 3:
        return ()
    for _ in range(40):
        left, top = rng.uniform(6, WIDTH - SIGN_WIDTH - 6), rng.uniform(6, HEIGHT - SIGN_HEIGHT - 6)
        frame = Box(left, top, left + SIGN_WIDTH, top + SIGN_HEIGHT, "paper", 1.5)
        if not any(_touches(figure, frame) for figure in figures):
            return frame, Note(left + SIGN_WIDTH / 2, top + SIGN_HEIGHT / 2, text, size)
    return ()


def _touches(figure: Figure, frame: Box) -> bool:
    dx = max(frame.left - figure.x, 0, figure.x - frame.right)
    dy = max(frame.top - figure.y, 0, figure.y - frame.bottom)
    return math.hypot(dx, dy) < figure.radius + 4


def _fits(figure: Figure, others: Sequence[Figure]) -> bool:
    """Whether it lies inside the picture and leaves every other shape to be seen."""
    margin = figure.radius + 4
    inside = margin <= figure.x <= WIDTH - margin and margin <= figure.y <= HEIGHT - margin
    return inside and all(_leaves(figure, other) for other in others)


def _leaves(figure: Figure, other: Figure) -> bool:
    apart = math.hypot(figure.x - other.x, figure.y - other.y)
    gap = 4.0 if figure.colour == other.colour else -BUSY * min(figure.radius, other.radius)
    return apart >= figure.radius + other.radius + gap
