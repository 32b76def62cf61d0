"""Two pictures and two captions become four questions whose golds are known."""

from __future__ import annotations

import pytest

from vlbench.benchmarks.benchmark import Row
from vlbench.benchmarks.quads import QuadQuestions, quad_samples
from vlbench.types import Span

FIRST, SECOND = (Span(path="pack", offset=at, length=1) for at in (0, 1))
CAPTIONS = ("a red cup", "a blue cup")


def by_role(rows: list[Row]) -> dict[str, Row]:
    return {row.sample.role: row for row in rows}


def test_the_four_questions_come_in_the_order_of_the_paper_with_its_golds() -> None:
    rows = quad_samples((FIRST, SECOND), CAPTIONS, "object", "7")
    assert [(row.sample.role, row.sample.gold) for row in rows] == [
        ("text_0", "A"),
        ("text_1", "B"),
        ("image_0", "First"),
        ("image_1", "Second"),
    ]
    assert [row.pictures for row in rows] == [(FIRST,), (SECOND,), (FIRST, SECOND), (FIRST, SECOND)]


def test_ids_and_group_hold_the_category_because_ids_start_anew_in_each() -> None:
    rows = quad_samples((FIRST, SECOND), CAPTIONS, "object", "7")
    assert {row.sample.group for row in rows} == {"object-7"}
    assert rows[0].sample.id == "object-7-text_0"
    assert rows[0].sample.categories == ("object", "text")
    assert quad_samples((FIRST, SECOND), CAPTIONS, "", "7")[2].sample.categories == ("image",)


def test_texts_hold_what_a_prompt_may_use() -> None:
    own = QuadQuestions(text=("t0?", "t1?"), image=("i0?", "i1?"))
    rows = by_role(quad_samples((FIRST, SECOND), CAPTIONS, "x", "1", questions=own))
    assert rows["text_1"].sample.texts == {
        "caption_1": "a red cup",
        "caption_2": "a blue cup",
        "set_question": "t1?",
    }
    assert rows["image_1"].sample.texts == {"caption": "a blue cup", "set_question": "i1?"}


def test_the_reversed_order_turns_choices_and_golds_round_together() -> None:
    rows = by_role(quad_samples((FIRST, SECOND), CAPTIONS, "x", "1", orders=("given", "reversed")))
    assert len(rows) == 8
    for number in (0, 1):
        given, turned = rows[f"text_{number}"], rows[f"text_{number}-reversed"]
        assert turned.pictures == given.pictures
        assert turned.sample.options[turned.sample.gold] == given.sample.options[given.sample.gold]
        assert turned.sample.gold != given.sample.gold
        given, turned = rows[f"image_{number}"], rows[f"image_{number}-reversed"]
        assert turned.pictures == given.pictures[::-1]
        assert turned.sample.gold != given.sample.gold
    assert "set_question" not in rows["text_0-reversed"].sample.texts


@pytest.mark.parametrize(
    ("images", "captions", "problem"),
    [
        ((FIRST,), CAPTIONS, "1 picture"),
        ((), CAPTIONS, "no pictures"),
        ((FIRST, SECOND), ("a", " "), "empty"),
        ((FIRST, SECOND), ("a", "a "), "the same"),
    ],
)
def test_what_cannot_be_asked_is_a_problem_of_every_row(
    images: tuple[Span, ...], captions: tuple[str, str], problem: str
) -> None:
    rows = quad_samples(images, captions, "x", "1")
    assert len(rows) == 4
    assert all(problem in (row.sample.problem or "") and not row.pictures for row in rows)
