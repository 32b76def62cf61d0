"""What was paid for: tokens by row, and dollars where the price of a model is known."""

from __future__ import annotations

from collections.abc import Iterator

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
    rest = f" without {', '.join(without)}, of which no price is known" if without else ""
    prices = [model.price for model in report.provenance.models if model.price is not None]
    origins = "; ".join(dict.fromkeys(map(_origin, prices)))
    return (Note(f"Cost: ${dollars(sum(known))}{rest} ({origins}). Cached replies cost nothing."),)


def _unpriced(report: ReportData) -> tuple[str, ...]:
    """The variants whose cost is not known of all their rows."""
    costs: dict[str, float | None] = {}
    for row in report.rows:
        costs[row.variant] = plus(costs.get(row.variant, 0.0), row.cost)
    return tuple(variant for variant, cost in costs.items() if cost is None)


def _sentences(report: ReportData) -> Iterator[str]:
    known = [row.cost for row in report.rows if row.cost is not None]
    without = _unpriced(report)
    if known and without:
        yield f"${dollars(sum(known))} in all that has a price."
    for model in report.provenance.models:
        if model.price is not None:
            yield f"{model.variant}: {price_words(model.price)}."
    if without:
        yield f"The price of {', '.join(without)} is not known."
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
    return f"${short if float(short) == dollars_per_million else format(dollars_per_million, 'g')}"
