from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vlbench.scoring.arm import Arm
from vlbench.scoring.codes import Code
from vlbench.scoring.facts import Facts
from vlbench.scoring.gain import Gain, GainRow, gain_row, leakage_of, refusal_warning
from vlbench.types import Condition

MakeArm = Callable[..., Arm]
MakeFacts = Callable[..., Facts]


def test_gain_and_leakage_by_hand(arm: MakeArm, facts: MakeFacts) -> None:
    row = gain_row(
        facts(10),
        arm("RRRRRRRRWW"),
        arm("RRRRRWWWWW", show="text"),
        arm("RRRWWWWWWW", variant="llm", show="text", shots=2),
    )
    gain = row.overall
    assert (gain.pairs, gain.with_image, gain.without_image) == (10, 0.8, 0.5)
    assert gain.mg == pytest.approx(0.3)
    assert gain.ml == 0.5
    assert gain.leakage is not None
    assert gain.leakage.value == pytest.approx(0.2)
    assert (row.base, row.base_condition) == ("llm", Condition(show="text", shots=2))


def test_a_pair_needs_both_sides_but_refusals_and_the_like_count_as_not_right(
    arm: MakeArm, facts: MakeFacts
) -> None:
    gain = gain_row(facts(9), arm("RRRRRRRF0"), arm("RXBTUF.RR", show="text")).overall
    assert (gain.pairs, gain.possible) == (5, 9)
    assert (gain.with_image, gain.ml, gain.mg) == (1.0, 0.2, 0.8)
    assert gain.provisional


def test_leakage_without_a_base_is_unknown_but_a_base_of_zero_is_a_base(
    arm: MakeArm, facts: MakeFacts
) -> None:
    seen, unseen = arm("RRRR"), arm("RRWW", show="text")
    assert gain_row(facts(4), seen, unseen).overall.leakage is None
    with_base = gain_row(facts(4), seen, unseen, arm("WWWW", variant="llm", show="text")).overall.leakage
    assert with_base is not None
    assert (with_base.base, with_base.value) == (0.0, 0.5)
    assert leakage_of(0.5, None) is None
    assert leakage_of(0.5, 0.0) == 0.5


def test_a_base_that_does_better_means_no_leakage(arm: MakeArm, facts: MakeFacts) -> None:
    base = arm("RRRR", variant="llm", show="text")
    leakage = gain_row(facts(4), arm("RRRR"), arm("RWWW", show="text"), base).overall.leakage
    assert leakage is not None
    assert (leakage.value, leakage.interval.low) == (0.0, 0.0)


def test_a_failed_picture_side_does_not_cost_a_leakage_pair(arm: MakeArm, facts: MakeFacts) -> None:
    base = arm("WW.W", variant="llm", show="text")
    gain = gain_row(facts(4), arm("FRRR"), arm("RRWW", show="text"), base).overall
    assert gain.pairs == 3
    assert not gain.provisional
    assert gain.leakage is not None
    assert (gain.leakage.pairs, gain.leakage.provisional) == (3, True)
    assert gain.leakage.without_image == pytest.approx(2 / 3)


def test_no_pairs_yet_is_unknown(arm: MakeArm, facts: MakeFacts) -> None:
    base = arm("..", variant="llm", show="text")
    gain = gain_row(facts(2), arm("R."), arm(".R", show="text"), base).overall
    assert (gain.pairs, gain.mg, gain.mg_interval, gain.ml, gain.ml_interval) == (0, None, None, None, None)
    assert gain.leakage is None


def test_repeats_are_paired_one_to_one(arm: MakeArm, facts: MakeFacts) -> None:
    gain = gain_row(facts(2), arm("RR", "RF"), arm("WR", "RR", show="text")).overall
    assert (gain.pairs, gain.possible) == (3, 4)
    assert gain.mg == pytest.approx(1 - 2 / 3)
    assert gain.mg_interval is not None
    assert gain.mg_interval.method == "paired-clustered"


def test_bootstrap_intervals_on_demand_and_closed_form_where_it_is_mute(
    arm: MakeArm, facts: MakeFacts
) -> None:
    run = facts([("a",)] * 60 + [("b",)] * 20)
    seen, unseen = arm("RRW" * 20 + "R" * 20), arm("RWW" * 20 + "R" * 20, show="text")
    row = gain_row(run, seen, unseen, resamples=500)
    methods = [c.gain.mg_interval.method for c in row.categories if c.gain.mg_interval]
    assert methods == ["bootstrap", "paired"]
    assert row == gain_row(run, seen, unseen, resamples=500)


CODES = st.sampled_from(Code)
RUNS = st.lists(
    st.tuples(CODES, CODES, CODES, st.sampled_from("ab"), st.sampled_from("123456")), min_size=1, max_size=50
)
Run = list[tuple[Code, Code, Code, str, str]]


def row_of(run: Run, resamples: int = 0) -> GainRow:
    facts = Facts.of(
        categories=[(category,) for *_, category, _ in run],
        groups=[group for *_, group in run],
        golds="A" * len(run),
        options=[4] * len(run),
    )
    seen, unseen, base = (bytes(codes) for codes in zip(*(sample[:3] for sample in run), strict=True))
    text = Condition(show="text")
    return gain_row(
        facts,
        Arm("v", Condition(show="image"), (seen,)),
        Arm("v", text, (unseen,)),
        Arm("llm", text, (base,)),
        resamples=resamples,
    )


def gains_of(row: GainRow) -> list[Gain]:
    return [row.overall, *(category.gain for category in row.categories)]


@given(RUNS)
def test_the_formulas_and_bounds_hold_everywhere(run: Run) -> None:
    for gain in gains_of(row_of(run)):
        if gain.mg is None or gain.with_image is None or gain.without_image is None:
            assert gain.pairs == 0
            continue
        assert gain.mg == gain.with_image - gain.without_image
        assert gain.ml == gain.without_image
        assert gain.mg_interval is not None
        assert gain.ml_interval is not None
        assert -1 <= gain.mg_interval.low <= gain.mg + 1e-12
        assert gain.mg - 1e-12 <= gain.mg_interval.high <= 1
        assert 0 <= gain.ml_interval.low <= gain.ml <= gain.ml_interval.high <= 1
        if gain.leakage is not None:
            assert gain.leakage.value == max(0.0, gain.leakage.without_image - gain.leakage.base)
            assert 0 <= gain.leakage.interval.low <= gain.leakage.value + 1e-12
            assert gain.leakage.value <= gain.leakage.interval.high + 1e-12


@given(RUNS)
def test_categories_add_up_to_the_whole(run: Run) -> None:
    row = row_of(run)
    assert sum(category.gain.pairs for category in row.categories) == row.overall.pairs
    total = sum((c.gain.mg or 0) * c.gain.pairs for c in row.categories)
    assert total == pytest.approx((row.overall.mg or 0) * row.overall.pairs)


@given(RUNS, st.randoms(use_true_random=False))
def test_the_order_of_samples_changes_nothing_not_even_the_bootstrap(run: Run, random: Random) -> None:
    shuffled = list(run)
    random.shuffle(shuffled)
    assert row_of(shuffled, resamples=50) == row_of(run, resamples=50)


def test_many_refusals_name_the_run_that_repairs_them() -> None:
    text = Condition(show="text")
    assert refusal_warning("gpt", text, 30, 1_500) is None
    found = refusal_warning("gpt", text, 31, 1_500)
    assert found is not None
    assert "31 of 1,500" in found
    assert "2.1%" in found
    assert "--shots 2" in found


def test_refusals_in_spite_of_two_examples_are_not_sent_round_again() -> None:
    found = refusal_warning("gpt", Condition(show="grey", shots=2), 5, 100)
    assert found is not None
    assert "--shots" not in found
    assert "grey-2shot" in found


def test_no_replies_yet_are_no_warning() -> None:
    assert refusal_warning("gpt", Condition(show="text"), 0, 0) is None
