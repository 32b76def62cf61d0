"""Which of several equal servers the next request goes to."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 60.0


@dataclass(slots=True)
class _Replica:
    in_flight: int = 0
    served: int = 0
    failures: int = 0
    paused_until: float = 0.0


class Replicas:
    """Least-loaded choice among `count` servers by requests in flight, then by requests served.

    One that cannot be reached is left out for 1 s, then 2, 4, … up to 60 s; after a pause it gets a single
    request at a time until one reaches it. When all are paused, the one whose pause ends first is tried:
    whether to wait is not decided here.
    """

    def __init__(self, count: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._replicas = [_Replica() for _ in range(count)]
        self._clock = clock

    def take(self) -> int:
        """The index of the server to use; give it back with `reached` or `unreachable`, or `drop` it."""
        now = self._clock()
        usable = [
            (r.in_flight, r.served, index)
            for index, r in enumerate(self._replicas)
            if r.paused_until <= now and not (r.failures and r.in_flight)
        ]
        paused = ((r.paused_until, r.in_flight, index) for index, r in enumerate(self._replicas))
        index = (min(usable) if usable else min(paused))[-1]
        self._replicas[index].in_flight += 1
        self._replicas[index].served += 1
        return index

    def reached(self, index: int) -> None:
        """A response came: the server is there, whatever it said."""
        replica = self._replicas[index]
        replica.in_flight -= 1
        replica.failures = 0
        replica.paused_until = 0.0

    def unreachable(self, index: int) -> None:
        """No connection could be made; requests that fail during one pause count as one failure."""
        replica = self._replicas[index]
        replica.in_flight -= 1
        now = self._clock()
        if now >= replica.paused_until:
            # The exponent is bounded: a server that is away for a week must not overflow a float.
            pause = FIRST_PAUSE_S * 2.0 ** min(replica.failures, 10)
            replica.paused_until = now + min(pause, LONGEST_PAUSE_S)
            replica.failures += 1

    def drop(self, index: int) -> None:
        """The request ended without saying anything of the server (it was cancelled, or cut half-way)."""
        self._replicas[index].in_flight -= 1
