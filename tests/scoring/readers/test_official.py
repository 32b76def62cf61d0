"""Readers of other tools: bug for bug, as recorded on 62 replies."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from vlbench.scoring.readers.registry import official_for, reader
from vlbench.types import Outcome, Reply

OPTIONS = {"A": "a red car", "B": "a blue car", "C": "a green car", "D": "a yellow car"}
VISMIN = {"First": "the first image", "Second": "the second image"}
MATRIX = Path(__file__).parents[2] / "data" / "reader_matrix.csv"


def matrix() -> list[dict[str, str]]:
    with MATRIX.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return [{key: value.replace("\\n", "\n") for key, value in row.items()} for row in rows]


@pytest.mark.parametrize("row", matrix(), ids=lambda row: repr(row["response"][:40]))
@pytest.mark.parametrize(
    ("name", "column"),
    [
        ("mmstar-official", "official_mmstar_accepts"),
        ("lmms-eval", "lmms_eval_mcq_extract"),
        ("vlmevalkit", "vlmevalkit_can_infer"),
    ],
)
def test_a_profile_agrees_with_the_tool_it_reproduces(row: dict[str, str], name: str, column: str) -> None:
    answer = reader(name).read(Reply(text=row["response"]), OPTIONS)
    expected = row[column]
    if expected == "Z":
        assert answer.outcome is Outcome.REFUSED
    assert (answer.label or "") == ("" if expected in {"Z", "no-match"} else expected)
    assert answer.also == ()


def test_mmstar_credits_every_place_the_authors_test() -> None:
    options = {label: label for label in "ABCDEFGHIJKLMNOPQRST"}
    answer = reader("mmstar-official").read(Reply(text="The answer is B"), options)
    assert [label for label in options if answer.credits(label)] == ["B", "T"]


@pytest.mark.parametrize(
    ("text", "credited"),
    [
        ("Second, not the first one", ["First", "Second"]),
        ("First", ["First"]),
        ("ANSWER: second.", ["Second"]),
        ("The image (first) matches", ["First"]),
        ("The answer firstly", ["First"]),
        ("It is shown\nin the second image", []),
        ("", []),
    ],
)
def test_vismin_credits_every_label_its_matcher_accepts(text: str, credited: list[str]) -> None:
    answer = reader("vismin-official").read(Reply(text=text), VISMIN)
    assert [label for label in VISMIN if answer.credits(label)] == credited


@pytest.mark.parametrize(
    ("text", "credited"),
    [
        ("a dog", ["A"]),
        ("(B) because of (A)", ["B"]),
        ("B) not A", ["B"]),
        ("(\nA)", ["A"]),
        ("A or B", ["A", "B"]),
    ],
)
def test_vismin_reduces_captions_as_its_authors_do(text: str, credited: list[str]) -> None:
    options = {"A": "A dog", "B": "A cat"}
    answer = reader("vismin-official").read(Reply(text=text), options)
    assert [label for label in options if answer.credits(label)] == credited


def test_each_benchmark_names_its_official_reader() -> None:
    assert official_for("mmstar") == "mmstar-official"
    assert official_for("vismin") == "vismin-official"
    assert official_for("my-questions") == "strict"
