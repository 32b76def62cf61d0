"""Options are read from the question's text however hard the text makes it."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vlbench.benchmarks.embedded_options import read_options


def split(text: str) -> list[str]:
    options = read_options(text)
    assert list(options) == list("ABCD"[: len(options)])
    return list(options.values())


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("What?\nOptions: A: x, B: y, C: z, D: w", ["x", "y", "z", "w"]),
        ("What?\nOptions: A: x, B: y, C: z", ["x", "y", "z"]),
        ("What?\nOptions: A: nan, B: None, C: 007, D: 1e5", ["nan", "None", "007", "1e5"]),
        ("What?\nOptions: A: A, B: B, C: C, D: D", ["A", "B", "C", "D"]),
        ("What?\nOptions: A: D, B: C, C: B, D: A", ["D", "C", "B", "A"]),
        (
            "What?\nOptions: A: a, b, c, B: red, green, C: 1,000, D: no",
            ["a, b, c", "red, green", "1,000", "no"],
        ),
        ("What?\nOptions: A: x, B: x, C: x, D: x", ["x", "x", "x", "x"]),
        ("What?\nOptions: A: , B: y, C: z, D: ", ["", "y", "z", ""]),
        (
            "What?\nOptions: A: if x:\n  print(1), B: if y:\n  print(2)",
            ["if x:\n  print(1)", "if y:\n  print(2)"],
        ),
        ("What?\nOptions: A: Team A: 3, Team B: 4, B: Team A: 5", ["Team A: 3, Team B: 4", "Team A: 5"]),
        ("What?\nOptions: A: A: 1, B: 2, B: A: 3, B: 4", ["A: 1, B: 2", "A: 3, B: 4"]),
        (
            "What?\nOptions: A: C: 1, D: 2, B: C: 3, D: 4, C: C: 5, D: 6, D: C: 7, D: 8",
            ["C: 1, D: 2", "C: 3, D: 4", "C: 5, D: 6", "C: 7, D: 8"],
        ),
        ("What?\nOptions: A: x, B: y, C: z, D: w, E: v", ["x", "y", "z", "w, E: v"]),
        ("Options: A: no\nOptions: A: x, B: y", ["x", "y"]),
        ("Name Options: A: p, B: q\nOptions: A: x, B: y", ["x", "y"]),
        ("Hint: …\nQuestion: What?\nChoices:\n(A) x\n(B) y\n(C) z\n(D) w", ["x", "y", "z", "w"]),
        ("Question: What?\nChoices:\n(A) A\n(B) B\n(C) C", ["A", "B", "C"]),
        ("Question: What?\nChoices:\n(A) one\n  more\n(B) two", ["one\n  more", "two"]),
        ("Which of (A) and (B)?\n(A) x, (B) no\n(B) y", ["x, (B) no", "y"]),
        (
            "Statements:\n(A) p\n(B) q\nWhich is it?\n(A) first\n(B) second\n(C) none",
            ["first", "second", "none"],
        ),
        ("Choices:\n(A) see\n(A) below\n(B) y", ["see\n(A) below", "y"]),
    ],
)
def test_the_three_forms_and_their_hard_cases(text: str, options: list[str]) -> None:
    assert split(text) == options


@pytest.mark.parametrize(
    "text",
    [
        "",
        "What?",
        "What?\nOptions: A: x",
        "Options: B: x, A: y",
        "Choices:\n(B) x\n(C) y",
        "(A) x",
        "Options:",
    ],
)
def test_no_options_are_made_up(text: str) -> None:
    assert read_options(text) == {}


plain = st.text(st.characters(codec="utf-8", exclude_characters="\r"), min_size=1).map(str.strip)


@given(st.text(max_size=30), st.lists(plain.filter(lambda text: ":" not in text), min_size=2, max_size=4))
def test_texts_without_labels_are_read_back(question: str, options: list[str]) -> None:
    listed = ", ".join(f"{label}: {text}" for label, text in zip("ABCD", options, strict=False))
    assert split(f"{question}\nOptions: {listed}") == options


@given(st.text(max_size=30), st.lists(plain.filter(lambda text: "(" not in text), min_size=2, max_size=4))
def test_lines_are_read_back(question: str, options: list[str]) -> None:
    listed = "\n".join(f"({label}) {text}" for label, text in zip("ABCD", options, strict=False))
    assert split(f"{question}\nChoices:\n{listed}") == options
    assert split(f"{question}\n{listed}") == options


@pytest.mark.parametrize(
    "text",
    [
        "Options: A: " + ", B: x, C: y" * 20_000,
        "Options: A: " + ", B: x" * 20_000 + ", C: x" * 20_000 + ", D: x" * 20_000,
        "(A) x\n" * 20_000,
        "Options:\n" * 20_000,
    ],
    ids=["pairs", "blocks", "lines", "headers"],
)
def test_a_hostile_text_costs_little(text: str) -> None:
    started = time.perf_counter()
    read_options(text)
    assert time.perf_counter() - started < 1.5
