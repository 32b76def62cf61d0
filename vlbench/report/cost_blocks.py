"""What was paid for: tokens by row, and dollars where the price of a model is known."""

from __future__ import annotations

from collections.abc import Iterator

from vlbench.printable import SUMS_IN_FULL
from vlbench.report.data import ReportData
from vlbench.report.figures import count, dollars
from vlbench.report.layout import Block, Column, Note, Table
from vlbench.state.spending import plus
from vlbench.types import Price


def cost_blocks(report: ReportData) -> tuple[Block, ...]:
    """The tokens that were paid for, what they cost, and by which prices; nothing when none were."""
    if not any(row.tokens.input or row.tokens.output for row in report.rows):
        return ()
    table = Table(
        "Tokens and cost",
        (
            Column("variant"),
            Column("shown"),
            Column("tokens in", right=True),
            Column("cached in", right=True, wide=True),
            Column("tokens out", right=True),
            Column("reasoning", right=True, wide=True),
            Column("US $", right=True),
        ),
    )
    for row in report.rows:
        tokens = row.tokens
        counts = (tokens.input, tokens.cached_input, tokens.output, tokens.reasoning)
        table.add(row.variant, row.condition.id, *map(count, counts), dollars(row.cost))
    if len(report.rows) > 1:
        sums = [
            sum(getattr(row.tokens, name) for row in report.rows)
            for name in ("input", "cached_input", "output", "reasoning")
        ]
        known = sum(row.cost for row in report.rows if row.cost is not None)
        table.add("all", "", *map(count, sums), dollars(None if _unpriced(report) else known))
    return table, Note(" ".join(_sentences(report)))


def brief_cost(report: ReportData) -> tuple[Note, ...]:
    """The sum in one sentence; nothing when no price is known."""
    known = [row.cost for row in report.rows if row.cost is not None]
    if not known:
        return ()
    without = _unpriced(report)
    lacking = "price or tokens are" if _silent(report) else "price is"
    rest = f" without {', '.join(without)}, of which no {lacking} known" if without else ""
    prices = [model.price for model in report.provenance.models if model.price is not None]
    origins = "; ".join(dict.fromkeys(map(_origin, prices)))
    words = [
        f"Cost: ${dollars(sum(known))}{rest} ({origins}).",
        *_untold(report),
        "Cached replies cost nothing.",
    ]
    return (Note(" ".join(words)),)


def _untold(report: ReportData) -> Iterator[str]:
    """How many of the replies in the sum are priced without having told their tokens."""
    paid = [row.tokens for row in report.rows if row.cost is not None]
    silent = sum(tokens.replies - tokens.told for tokens in paid)
    if silent:
        of = count(sum(tokens.replies for tokens in paid))
        yield f"{count(silent)} of {of} replies told no tokens and are counted at the mean of the others."


def _unpriced(report: ReportData) -> tuple[str, ...]:
    """The variants whose cost is not known of all their rows."""
    costs: dict[str, float | None] = {}
    for row in report.rows:
        costs[row.variant] = plus(costs.get(row.variant, 0.0), row.cost)
    return tuple(variant for variant, cost in costs.items() if cost is None)


def _silent(report: ReportData) -> tuple[str, ...]:
    """Variants with a price and without a known cost: no tokens were told to multiply it with."""
    priced = {model.variant for model in report.provenance.models if model.price is not None}
    return tuple(variant for variant in _unpriced(report) if variant in priced)


def _sentences(report: ReportData) -> Iterator[str]:
    known = [row.cost for row in report.rows if row.cost is not None]
    without = _unpriced(report)
    if known and without:
        yield f"${dollars(sum(known))} in all that has a price."
    for model in report.provenance.models:
        if model.price is not None:
            yield f"{model.variant}: {price_words(model.price)}."
    yield from _untold(report)
    silent = _silent(report)
    if silent:
        yield f"Under some condition {', '.join(silent)} told no tokens, so that its cost is not known."
    if priceless := [variant for variant in without if variant not in silent]:
        yield f"The price of {', '.join(priceless)} is not known."
    yield "Replies from the cache cost nothing and are not in it, nor are attempts that failed."


def price_words(price: Price) -> str:
    """`$1.25 in, $0.125 cached in, $10 out per million tokens (list price by …, 2026-11-30)`."""
    cached = "" if price.cached_input is None else f"{_rate(price.cached_input)} cached in, "
    long = ", more for long requests" if price.long else ""
    rates = f"{_rate(price.input)} in, {cached}{_rate(price.output)} out"
    return f"{rates} per million tokens{long} ({_origin(price)})"


def _origin(price: Price) -> str:
    whose = "list price by" if price.listed else "price of its entry,"
    day = f", {price.checked.isoformat()}" if price.checked else ""
    return f"{whose} {price.source or 'source not told'}{day}"


def _rate(dollars_per_million: float) -> str:
    """`$1.25`, `$0.075`: two decimals, or as many as it takes."""
    short = f"{dollars_per_million:.2f}"
    is_exact = float(short) == dollars_per_million < SUMS_IN_FULL
    return f"${short if is_exact else format(dollars_per_million, 'g')}"
