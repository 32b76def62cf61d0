"""Of every four options one is true of the two pictures, as worked out again from what they show.

Nothing here is shared with the code that posed the questions but the description of the pictures.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable

import pytest

from vlbench.benchmarks.drawn.diff_questions import CHANGES, DrawnDifference, question
from vlbench.benchmarks.drawn.diff_treat import Shot
from vlbench.benchmarks.drawn.scene import HEIGHT, WIDTH, Box, Figure, Note
from vlbench.benchmarks.shapes_diff import SEED

PER_SEED = 80
SEEDS = (SEED, 1, 2)
WHEEL = ("red", "yellow", "green", "cyan", "blue", "magenta")

Holds = Callable[[re.Match[str], Shot, Shot], bool]


def figure(shot: Shot, name: str) -> Figure | None:
    found = [f for f in shot.scene.figures if f.name == name]
    assert len(found) < 2, f"two of {name}"
    return found[0] if found else None


def twin(shot: Shot, old: Figure) -> Figure | None:
    """The figure in the same place."""
    return next((f for f in shot.scene.figures if (f.x, f.y) == (old.x, old.y)), None)


def moved(said: re.Match[str], before: Shot, after: Shot) -> bool:
    old, new = figure(before, said[1]), figure(after, said[1])
    if old is None or new is None:
        return False
    dx, dy = new.x - old.x, new.y - old.y
    way = {"to the left": dx < -5, "to the right": dx > 5, "up": dy < -5, "down": dy > 5}
    return way[said[2]]


def turned(said: re.Match[str], before: Shot, after: Shot) -> bool:
    old, new = figure(before, said[1]), figure(after, said[1])
    if old is None or new is None or old.angle == new.angle:
        return False
    corners = {"triangle": 3, "square": 4, "cross": 4, "pentagon": 5, "star": 5, "diamond": 2}[old.kind]
    turn = new.angle - old.angle
    assert 10 < abs(turn) < 180 / corners, "it would look as if it had turned the other way"
    return (turn > 0) == (said[2] == "clockwise")


def recoloured(said: re.Match[str], before: Shot, after: Shot) -> bool:
    old = figure(before, said[1])
    new = old and twin(after, old)
    return old is not None and new is not None and old.colour != new.colour == said[2]


def replaced(said: re.Match[str], before: Shot, after: Shot) -> bool:
    old = figure(before, said[1])
    new = old and twin(after, old)
    return old is not None and new is not None and old.kind != new.kind and new.name == said[2]


def resized(said: re.Match[str], before: Shot, after: Shot) -> bool:
    old, new = figure(before, said[1]), figure(after, said[1])
    if old is None or new is None or abs(math.log(new.radius / old.radius)) < 0.1:
        return False
    return (new.radius > old.radius) == (said[2] == "larger")


def reworded(said: re.Match[str], before: Shot, after: Shot) -> bool:
    elements = (*before.scene.elements, *after.scene.elements)
    return said.groups() == tuple(e.text for e in elements if isinstance(e, Note))


def tinted(said: re.Match[str], before: Shot, after: Shot) -> bool:
    red, green, blue = (b - a for a, b in zip(before.treatment.tint, after.treatment.tint, strict=True))
    if max(red, green, blue) < 1:
        return False
    hue = math.degrees(math.atan2(math.sqrt(3) * (green - blue), 2 * red - green - blue)) % 360
    return WHEEL[round(hue / 60) % 6] == said[1]


def lit(said: re.Match[str], before: Shot, after: Shot) -> bool:
    def middle(shot: Shot) -> float:
        return float(shot.treatment.gain * 0.5**shot.treatment.gamma)

    step = middle(after) - middle(before)
    return abs(step) > 0.02 and (step > 0) == (said[1] == "brighter")


def more(field: str, when: str) -> Holds:
    def holds(said: re.Match[str], before: Shot, after: Shot) -> bool:
        old, new = getattr(before.treatment, field), getattr(after.treatment, field)
        return bool(old != new and (new > old) == (said[1] == when))

    return holds


NAME = r"(\w+ \w+)"
STATEMENTS: tuple[tuple[str, Holds], ...] = (
    (rf"The {NAME} has moved (to the left|to the right|up|down)\.", moved),
    (rf"The {NAME} has turned (clockwise|anticlockwise)\.", turned),
    (rf"The {NAME} has changed its colour to (\w+)\.", recoloured),
    (rf"An? {NAME} has appeared\.", lambda s, a, b: not figure(a, s[1]) and bool(figure(b, s[1]))),
    (rf"The {NAME} has disappeared\.", lambda s, a, b: bool(figure(a, s[1])) and not figure(b, s[1])),
    (rf"The {NAME} has been replaced by an? {NAME}\.", replaced),
    (rf"The {NAME} has become (larger|smaller)\.", resized),
    (r'The text has changed from "(.+)" to "(.+)"\.', reworded),
    (r"The colours of the whole image have shifted towards (\w+)\.", tinted),
    (r"The image has become (noisier|less noisy)\.", more("noise", "noisier")),
    (r"The image has become (coarser|finer), with a (?:low|high)er resolution\.", more("shrink", "coarser")),
    (r"The surfaces of the shapes have become (smoother|rougher)\.", more("smooth", "smoother")),
    (r"The whole image has become (darker|brighter)\.", lit),
    (r"There is no difference between the two images\.", lambda s, a, b: a == b),
)


def is_true(statement: str, drawn: DrawnDifference) -> bool:
    for pattern, holds in STATEMENTS:
        if said := re.fullmatch(pattern, statement):
            return holds(said, drawn.before, drawn.after)
    raise AssertionError(f"not understood: {statement}")


@pytest.fixture(scope="module")
def questions() -> list[DrawnDifference]:
    return [question(number, seed) for seed in SEEDS for number in range(1, PER_SEED + 1)]


@pytest.mark.parametrize("category", CHANGES)
def test_gold_is_the_one_statement_that_is_true(category: str, questions: list[DrawnDifference]) -> None:
    asked = [q for q in questions if q.category == category]
    assert len(asked) == 8 * len(SEEDS)
    for drawn in asked:
        true = [label for label, text in drawn.options.items() if is_true(text, drawn)]
        assert true == [drawn.gold], drawn


def test_one_thing_changes_and_no_other(questions: list[DrawnDifference]) -> None:
    for drawn in questions:
        before, after = drawn.before, drawn.after
        gone = set(before.scene.elements) - set(after.scene.elements)
        came = set(after.scene.elements) - set(before.scene.elements)
        assert before.scene.background == after.scene.background
        if before.treatment != after.treatment:
            assert not gone | came, drawn
        else:
            assert max(len(gone), len(came)) == 1, drawn


def test_everything_lies_inside_the_picture_and_signs_cover_no_shape(
    questions: list[DrawnDifference],
) -> None:
    for drawn in questions:
        for shot in (drawn.before, drawn.after):
            for shape in shot.scene.figures:
                assert shape.radius <= shape.x <= WIDTH - shape.radius
                assert shape.radius <= shape.y <= HEIGHT - shape.radius
                for box in shot.scene.boxes:
                    assert distance(shape, box) >= shape.radius


def distance(shape: Figure, box: Box) -> float:
    dx = max(box.left - shape.x, 0, shape.x - box.right)
    dy = max(box.top - shape.y, 0, shape.y - box.bottom)
    return math.hypot(dx, dy)


def test_shapes_of_one_colour_never_touch(questions: list[DrawnDifference]) -> None:
    """Nobody could tell where one ends."""
    for drawn in questions:
        for shot in (drawn.before, drawn.after):
            shapes = shot.scene.figures
            for number, one in enumerate(shapes):
                for other in shapes[number + 1 :]:
                    if one.colour == other.colour:
                        apart = math.hypot(one.x - other.x, one.y - other.y)
                        assert apart >= one.radius + other.radius, drawn
