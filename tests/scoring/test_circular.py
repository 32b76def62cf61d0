"""A question is right in circular evaluation when all its rotations are."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from vlbench.scoring.arm import Arm
from vlbench.scoring.circular import sections
from vlbench.scoring.metrics import Ground

MakeArm = Callable[..., Arm]


def ground(groups: str, options: list[int], categories: str, *arms: Arm) -> Ground:
    """One letter a sample: its group, its category; roles count up inside each group."""
    seen: dict[str, int] = {}
    roles = []
    for group in groups:
        roles.append(f"rotation-{seen.get(group, 0)}" if group != "-" else "")
        seen[group] = seen.get(group, 0) + 1
    empty = [""] * len(groups)
    return Ground(
        categories=[(name,) if name != "-" else () for name in categories],
        groups=list(groups),
        golds=["A"] * len(groups),
        options=options,
        roles=roles,
        null_labels=empty,
        sources=empty,
        labels=[""],
        arms=arms,
    )


def figures(section: int, made: Ground) -> dict[tuple[str, ...], list[float | None]]:
    lines = sections(made)[section].lines
    return {(line.condition, *line.names): [figure.value for figure in line.figures] for line in lines}


def test_one_wrong_rotation_makes_the_question_wrong(arm: MakeArm) -> None:
    made = ground("aabbccc", [2, 2, 2, 2, 3, 3, 3], "xxxxyyy", arm("RRRWRRR"))
    assert figures(0, made) == {
        ("image", "all"): [3, pytest.approx(2 / 3)],
        ("image", "x"): [2, 0.5],
        ("image", "y"): [1, 1.0],
    }


def test_what_failed_is_not_right_and_what_is_pending_is_not_counted(arm: MakeArm) -> None:
    made = ground("aabbccdd", [2] * 8, "--------", arm("RRRFRXR."))
    assert figures(0, made) == {("image", "all"): [3, pytest.approx(1 / 3)]}


def test_torn_questions_are_left_out_and_counted(arm: MakeArm) -> None:
    made = ground("aab-", [2, 2, 2, 2], "----", arm("RRRR"))
    assert figures(0, made) == {("image", "all"): [1, 1.0]}
    assert any(note.startswith("1 questions of which not all rotations") for note in sections(made)[0].notes)


def test_repeats_are_counted_one_by_one(arm: MakeArm) -> None:
    made = ground("aa", [2, 2], "--", arm("RR", "RW"))
    assert figures(0, made) == {("image", "all"): [2, 0.5]}


def test_the_gain_is_between_the_questions_settled_on_both_sides(arm: MakeArm) -> None:
    made = ground("aabbcc", [2] * 6, "------", arm("RRRRRR"), arm("RRWRR.", show="text"))
    assert figures(1, made) == {("text",): [2, 1.0, 0.5, 0.5]}


def test_a_run_without_rotations_has_no_such_section(arm: MakeArm) -> None:
    assert sections(ground("--", [2, 2], "--", arm("RR"))) == ()
