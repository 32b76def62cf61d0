"""The built-in model with captions: how well one fits a picture, and the four questions of a quad."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from vlbench.benchmarks.drawn.draw import png
from vlbench.benchmarks.drawn.min_quads import quad
from vlbench.benchmarks.drawn.scene import Figure, Scene
from vlbench.benchmarks.shapes_min import QUADS, SEED
from vlbench.media.grey import grey_png
from vlbench.scoring.readers.strict import STRICT
from vlbench.simulator.eye.model import answer
from vlbench.simulator.eye.quads import Thing, fit, read_caption
from vlbench.simulator.eye.segment import look
from vlbench.types import Reply

SIGHT = look(
    png(
        Scene(
            (
                Figure("star", "red", 50, 60, 30),
                Figure("star", "red", 50, 180, 28),
                Figure("circle", "blue", 240, 170, 14),
                Figure("square", "green", 240, 60, 24, striped=True),
            )
        )
    )
)
TASKS = ("text_0", "text_1", "image_0", "image_1")


@pytest.mark.parametrize(
    ("true", "false"),
    [
        ("A red star and a blue circle.", "A red star and a blue square."),
        ("Two red stars and a blue circle.", "Three red stars and a blue circle."),
        ("Two red stars.", "One red star."),
        ("A blue circle to the right of a red star.", "A blue circle to the left of a red star."),
        ("A blue circle below a green square.", "A blue circle above a green square."),
        ("A small blue circle and a red star.", "A large blue circle and a red star."),
        ("A striped green square.", "A plain green square."),
        ("A plain blue circle.", "A striped blue circle."),
        ("The disc is blue.", "A green disc."),
    ],
)
def test_a_true_caption_fits_better_than_a_false_one(true: str, false: str) -> None:
    assert fit(read_caption(true), SIGHT) > fit(read_caption(false), SIGHT)


def test_a_caption_is_read_thing_by_thing() -> None:
    caption = read_caption("Three large striped red crosses to the left of a violet lozenge")
    assert caption.things == (Thing("cross", "red", "large", "striped", 3), Thing("diamond", "purple"))
    assert caption.relation == "left"


def test_words_it_does_not_know_fit_nothing() -> None:
    assert fit(read_caption("A dog on a sofa."), SIGHT) == 0
    assert fit(read_caption(""), SIGHT) == 0


@dataclass(frozen=True, slots=True)
class Wording:
    """How the questions for a caption and for a picture are put."""

    text: str
    image: str


OURS = Wording(
    "Which caption describes the image?\nA. {0}\nB. {1}",
    'First image:\nSecond image:\nWhich image does this caption describe: "{}"?\n'
    "First. the first image\nSecond. the second image",
)
AUTHORS = Wording(
    "Does this image best match: (A) {0}, or (B) {1}? Choices: A, B.",
    'Which image better aligns with the description: "{}"? Choices: First, Second.',
)
PAPER = Wording(
    "Does this image depict: {0} or {1}?",
    "Which image better aligns with the description: '{}'? The first or the second image?",
)
PICTURES = {"First": "the first image", "Second": "the second image"}


def asked(wording: Wording, number: int, *, show: bool = True) -> list[bool]:
    """Which of the four questions of a quad are answered right, as the strict reader has it."""
    drawn = quad(number, SEED)
    one, other = (png(scene) for scene in drawn.scenes)
    text = wording.text.format(*drawn.captions)
    first, second = (wording.image.format(caption) for caption in drawn.captions)
    captions = dict(zip("AB", drawn.captions, strict=True))
    right = []
    for words, pictures, options, gold in (
        (text, [one], captions, "A"),
        (text, [other], captions, "B"),
        (first, [one, other], PICTURES, "First"),
        (second, [one, other], PICTURES, "Second"),
    ):
        reply = answer(words, pictures if show else [], worked_examples=2)
        label = STRICT.read(Reply(text=reply), options).label
        assert label in options, reply
        right.append(label == gold)
    return right


@pytest.fixture(scope="module")
def answered() -> list[list[bool]]:
    return [asked(OURS, number) for number in range(1, QUADS + 1)]


def test_with_pictures_it_is_mostly_right_and_sometimes_wrong(answered: list[list[bool]]) -> None:
    right = sum(map(sum, answered)) / (4 * QUADS)
    assert 0.75 <= right <= 0.95


def test_each_task_is_answered_from_the_pictures(answered: list[list[bool]]) -> None:
    for task, column in zip(TASKS, zip(*answered, strict=True), strict=True):
        assert sum(column) > 0.65 * QUADS, task


def test_whole_quads_are_right_less_often_than_questions(answered: list[list[bool]]) -> None:
    groups = sum(map(all, answered)) / QUADS
    assert 0.5 < groups < sum(map(sum, answered)) / (4 * QUADS)


@pytest.mark.parametrize("wording", [AUTHORS, PAPER], ids=["authors", "paper"])
def test_the_wordings_of_the_protocol_are_understood(wording: Wording) -> None:
    right = [asked(wording, number) for number in range(1, 13)]
    assert sum(map(sum, right)) >= 0.75 * 48


def test_without_the_picture_both_text_questions_are_one_and_never_both_right() -> None:
    for number in range(1, QUADS + 1):
        first, second = asked(OURS, number, show=False)[:2]
        assert first != second


def test_grey_tells_no_more_than_nothing() -> None:
    grey = grey_png(320, 240)
    caption = 'Which image does this caption describe: "A red star."?\nFirst. the first\nSecond. the second'
    assert answer(caption, [grey, grey]) == answer(caption, [])


def test_the_order_shown_does_not_matter_when_labels_tell_it() -> None:
    one, other = (png(Scene((Figure(kind, "red", 90, 90, 30),))) for kind in ("star", "circle"))
    question = 'Which image does this caption describe: "A red circle."?\nFirst. one\nSecond. two'
    said = answer(f"First image:\nSecond image:\n{question}", [one, other])
    turned = answer(f"Second image:\nFirst image:\n{question}", [other, one])
    assert "Second" in said
    assert "Second" in turned
