"""A quad counts as a whole: T, I and G follow from its four questions."""

from __future__ import annotations

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from vlbench.scoring.arm import Arm
from vlbench.scoring.codes import Code
from vlbench.scoring.metrics import Ground
from vlbench.scoring.quads import ROLES, Quads, QuadScore
from vlbench.scoring.quads_sections import MEAN, sections
from vlbench.types import Condition

CODES = {"R": Code.RIGHT, "W": Code.WRONG, ".": Code.PENDING, "F": Code.FAILED, "U": Code.UNPARSED}
IMAGE, TEXT = Condition(show="image"), Condition(show="text")


def ground(*quads: tuple[str, str], orders: tuple[str, ...] = ("",), condition: Condition = IMAGE) -> Ground:
    """Quads as (category, four letters for each order), in the order of ROLES."""
    samples = [
        (category, f"g{number}", role + order)
        for number, (category, _) in enumerate(quads)
        for order in orders
        for role in ROLES
    ]
    codes = bytes(CODES[letter] for _, letters in quads for letter in letters)
    return Ground(
        categories=[(category, role.partition("_")[0]) for category, _, role in samples],
        groups=[group for _, group, _ in samples],
        golds=["A"] * len(samples),
        options=[2] * len(samples),
        roles=[role for _, _, role in samples],
        null_labels=[""] * len(samples),
        sources=[""] * len(samples),
        labels=[""],
        arms=(Arm("v", condition, (codes,)),),
    )


def scores(of: Ground) -> dict[str, QuadScore]:
    return Quads.of(of).scores(of.arms[0], of.size)


def test_each_of_the_sixteen_ways_counts_as_defined() -> None:
    for letters in product("RW", repeat=4):
        text, image = letters[:2] == ("R", "R"), letters[2:] == ("R", "R")
        found = scores(ground(("object", "".join(letters))))
        assert found == {"object": QuadScore(1, text, image, text and image)}


def test_a_constant_answer_scores_nothing() -> None:
    assert scores(ground(("object", "RWRW"), ("object", "WRWR"))) == {"object": QuadScore(2, 0, 0, 0)}


def test_categories_are_apart_though_their_ids_are_the_same() -> None:
    found = scores(ground(("object", "RRRR"), ("counting", "RRWW")))
    assert found == {"counting": QuadScore(1, 1, 0, 0), "object": QuadScore(1, 1, 1, 1)}


def test_what_failed_or_was_not_read_is_not_right_and_what_is_pending_is_left_out() -> None:
    found = scores(ground(("object", "RRRF"), ("object", "RURR"), ("object", "RRR.")))
    assert found == {"object": QuadScore(2, 1, 1, 0)}


def test_both_orders_are_averaged() -> None:
    found = scores(ground(("object", "RRRR" + "RRWW"), orders=("", "-reversed")))
    assert found == {"object": QuadScore(2, 2, 1, 1)}


def test_repeats_are_averaged() -> None:
    once = ground(("object", "RRRR"))
    twice = Arm("v", IMAGE, (once.arms[0].repeats[0], bytes([Code.WRONG] * 4)))
    assert Quads.of(once).scores(twice, 4) == {"object": QuadScore(2, 1, 1, 1)}


def test_a_torn_quad_is_left_out_and_told() -> None:
    whole = ground(("object", "RRRR"), ("object", "RRRR"))
    torn = Ground(
        categories=whole.categories[:7],
        groups=whole.groups[:7],
        golds=whole.golds[:7],
        options=whole.options[:7],
        roles=whole.roles[:7],
        null_labels=whole.null_labels[:7],
        sources=whole.sources[:7],
        labels=whole.labels,
        arms=(Arm("v", IMAGE, (bytes([Code.RIGHT] * 7),)),),
    )
    assert scores(torn) == {"object": QuadScore(1, 1, 1, 1)}
    assert any(note.startswith("1 samples") for note in sections(torn)[0].notes)


def test_without_the_image_the_scores_are_undefined_with_the_reason() -> None:
    section, averages = sections(ground(("object", "RRRR"), condition=TEXT))
    (line,) = section.lines
    assert [figure.value for figure in line.figures] == [0, None, None, None]
    assert any("same request" in note for note in section.notes)
    assert {figure.value for line in averages.lines for figure in line.figures} == {None}


def test_the_section_ends_with_the_unweighted_mean() -> None:
    section = sections(ground(("a", "RRRR"), ("b", "WWWW"), ("b", "WWWW")))[0]
    assert [line.names for line in section.lines] == [("a",), ("b",), (MEAN,)]
    assert [figure.value for figure in section.lines[-1].figures] == [3, 0.5, 0.5, 0.5]


@given(st.lists(st.text("RWFU", min_size=4, max_size=4), min_size=1, max_size=30))
def test_the_group_score_lies_where_it_must(letters: list[str]) -> None:
    (score,) = scores(ground(*(("x", quad) for quad in letters))).values()
    assert max(0, score.text + score.image - score.size) <= score.group <= min(score.text, score.image)
