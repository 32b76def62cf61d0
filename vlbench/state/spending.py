"""What a run has cost at one moment: the one place where tokens become dollars, for every view."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from vlbench.catalog.prices import cost
from vlbench.scoring.codes import Code
from vlbench.state.rows import Row
from vlbench.types import Price, Usage, Variant


def paid_replies(row: Row) -> int:
    """How many replies of the row were paid for: neither failed nor taken from the cache.

    A reply that was asked for again counts once, though its tokens are those of both.
    """
    lost = row.counts[Code.FAILED] + row.counts[Code.UNUSABLE] + row.cached
    return max(row.done - lost, 1 if row.tokens.input or row.tokens.output else 0)


def paid_usage(row: Row) -> Usage:
    """The tokens of all replies of the row that were paid for."""
    tokens = row.tokens
    return Usage(
        input_tokens=tokens.input, output_tokens=tokens.output, cached_input_tokens=tokens.cached_input
    )


def row_cost(row: Row, price: Price | None) -> float | None:
    """US dollars paid for the row, None when the price or the tokens are not known. Cached replies are free.

    What a provider charges for failed attempts, if anything, it does not tell; it is not in it.
    """
    return cost(price, paid_usage(row), paid_replies(row))


def costs_of(rows: Iterable[Row], variants: Iterable[Variant]) -> dict[str, float | None]:
    """US dollars paid by variant, None when they are not known of all its rows."""
    prices: Mapping[str, Price | None] = {variant.id: variant.price for variant in variants}
    found: dict[str, float | None] = dict.fromkeys(prices, 0.0)
    seen: set[str] = set()
    for row in rows:
        seen.add(row.variant)
        found[row.variant] = plus(found.get(row.variant, 0.0), row_cost(row, prices.get(row.variant)))
    return {variant: dollars for variant, dollars in found.items() if variant in seen}


def plus(one: float | None, other: float | None) -> float | None:
    """The sum; what is not known makes it unknown."""
    return None if one is None or other is None else one + other
