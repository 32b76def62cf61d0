"""What takes longer than a redraw may: scores and spend, computed in a thread from a copy of the counts."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

from vlbench.scoring.arm import Arm
from vlbench.scoring.codes import Code
from vlbench.scoring.facts import Facts
from vlbench.scoring.scores import Scores, score
from vlbench.state.fold import RunState
from vlbench.state.loaded import facts_of
from vlbench.state.rows import Tokens
from vlbench.types import Usage, Variant


@dataclass(frozen=True, slots=True)
class Paid:
    """What one variant was paid for: how many replies, and their tokens."""

    replies: int
    tokens: Tokens


@dataclass(frozen=True, slots=True)
class Order:
    """A copy of what a tally is made of, taken at event number `seq`."""

    seq: int
    facts: Facts
    arms: tuple[Arm, ...]
    base: str | None
    paid: Mapping[str, Paid]
    variants: tuple[Variant, ...]


@dataclass(frozen=True, slots=True)
class Tally:
    """Scores and spend at event number `seq`; making it took `seconds`.

    `spent` is in US dollars by variant; a variant whose price is not known is not in it.
    """

    seq: int
    scores: Scores
    spent: Mapping[str, float]
    seconds: float

    def spend(self, order: int) -> float | None:
        """Dollars of all `order` variants together; None unless every price is known."""
        return sum(self.spent.values()) if len(self.spent) == order else None


def order_of(state: RunState, facts: Facts | None, variants: tuple[Variant, ...]) -> Order:
    """A copy that later events do not touch; `facts` are made anew when None."""
    arms = tuple(
        replace(arm, repeats=tuple(map(bytes, arm.repeats)), cut=tuple(map(bytes, arm.cut)))
        for arm in (row.arm() for row in state.rows.values())
    )
    base = next((row.variant for row in state.rows.values() if row.base), None)
    return Order(state.last_seq, facts or facts_of(state.samples), arms, base, _paid(state), variants)


def _paid(state: RunState) -> dict[str, Paid]:
    replies: Counter[str] = Counter()
    tokens: dict[str, Tokens] = {}
    for row in state.rows.values():
        asked = row.done - row.counts[Code.FAILED] - row.counts[Code.UNUSABLE] - row.cached
        replies[row.variant] += max(0, asked)
        total = tokens.setdefault(row.variant, Tokens())
        total.add(
            Usage(
                input_tokens=row.tokens.input,
                output_tokens=row.tokens.output,
                cached_input_tokens=row.tokens.cached_input,
            )
        )
    return {variant: Paid(replies[variant], total) for variant, total in tokens.items()}


def tally(order: Order) -> Tally:
    """Score and price. Runs in a thread."""
    began = time.perf_counter()
    scores = score(order.facts, order.arms, base=order.base)
    seconds = time.perf_counter() - began
    spent = {
        variant.id: dollars
        for variant in order.variants
        if (paid := order.paid.get(variant.id)) and (dollars := price(variant, paid)) is not None
    }
    return Tally(order.seq, scores, spent, seconds)


def price(variant: Variant, paid: Paid) -> float | None:
    """US dollars for what was paid, None when the price is not known.

    Only a hosted model at its vendor's own address has one. Prices that step with the length of a request
    are taken at the mean length, because only sums are known.
    """
    if not variant.urls:
        return None
    replies = max(1, paid.replies)
    from genai_prices import Usage as Priced
    from genai_prices import calc_price

    mean = Priced(
        input_tokens=round(paid.tokens.input / replies),
        output_tokens=round(paid.tokens.output / replies),
        cache_read_tokens=round(paid.tokens.cached_input / replies),
    )
    try:
        found = calc_price(mean, model_ref=variant.model, provider_api_url=variant.urls[0])
    except (LookupError, ValueError):
        return None
    return float(found.total_price) * replies if paid.replies else 0.0
