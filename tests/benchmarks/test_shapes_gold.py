"""Every gold answer, worked out again from the scene and the words of the question, and no other option fits.

Nothing here is shared with the code that posed the question but the description of the scene.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations

import pytest

from vlbench.benchmarks.drawn.questions import AXES, DrawnQuestion, question
from vlbench.benchmarks.drawn.scene import COLOURS, HEIGHT, KINDS, WIDTH, Box, Figure, Line
from vlbench.benchmarks.shapes import SEED, SIZE

Truth = Callable[[DrawnQuestion], str]
SEEDS = range(4)
PER_SEED = 108


def words(drawn: DrawnQuestion) -> list[str]:
    text = drawn.question.replace("crosses", "cross")
    return [w[:-1] if w[:-1] in KINDS else w for w in re.findall(r"[a-z]+", text.lower())]


def named(drawn: DrawnQuestion) -> list[Figure]:
    """The figures the question calls by colour and kind, in the order of the question."""
    asked = words(drawn)
    found = [f for f in drawn.scene.figures if f.name in " ".join(asked)]
    return sorted(found, key=lambda f: " ".join(asked).index(f.name))


def main_colour(drawn: DrawnQuestion) -> str:
    (colour, most), (_, second) = Counter(f.colour for f in drawn.scene.figures).most_common(2)
    assert most >= second + 3
    return colour


def layout(drawn: DrawnQuestion) -> str:
    places = [(f.x, f.y) for f in drawn.scene.figures]
    width, height = (max(axis) - min(axis) for axis in zip(*places, strict=True))
    if height < 20:
        return "in a row"
    if width < 20:
        return "in a column"
    if all(abs((y - 25) / (HEIGHT - 50) - (x - 30) / (WIDTH - 60)) < 0.08 for x, y in places):
        return "in a diagonal line"
    distances = [math.hypot(x - WIDTH / 2, y - HEIGHT / 2) for x, y in places]
    return "in a ring" if max(distances) - min(distances) < 20 else "scattered about"


def counts(drawn: DrawnQuestion) -> list[int]:
    return [sum(f.kind == w for f in drawn.scene.figures) for w in words(drawn) if w in KINDS]


def location(drawn: DrawnQuestion) -> str:
    (figure,) = named(drawn)
    vertical = "top" if figure.y < HEIGHT / 2 else "bottom"
    return f"{vertical} {'left' if figure.x < WIDTH / 2 else 'right'}"


def recognition(drawn: DrawnQuestion) -> str:
    (figure,) = (f for f in drawn.scene.figures if f.colour in words(drawn))
    return figure.kind


def relation(drawn: DrawnQuestion) -> str:
    one, other = named(drawn)
    seen, origin = (other, one) if drawn.question.startswith("Seen") else (one, other)
    turn = math.degrees(math.atan2(origin.y - seen.y, seen.x - origin.x)) % 360
    # Within 25 degrees of an axis, so that nobody hesitates between two directions.
    assert min(turn % 90, 90 - turn % 90) < 25
    return ("to its right", "above it", "to its left", "below it")[round(turn / 90) % 4]


def size_comparison(drawn: DrawnQuestion) -> str:
    by_size = sorted(drawn.scene.figures, key=lambda f: f.radius)
    if "largest" in drawn.question:
        assert by_size[-1].radius > 1.35 * by_size[-2].radius
        return by_size[-1].name
    assert by_size[1].radius > 1.35 * by_size[0].radius
    return by_size[0].name


def same_colour(drawn: DrawnQuestion) -> str:
    (origin,) = (f for f in drawn.scene.figures if f.kind in words(drawn))
    (twin,) = (f for f in drawn.scene.figures if f.colour == origin.colour and f is not origin)
    return twin.kind


def pattern(drawn: DrawnQuestion) -> str:
    row = [f.name for f in sorted(drawn.scene.figures, key=lambda f: f.x)]
    if len(row) == 8:
        runs = "".join("x" if name == row[0] else " " for name in row).split(" ")
        assert runs == ["x", "xx", "xxx"]
        return row[1]
    period = len(set(row))
    assert row[period:] == row[: len(row) - period]
    return row[len(row) % period]


def odd_one_out(drawn: DrawnQuestion) -> str:
    figures = drawn.scene.figures
    odd = []
    for trait in ([f.kind for f in figures], [f.colour for f in figures]):
        alike = Counter[str](trait)
        if sorted(alike.values()) == [1, len(figures) - 1]:
            odd += [f.name for f, value in zip(figures, trait, strict=True) if alike[value] == 1]
    (name,) = odd
    return name


def sequence(drawn: DrawnQuestion) -> str:
    frames = drawn.scene.boxes
    dots = [
        sum(b.left < f.x < b.right and b.top < f.y < b.bottom for f in drawn.scene.figures) for b in frames
    ]
    assert dots[-1] == 0
    assert dots[2] - dots[1] == dots[1] - dots[0] > 0
    return str(2 * dots[2] - dots[1])


def mixing(drawn: DrawnQuestion) -> str:
    paints = {b.colour for b in drawn.scene.boxes}
    taught = [({"red", "yellow"}, "orange"), ({"yellow", "blue"}, "green"), ({"blue", "red"}, "purple")]
    return next(mixture for pair, mixture in taught if pair == paints)


def balance(drawn: DrawnQuestion) -> str:
    one, other = drawn.scene.boxes
    if one.bottom == other.bottom:
        return "they weigh the same"
    assert abs(one.bottom - other.bottom) > 15
    return f"the {max(one, other, key=lambda b: b.bottom).colour} block"


def thermometer(drawn: DrawnQuestion) -> str:
    (column,) = (b for b in drawn.scene.boxes if b.colour == "red")
    marks = [e.y0 for e in drawn.scene.elements if isinstance(e, Line)]
    return f"{round(50 * (max(marks) - column.top) / (max(marks) - min(marks)))} °C"


def sum_of_counts(drawn: DrawnQuestion) -> str:
    one, other = counts(drawn)
    return str(one - other if "more" in words(drawn) else one + other)


def bar_chart(drawn: DrawnQuestion) -> str:
    grid = sorted(e.y0 for e in drawn.scene.elements if isinstance(e, Line) and e.colour == "faint")
    unit = grid[1] - grid[0]
    bars = {b.colour: (b.bottom - b.top) / unit for b in drawn.scene.boxes}
    asked = [bars[w] for w in words(drawn) if w in COLOURS]
    return f"{asked[0] - sum(asked[1:]):g}"


def fraction(drawn: DrawnQuestion) -> str:
    cells = drawn.scene.boxes
    filled = [b for b in cells if b.colour in words(drawn)]
    return str(Fraction(len(filled), len(cells)))


TRUTHS: dict[str, Truth] = {
    "main colour": main_colour,
    "background": lambda drawn: drawn.scene.background,
    "layout": layout,
    "counting": lambda drawn: str(counts(drawn)[0]),
    "location": location,
    "recognition": recognition,
    "relation": relation,
    "size comparison": size_comparison,
    "same colour": same_colour,
    "pattern": pattern,
    "odd one out": odd_one_out,
    "sequence": sequence,
    "paint mixing": mixing,
    "balance": balance,
    "thermometer": thermometer,
    "sum of counts": sum_of_counts,
    "bar chart": bar_chart,
    "fraction": fraction,
}


@pytest.fixture(scope="module")
def questions() -> list[DrawnQuestion]:
    return [question(number, seed) for seed in SEEDS for number in range(1, PER_SEED + 1)]


def test_every_axis_is_checked() -> None:
    assert set(TRUTHS) == {axis for axes in AXES.values() for axis in axes}


@pytest.mark.parametrize("axis", TRUTHS)
def test_gold_is_the_one_option_that_is_true_of_the_scene(axis: str, questions: list[DrawnQuestion]) -> None:
    asked = [q for q in questions if q.axis == axis]
    assert len(asked) >= 20
    for drawn in asked:
        truth = TRUTHS[axis](drawn)
        assert [label for label, text in drawn.options.items() if text == truth] == [drawn.gold], drawn


def test_numbers_of_equal_value_never_stand_side_by_side(questions: list[DrawnQuestion]) -> None:
    for drawn in (q for q in questions if q.axis == "fraction"):
        assert len({Fraction(text) for text in drawn.options.values()}) == 4


def test_everything_lies_inside_the_picture(questions: list[DrawnQuestion]) -> None:
    for drawn in questions:
        for element in drawn.scene.elements:
            match element:
                case Figure(x=x, y=y, radius=radius):
                    assert radius <= x <= WIDTH - radius
                    assert radius <= y <= HEIGHT - radius
                case Box(left, top, right, bottom):
                    assert 0 <= left < right <= WIDTH
                    assert 0 <= top < bottom <= HEIGHT


def test_figures_cover_each_other_so_little_that_people_still_see_both(
    questions: list[DrawnQuestion],
) -> None:
    for drawn in questions:
        if drawn.axis in {"sequence", "thermometer"}:
            continue
        touched: Counter[Figure] = Counter()
        for one, other in combinations(drawn.scene.figures, 2):
            cover = one.radius + other.radius - math.hypot(one.x - other.x, one.y - other.y)
            if cover > 0:
                touched.update((one, other))
                assert one.colour != other.colour
                assert cover <= 0.6 * min(one.radius, other.radius) + 1e-6
        assert max(touched.values(), default=0) <= 1


def test_no_two_questions_of_the_set_show_the_same_picture() -> None:
    scenes = Counter(question(number, SEED).scene for number in range(1, SIZE + 1))
    assert max(scenes.values()) == 1
