"""Evenly spaced sending, and what was sent lately: pure functions of time."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right, insort
from collections import deque
from dataclasses import dataclass, field

SAFETY = 0.985
"""Share of a known rate that is used: what jitter on the wire would otherwise turn into refusals."""

SLACK_S = 0.005
"""How much earlier than its due time a unit may go at most, so that a timer's lateness is caught up with.

A server that counts by the second sees its limit kept as long as `(1 + SLACK_S) * SAFETY` is below 1.
"""

# Where requests are far enough apart for a server to insist on each gap, lateness matters little.
_FAR_APART_S, _SHARE_OF_GAP = 0.05, 0.008

MINUTE_S = 60.0


class Pace:
    """Evenly spaced sending by the generic cell rate algorithm (ITU-T I.371, virtual scheduling form).

    `per_minute` is what is sent; one unit is a request, or a token. Nothing is saved up beyond `SLACK_S`,
    so a server that enforces its limit by the second sees no spikes.
    """

    def __init__(self, per_minute: float) -> None:
        self._interval = MINUTE_S / per_minute
        self._slack_s = _slack_s(self._interval)
        self._due = -math.inf

    @property
    def per_minute(self) -> float:
        return MINUTE_S / self._interval

    def set_rate(self, per_minute: float) -> None:
        """Follow a new rate from now on; a wait that was begun at the old one shrinks or grows with it."""
        interval = MINUTE_S / per_minute
        self._due += interval - self._interval
        self._interval = interval
        self._slack_s = _slack_s(interval)

    def wait(self, now: float) -> float:
        """Seconds until the next unit may go; 0 when it may go at once."""
        return max(0.0, self._due - self._slack_s - now)

    def take(self, now: float, units: float = 1.0) -> None:
        """Count `units` as sent at `now`."""
        self._due = max(self._due, now) + units * self._interval

    def correct(self, units: float) -> None:
        """Add units that an estimate missed, or give back (negative) what it counted too much."""
        self._due += units * self._interval


def _slack_s(interval_s: float) -> float:
    return SLACK_S if interval_s < _FAR_APART_S else min(SLACK_S, _SHARE_OF_GAP * interval_s)


class SendLog:
    """When the requests of the last minute were sent, without those that the server refused."""

    def __init__(self, span_s: float) -> None:
        self._span_s = span_s
        self._times: list[float] = []
        self._first = 0

    def add(self, now: float) -> None:
        self._forget(now)
        if self._times and now < self._times[-1]:
            insort(self._times, now)
        else:
            self._times.append(now)

    def remove(self, sent_at: float) -> None:
        """Take out one request sent at `sent_at`, if it is still known."""
        at = bisect_left(self._times, sent_at, self._first)
        if at < len(self._times) and self._times[at] == sent_at:
            del self._times[at]

    def count(self, after: float, before: float) -> int:
        """How many were sent after the one moment and before the other."""
        return bisect_left(self._times, before, self._first) - bisect_right(self._times, after, self._first)

    def nth_last(self, count: int) -> float:
        """When the last but `count` - 1 was sent; minus infinity when there were fewer."""
        return self._times[-count] if len(self._times) - self._first >= count else -math.inf

    def nth_last_before(self, moment: float, count: int) -> float:
        """When the `count`-th last before `moment` was sent, `moment` itself when there were fewer."""
        at = bisect_left(self._times, moment, self._first) - count
        return self._times[at] if count > 0 and at >= self._first else moment

    def _forget(self, now: float) -> None:
        while self._first < len(self._times) and self._times[self._first] <= now - self._span_s:
            self._first += 1
        if self._first > 1000:
            del self._times[: self._first]
            self._first = 0


@dataclass(slots=True)
class Window:
    """What happened in the last 60 seconds, for the screen: counted by tenths of a second."""

    span_s: float = MINUTE_S
    _tenths: deque[list[int]] = field(default_factory=deque)
    _total: int = 0

    def add(self, now: float, amount: int = 1) -> None:
        tenth = int(now * 10)
        if self._tenths and self._tenths[-1][0] == tenth:
            self._tenths[-1][1] += amount
        else:
            self._tenths.append([tenth, amount])
        self._total += amount
        self.total(now)

    def total(self, now: float) -> int:
        while self._tenths and self._tenths[0][0] <= (now - self.span_s) * 10:
            self._total -= self._tenths.popleft()[1]
        return self._total
