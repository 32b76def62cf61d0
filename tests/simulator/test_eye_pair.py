"""The built-in model before two pictures: what it finds, and that it is right mostly but not always."""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pytest
from PIL import Image

from vlbench.benchmarks.drawn.diff_questions import DrawnDifference, question
from vlbench.benchmarks.drawn.diff_treat import Shot, Treatment
from vlbench.benchmarks.drawn.scene import Box, Element, Figure, Note, Scene
from vlbench.benchmarks.shapes_diff import SEED, SIZE
from vlbench.benchmarks.vdiff import QUESTION
from vlbench.media.grey import grey_png
from vlbench.simulator.eye.model import answer
from vlbench.simulator.eye.pair import best_statement, differences
from vlbench.simulator.eye.segment import look

LETTER = re.compile(r"(?:The answer is |Answer: )?([A-D])(?:\. .*|\.)?")

STAR = Figure("star", "red", 60, 60, 24)
CIRCLE = Figure("circle", "blue", 240, 170, 22)
SQUARE = Figure("square", "green", 150, 90, 20)
SIGN = (Box(40, 180, 190, 212, "paper", 1.5), Note(115, 196, "GATE 27", 17))
SCENE = Scene((STAR, CIRCLE, SQUARE, *SIGN), "light grey")


def prompt_of(drawn: DrawnDifference, labels: str = "Image A:\nImage B:") -> str:
    lines = (f"{label}. {text}" for label, text in drawn.options.items())
    return "\n".join([labels, QUESTION, *lines])


def label_of(reply: str) -> str | None:
    found = LETTER.fullmatch(reply)
    return found and found.group(1)


def with_(old: Element, *new: Element) -> Shot:
    elements = [e for element in SCENE.elements for e in (new if element is old else (element,))]
    return Shot(Scene(tuple(elements), SCENE.background))


def found(before: Shot, after: Shot) -> list[str]:
    return differences(look(before.png()), look(after.png()))


CHANGES = {
    "red star moved up": with_(STAR, replace(STAR, y=40)),
    "red star moved right": with_(STAR, replace(STAR, x=85)),
    "green square turned clockwise": with_(SQUARE, replace(SQUARE, angle=25)),
    "green square turned anticlockwise": with_(SQUARE, replace(SQUARE, angle=-25)),
    "blue circle changed its colour to pink": with_(CIRCLE, replace(CIRCLE, colour="pink")),
    "green square disappeared": with_(SQUARE),
    "yellow cross appeared": with_(STAR, STAR, Figure("cross", "yellow", 250, 50, 20)),
    "blue circle become smaller": with_(CIRCLE, replace(CIRCLE, radius=18)),
    "blue circle become larger": with_(CIRCLE, replace(CIRCLE, radius=26)),
    "red star replaced by a red triangle": with_(STAR, replace(STAR, kind="triangle")),
    "text changed from GATE 27 to GATE 25": with_(SIGN[1], replace(SIGN[1], text="GATE 25")),
    "text changed from GATE 27 to SHOP 27": with_(SIGN[1], replace(SIGN[1], text="SHOP 27")),
}
TREATMENTS = {
    "whole image darker": Treatment(gamma=1.5),
    "whole image brighter": Treatment(gamma=0.65),
    "colours of the whole image shifted towards blue": Treatment(tint=(-8, -8, 16)),
    "colours of the whole image shifted towards cyan": Treatment(tint=(-16, 8, 8)),
    "image noisier": Treatment(noise=6),
    "image coarser, with a lower resolution": Treatment(shrink=2),
    "surfaces of the shapes rougher": Treatment(grain=10),
}


@pytest.mark.parametrize("words", CHANGES)
def test_what_changed_in_one_place_is_the_first_thing_found(words: str) -> None:
    assert found(Shot(SCENE), CHANGES[words])[0] == words


@pytest.mark.parametrize("words", TREATMENTS)
def test_what_changed_all_over_is_the_first_thing_found(words: str) -> None:
    assert found(Shot(SCENE), Shot(SCENE, TREATMENTS[words]))[0] == words


def test_differences_are_told_from_the_first_picture_to_the_second() -> None:
    other = CHANGES["red star moved up"]
    assert found(other, Shot(SCENE)) == ["red star moved down"]
    noisy = Shot(SCENE, Treatment(noise=6))
    assert found(noisy, Shot(SCENE))[0] == "image less noisy"


def test_equal_pictures_do_not_differ() -> None:
    assert found(Shot(SCENE), Shot(SCENE)) == []
    grey = look(grey_png(320, 240))
    assert differences(grey, grey) == []


def test_a_camera_that_moved_a_little_is_taken_back() -> None:
    with Image.open(io.BytesIO(CHANGES["green square disappeared"].png())) as image:
        pixels = np.roll(np.asarray(image), (3, -5), axis=(0, 1))
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, "PNG")
    assert differences(look(Shot(SCENE).png()), look(buffer.getvalue())) == ["green square disappeared"]


def test_pictures_of_two_sizes_are_compared_where_both_are() -> None:
    small = Shot(Scene(SCENE.elements, SCENE.background, width=300, height=230))
    assert found(Shot(SCENE), small) == []


def test_the_order_of_words_tells_two_statements_apart() -> None:
    options = {
        "A": 'The text has changed from "GATE 9" to "GATE 7".',
        "B": 'The text has changed from "GATE 7" to "GATE 9".',
    }
    assert best_statement(options, ["text changed from GATE 7 to GATE 9"]) == "B"
    assert best_statement(options, ["red star moved up", "text changed from GATE 9 to GATE 7"]) == "A"
    assert best_statement(options, ["red star moved up"]) is None
    assert best_statement({}, ["red star moved up"]) is None


@dataclass(frozen=True, slots=True)
class Asked:
    """One question, and what came back with its pictures and without."""

    drawn: DrawnDifference
    pictures: tuple[bytes, bytes]
    seeing: str
    blind: str


@pytest.fixture(scope="module")
def asked() -> list[Asked]:
    rows = []
    for drawn in (question(number, SEED) for number in range(1, SIZE + 1)):
        prompt, pictures = prompt_of(drawn), (drawn.before.png(), drawn.after.png())
        rows.append(Asked(drawn, pictures, answer(prompt, pictures), answer(prompt_of(drawn, ""), [])))
    return rows


def accuracy(asked: Sequence[Asked], reply: Callable[[Asked], str]) -> float:
    return sum(label_of(reply(a)) == a.drawn.gold for a in asked) / len(asked)


def test_with_the_pictures_it_is_mostly_right_and_sometimes_wrong(asked: list[Asked]) -> None:
    assert 0.75 <= accuracy(asked, lambda a: a.seeing) <= 0.95


def test_without_the_pictures_it_is_little_better_than_chance(asked: list[Asked]) -> None:
    assert 0.2 <= accuracy(asked, lambda a: a.blind) <= 0.45


def test_the_pictures_matter_in_either_group(asked: list[Asked]) -> None:
    for treated in (False, True):
        rows = [a for a in asked if (a.drawn.before.treatment != a.drawn.after.treatment) == treated]
        assert accuracy(rows, lambda a: a.seeing) > accuracy(rows, lambda a: a.blind) + 0.2


def test_some_changes_are_missed(asked: list[Asked]) -> None:
    assert any(label_of(a.seeing) == a.drawn.null for a in asked)


def test_before_two_grey_pictures_it_says_that_nothing_differs_or_declines(asked: list[Asked]) -> None:
    grey = grey_png(320, 240)
    replies = [(a.drawn, answer(prompt_of(a.drawn), [grey, grey])) for a in asked[:40]]
    said = Counter("null" if label_of(reply) == drawn.null else reply for drawn, reply in replies)
    assert set(said) == {"null", "I'm sorry, but I cannot see the image, so I cannot answer this question."}
    assert said["null"] > 0.85 * 40


def test_without_pictures_a_part_of_the_answers_is_that_nothing_differs(asked: list[Asked]) -> None:
    nothing = sum(label_of(a.blind) == a.drawn.null for a in asked) / len(asked)
    assert 0.1 < nothing < 0.45


def test_the_order_shown_does_not_matter_when_labels_tell_it(asked: list[Asked]) -> None:
    """Under the condition `swapped` image B comes first, and keeps its label."""
    labels = "Image B:\nImage A:"
    turned = [answer(prompt_of(a.drawn, labels), a.pictures[::-1]) for a in asked[:20]]
    right = sum(label_of(reply) == a.drawn.gold for reply, a in zip(turned, asked, strict=False))
    assert right == sum(label_of(a.seeing) == a.drawn.gold for a in asked[:20])


def test_bytes_that_are_no_picture_tell_nothing(asked: list[Asked]) -> None:
    text, (picture, _) = prompt_of(asked[0].drawn), asked[0].pictures
    assert answer(text, [picture, b"\x89PNG\r\n\x1a\n broken"]) == answer(text, [])
    assert answer(text, [picture]) == answer(text, [])
