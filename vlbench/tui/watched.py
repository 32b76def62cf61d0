"""One run as the view sees it: its state, what follows from it, and what a redraw needs to remember."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from vlbench.errors import StoreError
from vlbench.scoring.codes import Code
from vlbench.scoring.facts import Facts
from vlbench.state.fold import RunState
from vlbench.state.tail import LiveRun, Standing
from vlbench.tui.tally import Order, Tally, order_of

TALLY_EVERY_S: Final = 1.5
TALLY_SHARE: Final = 0.02
"""At most this share of one core goes into scores."""

STANDING_EVERY_S: Final = 1.0
_YOUNG_S: Final = 3.0
_WINDOW_S: Final = 60.0


class Watched:
    """A run that is looked at again and again. Use it from the view's loop alone."""

    def __init__(self, live: LiveRun, clock: Callable[[], float] = time.monotonic) -> None:
        self.live = live
        self.standing: Standing = "starting"
        self.tally: Tally | None = None
        self.problem = ""
        self._clock = clock
        self._facts: Facts | None = None
        self._seen_seq = 0
        self._seen_at = clock()
        self._stood_at = float("-inf")
        self._tallied_at = float("-inf")

    @property
    def state(self) -> RunState:
        return self.live.state

    @property
    def lane_of(self) -> Mapping[str, str]:
        """The lane of every variant."""
        return {variant.id: variant.lane for variant in self.live.manifest.variants}

    @property
    def is_live(self) -> bool:
        return self.standing in ("running", "starting")

    def look(self, seconds: float = 0.01) -> bool:
        """Take in what happened since the last look. True when more waits to be read."""
        behind = False
        try:
            behind = self.live.poll(seconds)
            self.problem = ""
        except StoreError as error:
            self.problem = str(error)
        now = self._clock()
        if self.state.last_seq != self._seen_seq:
            self._seen_seq, self._seen_at = self.state.last_seq, now
        is_over = self.state.ended is not None and self.standing != "ended"
        if is_over or now - self._stood_at >= STANDING_EVERY_S:
            self._stood_at = now
            self.standing = self.live.standing()
        return behind

    def order(self) -> Order | None:
        """What a new tally is to be made of; None while the last one is good enough."""
        now, cost = self._clock(), self.tally.seconds if self.tally else 0.0
        due = self._tallied_at + max(TALLY_EVERY_S, cost / TALLY_SHARE)
        is_new = self.tally is None or self.tally.seq != self.state.last_seq
        if not is_new or now < due or not self.state.rows:
            return None
        self._tallied_at = now
        facts = self._facts if self._facts and self._facts.size == len(self.state.samples) else None
        order = order_of(self.state, facts, self.live.manifest.variants)
        self._facts = order.facts
        return order

    @property
    def elapsed_s(self) -> float | None:
        """Seconds since the run was started or resumed, by the events' own times.

        Only what has passed since the last event is measured by the view's clock: the two machines' clocks
        need not agree.
        """
        state = self.state
        if state.started is None:
            return None
        known = state.last_time - state.started.time
        return known + (self._clock() - self._seen_at) if self.standing == "running" else known

    @property
    def eta_s(self) -> float | None:
        """Seconds to go at the pace of the last minute; None when that cannot be said."""
        if self.standing != "running" or self.state.paused:
            return None
        return eta_s(self.state, self.lane_of)


@dataclass(frozen=True, slots=True)
class Totals:
    """Sums over all rows."""

    done: int
    total: int
    cached: int
    input_tokens: int
    output_tokens: int


def totals_of(state: RunState) -> Totals:
    """What all rows of the run come to."""
    rows = state.rows.values()
    return Totals(
        done=sum(row.done for row in rows),
        total=sum(row.total for row in rows),
        cached=sum(row.cached for row in rows),
        input_tokens=sum(row.tokens.input for row in rows),
        output_tokens=sum(row.tokens.output for row in rows),
    )


def eta_s(state: RunState, lane_of: Mapping[str, str]) -> float | None:
    """Seconds until the slowest lane is through, from requests of the last minute: cache hits are not in it.

    None while any lane that has something left sends nothing, or has only just begun.
    """
    left: Counter[str] = Counter()
    gone = {stop.lane for stop in state.stopped if stop.model is None} | set(state.dropped)
    for row in state.rows.values():
        lane = lane_of.get(row.variant, row.variant)
        if lane not in gone and row.variant not in gone:
            left[lane] += row.counts[Code.PENDING]
    waits = [_lane_eta(state, lane, count) for lane, count in left.items() if count]
    known = [wait for wait in waits if wait is not None]
    return max(known, default=0.0) if len(known) == len(waits) else None


def _lane_eta(state: RunState, lane: str, left: int) -> float | None:
    now = state.lanes.get(lane)
    if now is None or state.started is None or now.sent == 0:
        return None
    age = now.time - state.started.time
    if age < _YOUNG_S or now.requests_per_min == 0:
        return None
    failures = state.lane_errors.get(lane, Counter()).total()
    useful = max(0.05, 1 - failures / now.sent)
    return now.waiting_s + left * min(_WINDOW_S, age) / (now.requests_per_min * useful)
