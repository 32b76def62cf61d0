from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vlbench.scoring.facts import Facts
from vlbench.scoring.intervals import (
    Clusters,
    Interval,
    bootstrap,
    effective_sizes,
    mcnemar,
    paired_difference,
    wilson,
)


def clusters_of(members: list[list[int]]) -> Clusters:
    """One category whose clusters hold these values of 0 and 1."""
    values = [value for cluster in members for value in cluster]
    groups = [str(at) for at, cluster in enumerate(members) for _ in cluster]
    facts = Facts.of(
        categories=[()] * len(values), groups=groups, golds="A" * len(values), options=[4] * len(values)
    )
    sums = np.array(values, dtype=np.int64)
    return Clusters.of(facts.levels[0], sums, np.ones_like(sums), np.array([sums.sum()]))


def test_wilson_matches_worked_figures() -> None:
    # R. G. Newcombe (1998), Statistics in Medicine 17, 857-872, table I, method 3.
    for right, size, low, high in [
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (1, 29, 0.0061, 0.1718),
    ]:
        interval = wilson(right / size, size)
        assert (interval.low, interval.high) == pytest.approx((low, high), abs=5e-5)


@given(st.integers(1, 10_000).flatmap(lambda size: st.tuples(st.integers(0, size), st.just(size))))
def test_wilson_holds_the_estimate_and_stays_within_bounds(case: tuple[int, int]) -> None:
    right, size = case
    interval = wilson(right / size, size)
    assert 0 <= interval.low <= right / size <= interval.high <= 1
    assert interval.low < interval.high


def test_wilson_of_nothing_excludes_nothing() -> None:
    assert wilson(0.0, 0) == Interval(0.0, 1.0, "wilson")


@given(st.integers(0, 300), st.integers(0, 300), st.integers(0, 300))
def test_a_paired_interval_holds_the_difference_and_turns_with_the_sides(b: int, c: int, agree: int) -> None:
    size = b + c + agree
    if size == 0:
        return
    interval, turned = paired_difference(b, c, size), paired_difference(c, b, size)
    assert -1 <= interval.low <= (b - c) / size <= interval.high <= 1
    assert (turned.low, turned.high) == pytest.approx((-interval.high, -interval.low))


def test_agreement_on_few_pairs_is_not_certainty() -> None:
    few, many = paired_difference(0, 0, 5), paired_difference(0, 0, 5_000)
    assert few.high > 0.35
    assert 0 < many.high < 0.001


def test_independent_clusters_are_worth_nearly_their_samples() -> None:
    assert effective_sizes(clusters_of([[1], [0], [1], [1], [0]] * 20))[0] == pytest.approx(99)


def test_samples_that_always_agree_are_worth_one_per_cluster() -> None:
    size = effective_sizes(clusters_of([[1, 1, 1, 1], [0, 0, 0, 0]] * 50))[0]
    assert size == pytest.approx(99)  # 400 values in 100 clusters, less the one degree of freedom


def test_samples_that_always_disagree_earn_no_bonus() -> None:
    assert effective_sizes(clusters_of([[1, 0]] * 50))[0] == 100


def test_where_nothing_varies_each_cluster_counts_once() -> None:
    assert effective_sizes(clusters_of([[1, 1], [1, 1], [1, 1]]))[0] == 3
    assert effective_sizes(clusters_of([[1, 0, 1]]))[0] == 1


def test_cluster_variance_equals_the_ratio_formula() -> None:
    members = [[1, 1, 0], [0, 0], [1], [1, 1, 1, 0], [0, 1]]
    values = [value for cluster in members for value in cluster]
    mean = sum(values) / len(values)
    residuals = [sum(cluster) - mean * len(cluster) for cluster in members]
    variance = 5 / 4 * sum(r * r for r in residuals) / len(values) ** 2
    expected = min(len(values), mean * (1 - mean) / variance)
    assert effective_sizes(clusters_of(members))[0] == pytest.approx(expected)


def test_many_kinds_of_clusters_give_the_same_as_few(monkeypatch: pytest.MonkeyPatch) -> None:
    members = [[1, 1, 0], [0, 0], [1], [1, 1, 1, 0], [0, 1]]
    dense = effective_sizes(clusters_of(members))
    monkeypatch.setattr("vlbench.scoring.intervals._LARGE_TABLE", 1)
    assert effective_sizes(clusters_of(members)) == pytest.approx(dense)


KINDS = np.array([1, -1, 0]), np.array([1, 1, 1])


def test_the_bootstrap_repeats_itself_and_depends_on_its_seed() -> None:
    counts = np.array([40, 20, 140])
    assert bootstrap(*KINDS, counts) == bootstrap(*KINDS, counts)
    assert bootstrap(*KINDS, counts) != bootstrap(*KINDS, counts, seed=1)


def test_the_bootstrap_agrees_with_the_closed_form_on_many_pairs() -> None:
    drawn, closed = bootstrap(*KINDS, np.array([400, 200, 1_400])), paired_difference(400, 200, 2_000)
    assert drawn is not None
    assert (drawn.low, drawn.high) == pytest.approx((closed.low, closed.high), abs=0.003)


def test_the_bootstrap_over_clusters_is_wider_than_over_their_samples() -> None:
    sums, sizes = np.array([4, -4, 0]), np.array([4, 4, 4])
    clustered, naive = (
        bootstrap(sums, sizes, np.array([20, 10, 70])),
        bootstrap(*KINDS, np.array([80, 40, 280])),
    )
    assert clustered is not None
    assert naive is not None
    assert clustered.high - clustered.low > 1.8 * (naive.high - naive.low)


def test_the_bootstrap_has_nothing_to_say_when_all_clusters_are_alike() -> None:
    assert bootstrap(*KINDS, np.array([0, 0, 12])) is None


def test_mcnemar_matches_the_binomial_by_hand() -> None:
    assert mcnemar(0, 0) == 1
    assert mcnemar(5, 5) == 1
    assert mcnemar(1, 8) == pytest.approx(2 * (1 + 9) / 2**9)
    assert mcnemar(0, 5) == pytest.approx(2 / 32)


@given(st.integers(0, 400), st.integers(0, 400))
def test_mcnemar_is_a_probability_and_has_no_side(b: int, c: int) -> None:
    assert 0 <= mcnemar(b, c) == mcnemar(c, b) <= 1


def test_mcnemar_of_an_overwhelming_difference_is_zero_not_an_error() -> None:
    assert mcnemar(0, 20_000) == 0
