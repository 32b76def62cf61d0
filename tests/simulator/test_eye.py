"""The built-in model: what it gets right, what it does not, and that it sees only what it is shown."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vlbench.benchmarks.drawn.draw import png
from vlbench.benchmarks.drawn.questions import DrawnQuestion, question
from vlbench.benchmarks.drawn.scene import Figure, Scene
from vlbench.benchmarks.shapes import SEED, SIZE
from vlbench.media.grey import grey_png
from vlbench.simulator.eye.model import answer

LETTER = re.compile(r"(?:The answer is |Answer: )?([A-D])(?:\. .*|\.)?")
TWO_SHAPES = png(Scene((Figure("star", "red", 60, 60, 30), Figure("circle", "blue", 240, 170, 20))))


def prompt_of(drawn: DrawnQuestion) -> str:
    return "\n".join([drawn.question, *(f"{label}. {text}" for label, text in drawn.options.items())])


def label_of(reply: str) -> str | None:
    found = LETTER.fullmatch(reply)
    return found and found.group(1)


@dataclass(frozen=True, slots=True)
class Asked:
    """One question with the picture it was shown with and what came back with it and without."""

    drawn: DrawnQuestion
    prompt: str
    picture: bytes
    seeing: str
    blind: str


@pytest.fixture(scope="module")
def asked() -> list[Asked]:
    rows = []
    for drawn in (question(number, SEED) for number in range(1, SIZE + 1)):
        prompt, picture = prompt_of(drawn), png(drawn.scene)
        rows.append(Asked(drawn, prompt, picture, answer(prompt, [picture]), answer(prompt, [])))
    return rows


def accuracy(asked: list[Asked], reply: Callable[[Asked], str]) -> float:
    return sum(label_of(reply(a)) == a.drawn.gold for a in asked) / len(asked)


def test_with_the_picture_it_is_mostly_right_and_sometimes_wrong(asked: list[Asked]) -> None:
    assert 0.75 <= accuracy(asked, lambda a: a.seeing) <= 0.95


def test_without_the_picture_it_is_little_better_than_chance(asked: list[Asked]) -> None:
    assert 0.25 <= accuracy(asked, lambda a: a.blind) <= 0.45


def test_the_picture_matters_in_every_capability(asked: list[Asked]) -> None:
    for category in {a.drawn.category for a in asked}:
        rows = [a for a in asked if a.drawn.category == category]
        assert accuracy(rows, lambda a: a.seeing) > accuracy(rows, lambda a: a.blind) + 0.1, category


def test_with_another_questions_picture_it_is_not_right(asked: list[Asked]) -> None:
    pictures = [a.picture for a in asked[1:]] + [asked[0].picture]
    right = sum(label_of(answer(a.prompt, [p])) == a.drawn.gold for a, p in zip(asked, pictures, strict=True))
    assert right / len(asked) < 0.5


def test_the_same_input_gives_the_same_reply(asked: list[Asked]) -> None:
    assert [answer(a.prompt, [a.picture]) for a in asked[:18]] == [a.seeing for a in asked[:18]]


def test_replies_come_in_several_forms_and_name_an_option(asked: list[Asked]) -> None:
    assert all(label_of(a.seeing) in a.drawn.options for a in asked)
    assert len({re.sub(r"[A-D](\. .*)?", "X", a.seeing, count=1) for a in asked}) > 2


def test_a_few_questions_without_picture_are_declined_and_none_after_examples(asked: list[Asked]) -> None:
    declined = [a for a in asked if label_of(a.blind) is None]
    assert 0 < len(declined) < 0.15 * len(asked)
    assert all("cannot see" in a.blind for a in declined)
    assert all(label_of(answer(a.prompt, [], worked_examples=2)) for a in declined)


def test_grey_tells_no_more_than_nothing(asked: list[Asked]) -> None:
    grey = grey_png(320, 240)
    assert [answer(a.prompt, [grey]) for a in asked] == [a.blind for a in asked]


def test_bytes_that_are_no_picture_tell_nothing_either() -> None:
    text = "Which shape is red?\nA. star\nB. circle\nC. square\nD. cross"
    assert answer(text, [b"\x89PNG\r\n\x1a\n broken"]) == answer(text, [])


def test_a_blind_answer_loads_no_code_that_reads_pixels() -> None:
    code = (
        "import sys; from vlbench.simulator.eye.model import answer; answer('How many?\\nA. 1\\nB. 2', []);"
        "print({'numpy', 'PIL'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("Tell me the color of the star in this image.\nA. blue\nB. red\nC. green\nD. pink", "B"),
        ("Count the stars, please.\nA. 3\nB. 2\nC. 1\nD. 0", "C"),
        ("What kind of shape do you see in blue?\n(A) star\n(B) disc\n(C) square\n(D) cross", "B"),
        ("Name the biggest shape.\nOptions: A: blue circle, B: red cross, C: blue star, D: red star", "D"),
        ("What is the position of the red star?\nA. lower right\nB. top right\nC. top left\nD. centre", "C"),
        ("What lies where? The red star seen from the blue circle:\nA. on its left\nB. on its right", "A"),
    ],
)
def test_other_wordings_are_understood(text: str, label: str) -> None:
    assert label_of(answer(text, [TWO_SHAPES])) == label


def test_without_options_it_answers_in_words() -> None:
    assert answer("What colour is the star?", [TWO_SHAPES]) == "red"
    assert answer("Describe this.", [TWO_SHAPES]) == "I see a red star, a blue circle on a white background."
    assert "cannot see" in answer("What colour is the star?", [])


def test_a_last_line_is_written_where_the_prompt_asks_for_one(asked: list[Asked]) -> None:
    for row in asked[:24]:
        reply = answer(f'{row.prompt}\n\nEnd with a line that says "Answer:" and the letter.', [row.picture])
        last = reply.splitlines()[-1]
        assert re.fullmatch(r"Answer: [A-D]", last)


@given(
    stem=st.text(alphabet=st.characters(codec="utf-8", exclude_characters="\n\r"), max_size=60),
    options=st.lists(
        st.text("abc 0123/.-°", min_size=1, max_size=12).filter(str.strip), min_size=2, max_size=6
    ),
    shown=st.booleans(),
)
def test_no_label_outside_the_options_is_ever_answered(stem: str, options: list[str], shown: bool) -> None:
    labels = "ABCDEF"[: len(options)]
    text = "\n".join([f"how many {stem}", *(f"{k}. {o}" for k, o in zip(labels, options, strict=True))])
    reply = answer(text, [TWO_SHAPES] if shown else [], worked_examples=1)
    found = re.match(r"(?:The answer is |Answer: )?([A-Z])\b", reply)
    assert found is not None
    assert found.group(1) in labels
