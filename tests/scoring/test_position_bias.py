"""A preference for a label is told from errors that go in all directions alike."""

from __future__ import annotations

from math import exp

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vlbench.scoring.arm import Arm
from vlbench.scoring.codes import Code
from vlbench.scoring.intervals import mcnemar
from vlbench.scoring.metrics import Ground
from vlbench.scoring.position_bias import chi_square_tail, label_use, marginal_homogeneity
from vlbench.types import Condition


# The 5 % points of the distribution, from any table of it.
@pytest.mark.parametrize(
    ("degrees", "point"), [(1, 3.84146), (2, 5.99146), (3, 7.81473), (4, 9.48773), (7, 14.06714)]
)
def test_the_tail_of_chi_square(degrees: int, point: float) -> None:
    assert chi_square_tail(point, degrees) == pytest.approx(0.05, abs=1e-6)


def test_two_labels_are_mcnemars_test() -> None:
    # (20 - 5)^2 / 25 = 9; the exact test is near it.
    found = marginal_homogeneity([[50, 20], [5, 60]])
    assert found == pytest.approx(chi_square_tail(9.0, 1))
    assert found == pytest.approx(mcnemar(20, 5), abs=0.005)


def test_three_labels_worked_by_hand() -> None:
    # d = (4, -4), V = [[10, -5], [-5, 12]] without the last label: d V^-1 d = 192 / 95.
    table = [[20, 4, 3], [1, 30, 3], [2, 4, 25]]
    assert marginal_homogeneity(table) == pytest.approx(exp(-192 / 95 / 2))


def test_a_perfect_model_has_no_preference_to_test() -> None:
    assert marginal_homogeneity([[5, 0], [0, 7]]) is None
    assert marginal_homogeneity([[0, 0], [0, 0]]) is None


def test_always_the_same_label_is_found() -> None:
    found = marginal_homogeneity([[25, 0, 0, 0], [25, 0, 0, 0], [25, 0, 0, 0], [25, 0, 0, 0]])
    assert found is not None
    assert found < 1e-6


@given(st.lists(st.lists(st.integers(0, 30), min_size=3, max_size=3), min_size=3, max_size=3))
def test_errors_that_go_both_ways_alike_are_no_preference(table: list[list[int]]) -> None:
    symmetric = [[table[a][b] + table[b][a] for b in range(3)] for a in range(3)]
    assert marginal_homogeneity(symmetric) in (None, pytest.approx(1.0))
    p = marginal_homogeneity(table)
    assert p is None or 0.0 <= p <= 1.0


def test_only_answers_are_counted() -> None:
    ground = Ground(
        categories=[()] * 4,
        groups=list("abcd"),
        golds=["A", "B", "A", "B"],
        options=[2] * 4,
        roles=[""] * 4,
        null_labels=[""] * 4,
        sources=[""] * 4,
        labels=["", "B", "A"],
        arms=(),
    )
    codes = bytes([Code.RIGHT, Code.WRONG, Code.UNPARSED, Code.PENDING])
    arm = Arm("v", Condition(show="image"), (codes,), chosen=(bytes([2, 2, 0, 0]),))
    use = label_use(ground, arm, ["A", "B"])
    assert (use.golds, use.chosen) == ((1, 1), (2, 0))
