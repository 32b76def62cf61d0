from __future__ import annotations

from collections.abc import Callable

import pytest

from vlbench.scoring.arm import Arm
from vlbench.scoring.comparison import compare
from vlbench.scoring.facts import Facts

MakeArm = Callable[..., Arm]
MakeFacts = Callable[..., Facts]


def test_only_disagreements_decide(arm: MakeArm, facts: MakeFacts) -> None:
    whole, a, b = compare(
        facts([("a",)] * 10 + [("b",)] * 4),
        arm("RRRRRRRRRW" + "RWFR"),
        arm("RWWWWWWWWR" + "RWRR", variant="w"),
    )
    assert (a.first_ahead, a.second_ahead, a.pairs) == (8, 1, 10)
    assert a.p_value == pytest.approx(20 / 512)
    assert a.difference == pytest.approx(0.7)
    assert a.interval is not None
    assert 0 < a.interval.low < 0.7 < a.interval.high <= 1
    assert (b.pairs, b.difference, b.p_value) == (3, 0.0, 1.0)
    assert whole.pairs == 13


def test_samples_that_share_a_picture_are_one_piece_of_evidence(arm: MakeArm, facts: MakeFacts) -> None:
    first, second = arm("R" * 12), arm("W" * 12, variant="w")
    alone = compare(facts(12), first, second)[0]
    shared = compare(facts(12, groups=[str(at // 4) for at in range(12)]), first, second)[0]
    assert (alone.first_ahead, shared.first_ahead) == (12, 3)
    assert alone.p_value < 0.001 < shared.p_value == 0.25
    assert alone.difference == shared.difference == 1


def test_nothing_in_common_is_no_difference_known(arm: MakeArm, facts: MakeFacts) -> None:
    whole = compare(facts(2), arm("R."), arm(".R", variant="w"))[0]
    assert (whole.pairs, whole.difference, whole.interval, whole.p_value) == (0, None, None, 1.0)
