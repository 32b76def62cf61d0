"""How many requests may be in flight at one account: found out, followed, within bounds. Pure."""

from __future__ import annotations

import math
from dataclasses import dataclass

from vlbench.engine.blame import Blame

# Share of the level at which congestion showed that is gone on with, at first and when it does not help.
_CUT, _DEEP_CUT = 0.95, 0.7
# Growth per reply, as a share a round: below a level that failed, and while there is none. Near such a level
# it is one more a round.
_GROWTH, _SEARCH_GROWTH = 0.25, 0.4
_NEAR = 0.95
# Seconds without growth after a cut. Doubles while the same level fails again and again.
_PATIENCE_S, _MOST_PATIENCE_S = 2.0, 16.0
# Growing to so many times the places must bring at least this share of so much more throughput.
_WIDER, _WORTH = 1.5, 0.3
_LEAST_ROUND = 8
# Before congestion is taken for none, limits so far apart must have made no difference to it.
_SPAN = 2.0


@dataclass(slots=True)
class _Round:
    """Replies to requests that were sent since `began` at one limit."""

    began: float
    replies: int = 0
    seconds: float = 0.0


class InFlight:
    """Grows while all places are used and more of them bring more; shrinks on signs of congestion.

    Signs of requests that were sent before the last cut say nothing new: an episode of congestion is one
    cut. Requests sent after it start the next episode, so a lasting storm leads down to one request and
    never further. A server that does not refuse but only slows down shows in its latencies: by Little's law
    the throughput is the number in flight over the mean latency. `cut_at` is the time of the last cut.
    """

    def __init__(self, start: int, most: int) -> None:
        self.most = most
        self.count = 0
        self._limit = float(min(start, most))
        self._ceiling = math.inf
        self.cut_at = -math.inf
        self._went_well = math.inf
        self._widest = 0.0
        self._blame = Blame()
        self._patience_s = _PATIENCE_S
        self._quiet_until = -math.inf
        self._grown = True
        self._round = _Round(-math.inf)
        self._reference: tuple[float, float] | None = None

    @property
    def limit(self) -> int:
        return max(1, int(self._limit))

    @property
    def is_free(self) -> bool:
        return self.count < self.limit

    @property
    def has_grown(self) -> bool:
        """Whether there was any growth since the last cut."""
        return self._grown

    def succeeded(self, now: float, sent_at: float) -> None:
        """A reply came to a request sent at `sent_at`."""
        if sent_at < self.cut_at:
            return
        self._went_well += 1
        self._blame.went_well()
        if self.count < self.limit - 1:
            # Not all places are needed, so nothing is learnt about more of them.
            self._round = _Round(now)
            return
        self._note(now, sent_at)
        if self._limit < self.most:
            self._grow(now)

    def congested(self, now: float, sent_at: float, place: int) -> bool:
        """A sign of congestion on the `place`-th request in flight, sent at `sent_at`. True for a cut."""
        if sent_at < self.cut_at:
            # Of a wave that was too wide several are refused: the narrowest of them says how wide it may be.
            self._limit = min(self._limit, max(place - 1, self._limit * _DEEP_CUT, 1.0))
            return False
        self._widest = max(self._widest, self._limit)
        if self._blame.is_in_vain(self._limit, span=_SPAN):
            self._limit = max(self._limit, min(self._widest, float(self.most)))
            return False
        level = max(1.0, min(self._limit, float(self.count or 1)))
        helped = self._went_well >= self.limit
        same = abs(level / self._ceiling - 1) < 0.15
        self._patience_s = min(2 * self._patience_s, _MOST_PATIENCE_S) if same else _PATIENCE_S
        self._ceiling = level
        self._go_on_with(max(1.0, min(level - 1, level * _CUT) if helped else level * _DEEP_CUT), now)
        self.cut_at = now
        self._went_well = 0
        self._reference = None
        return True

    def set_most(self, most: int) -> None:
        """A new upper bound, used at once: whoever sets one knows what the server bears."""
        self.most = most
        self._limit = float(most)
        self._ceiling = math.inf
        self._reference = None
        self._widest = float(most)

    def _go_on_with(self, limit: float, now: float) -> None:
        self._limit = limit
        self._quiet_until = now + self._patience_s
        self._grown = False
        self._round = _Round(now)

    def _grow(self, now: float) -> None:
        near = _NEAR * self._ceiling
        if self._limit < near:
            wider = min(self._limit + (_SEARCH_GROWTH if math.isinf(near) else _GROWTH), near)
        elif now < self._quiet_until:
            return
        else:
            beyond = max(0.0, self._limit - self._ceiling)
            wider = self._limit + min(_GROWTH, (1.0 + beyond) / self._limit)
        self._limit = min(float(self.most), wider)
        self._grown = True

    def _note(self, now: float, sent_at: float) -> None:
        """Compare throughput once a round; stop growing where more in flight only wait longer."""
        current = self._round
        if sent_at < current.began:
            return
        current.replies += 1
        current.seconds += now - sent_at
        if current.replies < max(_LEAST_ROUND, self.limit) or current.seconds <= 0:
            return
        throughput = self._limit * current.replies / current.seconds
        self._round = _Round(now)
        if self._reference is None:
            self._reference = (self._limit, throughput)
            return
        limit, before = self._reference
        wider = self._limit / limit
        if wider < _WIDER:
            return
        if throughput >= before * (1 + _WORTH * (wider - 1)):
            self._reference = (self._limit, throughput)
            return
        enough = limit * max(1.0, throughput / before) * 1.1
        self._ceiling = enough
        self._patience_s = min(2 * self._patience_s, _MOST_PATIENCE_S)
        self._go_on_with(min(enough, float(self.most)), now)
