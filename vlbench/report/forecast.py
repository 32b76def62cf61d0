"""A dry run as a table on stdout."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final

from vlbench.catalog.prices import cost
from vlbench.engine.forecast import Forecast
from vlbench.report.cost_blocks import price_words
from vlbench.report.figures import count, dollars
from vlbench.report.listing import print_rows
from vlbench.state.spending import plus
from vlbench.types import Usage

EXAMPLE: Final = Usage(input_tokens=1_000_000, output_tokens=100_000)
"""What 1,000 requests of 1,000 tokens in and 100 out need: no estimate, a size to calculate with."""


def print_forecast(benchmark: str, rows: Sequence[Forecast]) -> None:
    """What a run of `benchmark` would send, one line per variant and condition, and in all.

    Below it, what each variant would cost by the replies there are to go by, else what its price comes to.
    """
    print(f"{benchmark}: nothing is sent in a dry run")
    lines = [_line(row.variant, row.condition, [row], row.lane) for row in rows]
    if len(rows) > 1:
        lines.append(_line("all", "", rows, ""))
    print_rows(lines)
    for sentence in cost_sentences(rows):
        print(sentence)


def _line(variant: str, condition: str, rows: Sequence[Forecast], lane: str) -> dict[str, str]:
    return {
        "asked": variant,
        "condition": condition,
        "requests": count(sum(row.requests for row in rows)),
        "cached": count(sum(row.cached for row in rows)),
        "in this run": count(sum(row.settled for row in rows)),
        "images": count(sum(row.images for row in rows)),
        "MB of images": f"{sum(row.bytes for row in rows) / 1e6:,.1f}",
        "account": lane,
    }


def cost_sentences(rows: Sequence[Forecast]) -> Iterator[str]:
    """What each variant that would be asked is expected to cost, and why one thinks so."""
    is_guess = False
    for variant, same in groupby(rows, key=lambda row: row.variant):
        asked = [row for row in same if row.requests]
        if asked:
            yield f"Cost of {variant}: {_expected(asked)}"
            is_guess = is_guess or (asked[0].price is not None and any(row.cost is None for row in asked))
    if is_guess:
        yield (
            "How many tokens these questions take, only replies tell: run a few, as with --limit 20, and "
            "look again."
        )


def _expected(rows: Sequence[Forecast]) -> str:
    price = rows[0].price
    if price is None:
        return "— (no price is known)"
    total: float | None = 0.0
    for row in rows:
        total = plus(total, row.cost)
    if total is None:
        example = dollars(cost(price, EXAMPLE, 1_000))
        return f"1,000 requests of 1,000 tokens in and 100 out come to ${example}, at {price_words(price)}"
    known = ", ".join(
        f"{count(row.known)} of {row.condition}: {_mean(row.tokens.input_tokens, row.known)} tokens in, "
        f"{_mean(row.tokens.output_tokens, row.known)} out"
        for row in rows
    )
    return (
        f"about ${dollars(total)}, if they are like the replies there are ({known}), at {price_words(price)}"
    )


def _mean(tokens: int | None, replies: int) -> str:
    return count(round((tokens or 0) / replies))
