from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vlbench.scoring.accuracy import Accuracy, accuracy_row
from vlbench.scoring.arm import Arm
from vlbench.scoring.codes import Code
from vlbench.scoring.facts import Facts, Path
from vlbench.types import Condition

MakeArm = Callable[..., Arm]
MakeFacts = Callable[..., Facts]

# Sizes of MMStar's axes; the hits are invented except that they add up to published core hits.
MMSTAR = {
    "coarse perception": [(141, 90), (78, 60), (31, 14)],
    "fine-grained perception": [(118, 70), (92, 40), (40, 20)],
    "instance reasoning": [(99, 60), (89, 56), (62, 40)],
    "logical reasoning": [(110, 60), (101, 45), (39, 10)],
    "math": [(116, 60), (86, 50), (48, 23)],
    "science & technology": [(146, 40), (58, 23), (46, 20)],
}


def full_mmstar() -> tuple[Facts, Arm]:
    categories: list[Path] = []
    codes = bytearray()
    for core, axes in MMSTAR.items():
        for axis, (size, hits) in enumerate(axes):
            categories += [(core, f"{core}/{axis}")] * size
            codes += bytes([Code.RIGHT] * hits + [Code.WRONG] * (size - hits))
    size = len(codes)
    facts = Facts.of(
        categories=categories,
        groups=[str(at) for at in range(size)],
        golds="A" * size,
        options=[4] * size,
    )
    return facts, Arm("v", Condition(show="image"), (codes,))


def overall(facts: Facts, arm: Arm) -> Accuracy:
    return accuracy_row(facts, arm).overall


def test_the_headline_is_right_over_all_with_failures_as_not_right(arm: MakeArm, facts: MakeFacts) -> None:
    result = overall(facts(10), arm("RRRRWUXTF0"))
    assert (result.value, result.right, result.total, result.answered) == (0.4, 4, 10, 5)
    assert (result.of_answered, result.coverage) == (0.8, 0.5)
    assert result.partial
    assert not result.provisional


def test_pending_samples_are_left_out_and_make_it_provisional(arm: MakeArm, facts: MakeFacts) -> None:
    result = overall(facts(8), arm("RRRW...."))
    assert (result.value, result.total, result.provisional, result.partial) == (0.75, 4, True, False)


def test_nothing_yet_is_none_and_not_zero(arm: MakeArm, facts: MakeFacts) -> None:
    result = overall(facts(3), arm("..."))
    assert (result.value, result.of_answered, result.coverage, result.interval) == (None, None, None, None)
    assert overall(facts(0), arm("")).value is None


def test_nothing_answered_is_an_accuracy_of_zero(arm: MakeArm, facts: MakeFacts) -> None:
    result = overall(facts(3), arm("XBF"))
    assert (result.value, result.of_answered, result.coverage) == (0.0, None, 0.0)


def test_answers_cut_off_after_the_label_are_counted_by_category(arm: MakeArm, facts: MakeFacts) -> None:
    row = accuracy_row(facts([("a",), ("a",), ("b",)]), arm("RWR", cut="c-c"))
    assert row.overall.cut == 2
    assert [category.accuracy.cut for category in row.categories] == [1, 1]


def test_on_a_full_mmstar_run_the_sample_mean_is_the_mean_of_cores_but_not_of_axes() -> None:
    facts, arm = full_mmstar()
    row = accuracy_row(facts, arm)
    cores = {c.path[0]: c for c in row.categories if len(c.path) == 1}
    assert [c.accuracy.right for c in cores.values()] == [164, 130, 156, 115, 133, 83]
    assert row.averages.sample_mean == pytest.approx(0.520667, abs=1e-6)
    assert row.averages.coarse_mean == pytest.approx(row.averages.sample_mean)
    axes = [hits / size for parts in MMSTAR.values() for size, hits in parts]
    assert row.averages.fine_mean == pytest.approx(sum(axes) / 18)
    assert row.averages.fine_mean != pytest.approx(row.averages.sample_mean, abs=0.002)
    assert cores["coarse perception"].mean_of_parts == pytest.approx((90 / 141 + 60 / 78 + 14 / 31) / 3)
    assert cores["coarse perception"].accuracy.value == 0.656


def test_on_a_partial_run_the_averages_part_ways(arm: MakeArm, facts: MakeFacts) -> None:
    averages = accuracy_row(facts([("a",), ("a",), ("a",), ("b",)]), arm("RRRW")).averages
    assert (averages.sample_mean, averages.coarse_mean, averages.fine_mean) == (0.75, 0.5, None)


def test_categories_are_sorted_coarse_first_and_a_shared_axis_name_stays_apart(
    arm: MakeArm, facts: MakeFacts
) -> None:
    row = accuracy_row(facts([("b", "x"), ("a", "x"), ("a",), ()]), arm("RWRR"))
    assert [(c.path, c.accuracy.right, c.accuracy.total) for c in row.categories] == [
        (("a",), 1, 2),
        (("b",), 1, 1),
        (("a", "x"), 0, 1),
        (("b", "x"), 1, 1),
    ]


def test_repeats_are_averaged_and_a_sample_is_not_counted_as_more(arm: MakeArm, facts: MakeFacts) -> None:
    once, thrice = overall(facts(40), arm("RW" * 20)), overall(facts(40), arm(*["RW" * 20] * 3))
    assert (thrice.value, thrice.right, thrice.total) == (0.5, 60, 120)
    assert once.interval is not None
    assert thrice.interval is not None
    assert thrice.interval.method == "wilson-clustered"
    assert thrice.interval.high - thrice.interval.low >= once.interval.high - once.interval.low


def test_shared_pictures_widen_the_interval(arm: MakeArm, facts: MakeFacts) -> None:
    codes = arm("RRRRWWWW" * 10)
    alone, shared = (
        overall(facts(80), codes),
        overall(facts(80, groups=[str(at // 4) for at in range(80)]), codes),
    )
    assert alone.interval is not None
    assert shared.interval is not None
    assert (alone.interval.method, shared.interval.method) == ("wilson", "wilson-clustered")
    assert shared.interval.high - shared.interval.low > 1.7 * (alone.interval.high - alone.interval.low)


SAMPLES = st.lists(
    st.tuples(st.sampled_from(Code), st.sampled_from("ab"), st.sampled_from("xy"), st.sampled_from("123")),
    min_size=1,
    max_size=60,
)


def run_of(samples: list[tuple[Code, str, str, str]]) -> tuple[Facts, Arm]:
    facts = Facts.of(
        categories=[(coarse, fine) for _, coarse, fine, _ in samples],
        groups=[group for *_, group in samples],
        golds="A" * len(samples),
        options=[4] * len(samples),
    )
    return facts, Arm("v", Condition(show="image"), (bytes(code for code, *_ in samples),))


@given(SAMPLES)
def test_parts_add_up_and_bounds_hold(samples: list[tuple[Code, str, str, str]]) -> None:
    row = accuracy_row(*run_of(samples))
    for depth in (1, 2):
        level = [c.accuracy for c in row.categories if len(c.path) == depth]
        assert sum(a.right for a in level) == row.overall.right
        assert sum(a.total for a in level) == row.overall.total
        assert sum(a.counts.pending for a in level) == row.overall.counts.pending
    for result in [row.overall, *(c.accuracy for c in row.categories)]:
        if result.value is None or result.interval is None or result.coverage is None:
            assert result.total == 0
            continue
        assert 0 <= result.interval.low <= result.value <= result.interval.high <= 1
        assert result.value == pytest.approx((result.of_answered or 0) * result.coverage)


@given(SAMPLES, st.randoms(use_true_random=False))
def test_the_order_of_samples_changes_nothing(
    samples: list[tuple[Code, str, str, str]], random: Random
) -> None:
    shuffled = list(samples)
    random.shuffle(shuffled)
    assert accuracy_row(*run_of(shuffled)) == accuracy_row(*run_of(samples))


@pytest.mark.parametrize(
    "repeats",
    [(), (b"\x01",), (b"\x01\x01", b"\x01"), (b"\x01\x09",)],
    ids=["none", "short", "uneven", "no code"],
)
def test_codes_that_do_not_fit_are_refused(repeats: tuple[bytes, ...], facts: MakeFacts) -> None:
    with pytest.raises(ValueError, match="v under image"):
        accuracy_row(facts(2), Arm("v", Condition(show="image"), repeats))


def test_live_arrays_can_go_on_growing_after_they_were_scored(facts: MakeFacts) -> None:
    codes = bytearray([Code.RIGHT, Code.PENDING])
    accuracy_row(facts(2), Arm("v", Condition(show="image"), (codes,)))
    codes.append(Code.WRONG)  # raises BufferError while a view of the array is held
    assert len(codes) == 3
