"""Too fast, or too many at once? What a refusal that does not say tells in the end."""

from __future__ import annotations

from vlbench.engine.in_flight import InFlight


class Doubt:
    """Whether refusals that name no wait are for the rate, or for too many requests at once.

    A server that bears only so many at once refuses what comes on top of them: never less than it took a
    moment ago, and no more once there are fewer. One that limits the rate refuses again right after a cut,
    or refuses the only request there is. That it does so is counted, because servers also change.
    """

    _CERTAIN = 3
    _FEW = 2

    def __init__(self) -> None:
        self._signs = 0
        self._widest = 0
        self._was_in_vain = False

    def accepted(self, place: int) -> None:
        """A request that was the `place`-th in flight, sent since the last cut, was let in."""
        self._widest = max(self._widest, place)

    def is_rate(self, place: int, sent_at: float, now: float, in_flight: InFlight) -> bool:
        """Judge a refusal; each episode of congestion counts once."""
        if self._signs < self._CERTAIN and sent_at >= in_flight.cut_at:
            self._count(place, in_flight.is_quiet(now))
        return self._signs >= self._CERTAIN

    def _count(self, place: int, soon: bool) -> None:
        """`soon`: nothing has grown since the last cut."""
        in_vain = soon or self._widest > 1 + 1.1 * place
        if place <= self._FEW:
            self._signs = self._CERTAIN
        elif in_vain and not self._was_in_vain:
            # Of several cuts in vain one after the other only the first counts: a capacity may have shrunk.
            self._signs += 1
        elif not in_vain and not self._was_in_vain:
            self._signs = max(0, self._signs - 1)
        self._was_in_vain = in_vain
        self._widest = 0
