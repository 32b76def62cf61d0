"""Questions and options are found however the prompt lays them out."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vlbench.simulator.eye.read import read_prompt, words_of

OPTIONS = {"A": "red", "B": "dark blue", "C": "1/2", "D": "20 °C"}


@pytest.mark.parametrize(
    "text",
    [
        "Which one?\nA. red\nB. dark blue\nC. 1/2\nD. 20 °C\n\nAnswer with the letter.",
        "Which one?\nA: red\nB: dark blue\nC: 1/2\nD: 20 °C",
        "Which one?\nChoices:\n(A) red\n(B) dark blue\n(C) 1/2\n(D) 20 °C",
        "Which one?\nOptions: A: red, B: dark blue, C: 1/2, D: 20 °C\nAnswer with the letter.",
    ],
)
def test_options_are_read_from_every_usual_layout(text: str) -> None:
    prompt = read_prompt(text)
    assert prompt.options == OPTIONS
    assert prompt.words[:2] == ("which", "one")


def test_without_options_everything_is_the_question() -> None:
    prompt = read_prompt("What colour is the square?")
    assert prompt.options == {}
    assert prompt.kinds == ("square",)


def test_colours_and_shapes_are_paired_where_they_stand_together() -> None:
    prompt = read_prompt("Is the red star above the blue squares, or is a circle green?")
    assert prompt.looks == (("red", "star"), ("blue", "square"))
    assert prompt.colours == ("red", "blue", "green")
    assert prompt.kinds == ("star", "square", "circle")


def test_plurals_and_synonyms_mean_the_same() -> None:
    assert words_of("Two crosses, violet dots, a rhombus") == (
        "two",
        "cross",
        "purple",
        "circle",
        "a",
        "diamond",
    )


def test_a_letter_inside_the_question_is_no_option() -> None:
    assert read_prompt("Is vitamin C. good? Plan B: none.").options == {}


@given(st.text())
def test_any_text_can_be_read(text: str) -> None:
    prompt = read_prompt(text)
    assert len(prompt.options) != 1


@pytest.mark.parametrize(
    "text", ["A. " + " " * 100_000 + "x", "A: " * 20_000, "9" * 10_000, "(" * 100_000, "A. x\n" * 20_000]
)
def test_hostile_text_takes_no_long_time(text: str) -> None:
    start = time.process_time()
    read_prompt(text)
    assert time.process_time() - start < 1
