"""The simulated provider's own limiter: a log of what was let through during the last window."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

from vlbench.simulator.scenario import Quota

Headers = tuple[tuple[str, str], ...]


class _Window:
    """At most `limit` units in any `window_s` seconds."""

    def __init__(self, limit: int, window_s: float) -> None:
        self.limit = limit
        self._window_s = window_s
        self._spent: deque[tuple[float, int]] = deque()
        self._used = 0

    def wait(self, now: float, units: int) -> float:
        """Seconds until `units` fit; 0 when they do. More than the limit fits only into an empty window."""
        self._forget(now)
        excess = self._used + min(units, self.limit) - self.limit
        for moment, spent in self._spent:
            if excess <= 0:
                break
            excess -= spent
            wait = moment + self._window_s - now
            if excess <= 0:
                return wait
        return 0.0

    def spend(self, now: float, units: int) -> None:
        self._spent.append((now, units))
        self._used += units

    def remaining(self) -> int:
        return max(0, self.limit - self._used)

    def reset_s(self, now: float) -> float:
        """Seconds until the whole limit is there again."""
        return self._spent[-1][0] + self._window_s - now if self._spent else 0.0

    def _forget(self, now: float) -> None:
        while self._spent and self._spent[0][0] <= now - self._window_s:
            self._used -= self._spent.popleft()[1]


class QuotaGate:
    """Lets requests through as a `Quota` allows, and says in headers what is left."""

    def __init__(self, quota: Quota, clock: Callable[[], float]) -> None:
        self._quota = quota
        self._clock = clock
        share = quota.window_s / 60
        self._windows: dict[str, tuple[int, _Window]] = {}
        if quota.rpm:
            limit = max(1, math.floor(quota.rpm * share)) + quota.burst
            self._windows["requests"] = (quota.rpm, _Window(limit, quota.window_s))
        if quota.tpm:
            limit = max(1, math.floor(quota.tpm * share))
            self._windows["tokens"] = (quota.tpm, _Window(limit, quota.window_s))

    def enter(self, tokens: int) -> float:
        """Count a request of `tokens` and return 0, or return the wait in seconds and count nothing."""
        now = self._clock()
        units = {"requests": 1, "tokens": tokens}
        wait = max((w.wait(now, units[name]) for name, (_, w) in self._windows.items()), default=0.0)
        if wait == 0.0:
            for name, (_, window) in self._windows.items():
                window.spend(now, units[name])
        return wait

    def headers(self) -> Headers:
        """What is left, in the common form; empty when the quota is silent."""
        if not self._quota.headers:
            return ()
        now = self._clock()
        told: list[tuple[str, str]] = []
        for name, (per_minute, window) in self._windows.items():
            told += [
                (f"x-ratelimit-limit-{name}", str(per_minute)),
                (f"x-ratelimit-remaining-{name}", str(window.remaining())),
                (f"x-ratelimit-reset-{name}", f"{window.reset_s(now):.3f}s"),
            ]
        return tuple(told)

    def wait_headers(self, wait_s: float) -> Headers:
        """The wait of a refusal, in the quota's form; rounded up, so that waiting is enough."""
        match self._quota.wait:
            case "seconds":
                return (("retry-after", str(math.ceil(wait_s))),)
            case "milliseconds":
                return (("retry-after-ms", str(math.ceil(wait_s * 1000))),)
            case "date":
                moment = datetime.now(UTC) + timedelta(seconds=math.ceil(wait_s))
                return (("retry-after", format_datetime(moment, usegmt=True)),)
            case "none" | "body":
                return ()
