from __future__ import annotations

from collections.abc import Callable

import pytest

from vlbench.scoring.baselines import baselines_of
from vlbench.scoring.facts import Facts

MakeFacts = Callable[..., Facts]


def test_the_golds_of_mmstar_give_its_known_baselines() -> None:
    golds = "A" * 429 + "B" * 447 + "C" * 309 + "D" * 315
    facts = Facts.of(
        categories=[()] * 1_500,
        groups=[str(at) for at in range(1_500)],
        golds=golds,
        options=[3] + [4] * 1_499,
    )
    overall = baselines_of(facts).overall
    assert (overall.label, overall.frequent) == ("B", 0.298)
    assert overall.random == pytest.approx((1 / 3 + 1_499 / 4) / 1_500)
    # The paper prints 24.6 % from random draws: within two standard errors of the expectation.
    assert overall.random == pytest.approx(0.246, abs=2 * (0.25 * 0.75 / 1_500) ** 0.5)


def test_a_letter_for_each_category_beats_one_for_all(facts: MakeFacts) -> None:
    paths = [("a", "x")] * 3 + [("a", "y")] * 2 + [("b", "x")] * 3
    result = baselines_of(facts(paths, golds="AABBBDDD"))
    assert result.frequent_by_level == (3 / 8, 6 / 8, 7 / 8)
    assert [(b.path, b.label, b.samples) for b in result.categories[:2]] == [
        (("a",), "B", 5),
        (("b",), "D", 3),
    ]


def test_the_first_of_several_commonest_labels_is_played(facts: MakeFacts) -> None:
    assert baselines_of(facts(4, golds="DDBB")).overall.label == "B"


def test_broken_rows_are_left_out() -> None:
    facts = Facts.of(categories=[()] * 3, groups=["1", "2", "3"], golds=["A", "B", ""], options=[2, 4, 0])
    overall = baselines_of(facts).overall
    assert (overall.samples, overall.random) == (2, 0.375)


def test_a_run_of_nothing_has_no_baseline() -> None:
    result = baselines_of(Facts.of(categories=[], groups=[], golds=[], options=[]))
    assert (result.overall.random, result.overall.label, result.frequent_by_level) == (None, None, (None,))
