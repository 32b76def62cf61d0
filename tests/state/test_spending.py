"""What a run has cost, from its rows."""

from __future__ import annotations

import pytest

from vlbench.scoring.codes import Code
from vlbench.state.rows import Row
from vlbench.state.spending import costs_of, row_cost
from vlbench.types import Condition, LongPrice, Price, Usage, Variant

PRICE = Price(input=1.0, output=10.0)


def row(name: str, replies: int, *, cached: int = 0, failed: int = 0, told: bool = True) -> Row:
    made = Row(name, Condition(show="text"))
    made.grow(20, 1, (19,))
    for ordinal in range(replies + cached + failed):
        made.settle(ordinal, 0, Code.FAILED if ordinal < failed else Code.RIGHT)
    made.cached = cached
    for _ in range(replies):
        made.tokens.add(Usage(input_tokens=1_000, output_tokens=100) if told else Usage())
    return made


def variant(name: str, price: Price | None) -> Variant:
    return Variant(
        id=name, provider="p", model=name, lane="p", wire="chat", urls=(), identity=name, price=price
    )


def test_only_replies_that_were_paid_for_cost() -> None:
    made = row("m", 3, cached=4, failed=5)
    assert row_cost(made, PRICE) == pytest.approx(3 * 2_000e-6)
    assert row_cost(row("m", 0, cached=4), PRICE) == 0.0
    assert row_cost(made, None) is None


def test_without_any_tokens_told_the_cost_is_unknown() -> None:
    assert row_cost(row("m", 3, told=False), PRICE) is None


def test_replies_that_told_no_tokens_count_as_the_mean_of_the_others() -> None:
    made = row("m", 3)
    for _ in range(3):
        made.tokens.add(Usage())
    assert (made.tokens.replies, made.tokens.told) == (6, 3)
    assert row_cost(made, PRICE) == pytest.approx(6 * 2_000e-6)


def test_paid_replies_to_a_slot_asked_again_are_priced_each_by_its_own_length() -> None:
    dearer = PRICE.model_copy(update={"long": (LongPrice(above=1_500, input=100.0, output=100.0),)})
    made = row("m", 1)
    made.cached = 1  # what the paid reply stands in place of
    made.tokens.add(Usage(input_tokens=1_000, output_tokens=100))
    assert row_cost(made, dearer) == pytest.approx(2 * 2_000e-6), "no request was long"


def test_costs_are_by_variant_and_one_unknown_row_makes_the_variants_unknown() -> None:
    rows = [row("m", 1), row("m", 2), row("n", 1), row("o", 1), row("o", 1, told=False)]
    variants = [variant("m", PRICE), variant("n", None), variant("o", PRICE), variant("unasked", PRICE)]
    assert costs_of(rows, variants) == {"m": pytest.approx(3 * 2_000e-6), "n": None, "o": None}
