"""How fast and how many: the limits of one lane as pure functions of time."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field

SAFETY = 0.985
"""Share of a known rate that is used: what jitter on the wire would otherwise turn into refusals."""


class Pace:
    """Evenly spaced sending by the generic cell rate algorithm (ITU-T I.371, virtual scheduling form).

    `per_minute` is what the server allows; one unit is a request, or a token. Nothing is saved up beyond
    `burst` units, so a server that enforces its limit per second sees no spikes.
    """

    def __init__(self, per_minute: float, burst: float = 1.0) -> None:
        self.burst = burst
        self._interval = 60.0 / (per_minute * SAFETY)
        self._due = -math.inf

    @property
    def per_minute(self) -> float:
        return 60.0 / self._interval / SAFETY

    def set_rate(self, per_minute: float) -> None:
        """Follow a new limit from now on; what was promised already stays."""
        self._interval = 60.0 / (per_minute * SAFETY)

    def wait(self, now: float) -> float:
        """Seconds until the next unit may go; 0 when it may go at once."""
        return max(0.0, self._due - (self.burst - 1) * self._interval - now)

    def take(self, now: float, units: float = 1.0) -> None:
        """Count `units` as sent at `now`."""
        self._due = max(self._due, now) + units * self._interval

    def correct(self, units: float) -> None:
        """Add units that an estimate missed, or give back (negative) what it counted too much."""
        self._due += units * self._interval


class InFlight:
    """How many requests may be in flight: additive increase, multiplicative decrease, within bounds.

    A cut is made once per episode of congestion: signs of requests that were sent before the last cut say
    nothing new. Requests sent after it start the next episode, so a lasting storm leads down to one and
    never further.
    """

    CUT = 0.7

    def __init__(self, start: int, most: int) -> None:
        self.most = most
        self.count = 0
        self._limit = float(min(start, most))
        self._cut_at = -math.inf

    @property
    def limit(self) -> int:
        return max(1, int(self._limit))

    @property
    def is_free(self) -> bool:
        return self.count < self.limit

    def succeeded(self) -> None:
        """A reply came back: one slot more per round of replies, when all slots were in use."""
        if self.count >= self.limit - 1 and self._limit < self.most:
            self._limit = min(self.most, self._limit + 1.0 / self._limit)

    def congested(self, now: float, sent_at: float) -> bool:
        """A sign of congestion on a request sent at `sent_at`. True when it led to a cut."""
        if sent_at < self._cut_at:
            return False
        self._limit = max(1.0, min(self._limit, float(self.count or 1)) * self.CUT)
        self._cut_at = now
        return True

    def set_most(self, most: int) -> None:
        """A new upper bound, used at once: whoever sets one knows what the server bears."""
        self.most = most
        self._limit = float(most)


@dataclass(slots=True)
class Window:
    """What happened in the last 60 seconds, for the screen."""

    span_s: float = 60.0
    _entries: deque[tuple[float, int]] = field(default_factory=deque)
    _total: int = 0

    def add(self, now: float, amount: int = 1) -> None:
        self._entries.append((now, amount))
        self._total += amount
        self.total(now)

    def total(self, now: float) -> int:
        while self._entries and self._entries[0][0] <= now - self.span_s:
            self._total -= self._entries.popleft()[1]
        return self._total
