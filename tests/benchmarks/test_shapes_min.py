"""The built-in quads: VisMin's categories and questions, and captions that fit one picture each."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable
from itertools import combinations

import pytest

from vlbench.benchmarks.benchmark import Row, RowDrawer
from vlbench.benchmarks.drawn.min_quads import CATEGORIES, Quad, quad
from vlbench.benchmarks.drawn.scene import HEIGHT, WIDTH, Figure, Scene
from vlbench.benchmarks.shapes_min import SEED, SHAPES_MIN

Drawn = Callable[[RowDrawer], tuple[list[Row], bytes]]

SEEDS = (SEED, 1, 2)
WORDS = ("zero", "one", "two", "three", "four", "five", "six")
THING = r"(?:(large|small|plain|striped) )?(\w+ \w+)"


@pytest.fixture(scope="module")
def full(drawn: Drawn) -> list[Row]:
    assert SHAPES_MIN.draw is not None
    return drawn(SHAPES_MIN.draw)[0]


@pytest.fixture(scope="module")
def quads() -> list[Quad]:
    return [quad(number, seed) for seed in SEEDS for number in range(1, 33)]


def holds(caption: str, scene: Scene) -> bool:
    """Whether a caption is true of a scene, by its words alone."""
    if said := re.fullmatch(r"(\w\w\w+) (\w+) (\w+)s and an? (\w+ \w+)\.", caption):
        look = f"{said[2]} {said[3].replace('crosse', 'cross')}"
        counted = sum(f.name == look for f in scene.figures)
        return counted == WORDS.index(said[1].lower()) and bool(named(scene, said[4]))
    if said := re.fullmatch(rf"An? {THING} and an? (\w+ \w+)\.", caption):
        shape = named(scene, said[2])
        return shape is not None and bool(named(scene, said[3])) and is_such(shape, said[1], scene)
    said = re.fullmatch(
        r"An? (\w+ \w+) (to the left of|to the right of|above|below) an? (\w+ \w+)\.", caption
    )
    assert said is not None, caption
    one, other = named(scene, said[1]), named(scene, said[3])
    assert one is not None
    assert other is not None
    dx, dy = one.x - other.x, one.y - other.y
    along = {"to the left of": -dx, "to the right of": dx, "above": -dy, "below": dy}[said[2]]
    assert abs(along) > math.hypot(dx, dy) * 0.8, "the relation must be clear"
    return along > 0


def named(scene: Scene, name: str) -> Figure | None:
    found = [f for f in scene.figures if f.name == name]
    assert len(found) < 2, f"two of {name}"
    return found[0] if found else None


def is_such(shape: Figure, word: str | None, scene: Scene) -> bool:
    others = [f.radius for f in scene.figures if f is not shape]
    match word:
        case "large":
            return shape.radius > 1.15 * max(others)
        case "small":
            return 1.1 * shape.radius < min(others)
        case "striped" | "plain":
            return shape.striped == (word == "striped")
    return True


def test_eight_quads_of_each_category_with_four_questions_each(full: list[Row]) -> None:
    assert len(full) == SHAPES_MIN.size == 128
    samples = [row.sample for row in full]
    assert len({sample.id for sample in samples}) == 128
    expected = {(category, task) for category in CATEGORIES for task in ("text", "image")}
    assert Counter(sample.categories for sample in samples) == dict.fromkeys(expected, 16)
    assert set(Counter(sample.group for sample in samples).values()) == {4}
    assert set(CATEGORIES) == {"object", "attribute", "relation", "counting"}


def test_the_golds_are_those_of_the_protocol(full: list[Row]) -> None:
    golds = {(row.sample.role, row.sample.gold) for row in full}
    assert golds == {("text_0", "A"), ("text_1", "B"), ("image_0", "First"), ("image_1", "Second")}
    assert [row.sample.problem for row in full] == [None] * 128


def test_captions_are_shown_with_their_pictures(full: list[Row]) -> None:
    for first, second, one, other in (full[at : at + 4] for at in range(0, 128, 4)):
        assert first.pictures + second.pictures == one.pictures == other.pictures
        assert first.sample.options == second.sample.options
        assert [row.sample.texts["caption"] for row in (one, other)] == list(first.sample.options.values())


@pytest.mark.parametrize("category", CATEGORIES)
def test_every_caption_is_true_of_its_picture_and_false_of_the_other(
    category: str, quads: list[Quad]
) -> None:
    asked = [q for q in quads if q.category == category]
    assert len(asked) == 8 * len(SEEDS)
    for q in asked:
        truth = [[holds(caption, scene) for scene in q.scenes] for caption in q.captions]
        assert truth == [[True, False], [False, True]], q


def test_the_pictures_differ_in_no_more_than_the_captions_say(quads: list[Quad]) -> None:
    for q in quads:
        one, other = (set(scene.figures) for scene in q.scenes)
        most = 2 if q.category == "relation" else 1
        assert max(len(one - other), len(other - one)) == most
        assert q.scenes[0].background == q.scenes[1].background


def test_shapes_lie_inside_the_picture_and_touch_none_of_their_colour(quads: list[Quad]) -> None:
    for figures in (scene.figures for q in quads for scene in q.scenes):
        for f in figures:
            assert f.radius <= f.x <= WIDTH - f.radius
            assert f.radius <= f.y <= HEIGHT - f.radius
        for a, b in combinations(figures, 2):
            if a.colour == b.colour:
                assert math.hypot(a.x - b.x, a.y - b.y) >= a.radius + b.radius
