"""Too fast, or too many at once? What a refusal that does not say tells in the end."""

from __future__ import annotations

from vlbench.engine.in_flight import InFlight


class Doubt:
    """Whether refusals that name no wait are for the rate, or for too many requests at once.

    A server that bears only so many at once refuses what comes on top of them: not less than it took a
    moment ago, and not when there are fewer than after the last cut. One that limits the rate does so again
    and again, or refuses the only request there is. Signs are counted, because servers also change.
    """

    _CERTAIN = 6
    _FEW = 2

    def __init__(self) -> None:
        self._signs = 0
        self._widest = 0

    def accepted(self, place: int) -> None:
        """A request that was the `place`-th in flight, sent since the last cut, was let in."""
        self._widest = max(self._widest, place)

    def is_rate(self, place: int, sent_at: float, now: float, in_flight: InFlight) -> bool:
        """Judge a refusal; each episode of congestion counts once."""
        if self._signs < self._CERTAIN and sent_at >= in_flight.cut_at:
            if place <= self._FEW:
                self._signs = self._CERTAIN
            elif in_flight.is_quiet(now) or self._widest > 1 + 1.1 * place:
                self._signs += 1
            else:
                self._signs = max(0, self._signs - 1)
            # What was borne before this sign says nothing about the next one: servers change.
            self._widest = 0
        return self._signs >= self._CERTAIN
