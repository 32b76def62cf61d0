"""What a run has cost at one moment: the one place where tokens become dollars, for every view."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from vlbench.catalog.prices import cost
from vlbench.state.rows import Row
from vlbench.types import Price, Usage, Variant


def told_usage(row: Row) -> Usage:
    """The tokens of the replies of the row that were paid for and told them: `row.tokens.told` in number."""
    tokens = row.tokens
    return Usage(
        input_tokens=tokens.input, output_tokens=tokens.output, cached_input_tokens=tokens.cached_input
    )


def told_cost(row: Row, price: Price | None) -> float | None:
    """US dollars for those paid replies of the row that told their tokens; None without a price."""
    return cost(price, told_usage(row), row.tokens.told)


def row_cost(row: Row, price: Price | None) -> float | None:
    """US dollars paid for the row; a reply that told no tokens counts as the mean of those that did.

    None when the price is not known, or no reply told its tokens. Cached replies are free. What a provider
    charges for failed attempts, if anything, it does not tell; it is not in it.
    """
    tokens, known = row.tokens, told_cost(row, price)
    if known is None or not tokens.replies:
        return known
    return known / tokens.told * tokens.replies if tokens.told else None


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
