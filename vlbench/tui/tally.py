"""What takes longer than a redraw may: scores, computed in a thread from a copy of the counts; and spend."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace

from vlbench.scoring.arm import Arm
from vlbench.scoring.facts import Facts
from vlbench.scoring.scores import Scores, score
from vlbench.state.fold import RunState
from vlbench.state.loaded import facts_of
from vlbench.state.spending import costs_of
from vlbench.types import Variant


@dataclass(frozen=True, slots=True)
class Order:
    """A copy of what a tally is made of, taken at event number `seq`; `spent` as in `Tally`."""

    seq: int
    facts: Facts
    arms: tuple[Arm, ...]
    base: str | None
    spent: Mapping[str, float]


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
    costs = costs_of(state.rows.values(), variants)
    spent = {variant: dollars for variant, dollars in costs.items() if dollars is not None}
    return Order(state.last_seq, facts or facts_of(state.samples), arms, base, spent)


def tally(order: Order) -> Tally:
    """The scores. Runs in a thread."""
    began = time.perf_counter()
    scores = score(order.facts, order.arms, base=order.base)
    return Tally(order.seq, scores, order.spent, time.perf_counter() - began)
