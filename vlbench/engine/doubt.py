"""Too fast, or too many at once? What a refusal that does not say tells in the end."""

from __future__ import annotations

from collections import Counter

from vlbench.engine.in_flight import InFlight


class Doubt:
    """Whether refusals that name no wait are for the rate, or for too many requests at once.

    A server that bears only so many at once refuses what comes on top of them: never less than it took
    before, and no more once there are fewer. One that limits the rate refuses again right after a cut, or
    fewer than it took, or the only request there is. That it does so is counted, because servers also change.
    """

    _CERTAIN = 3
    _FEW = 2
    # So many more at once that replies on their way cannot explain it, or at least one more so many times.
    _WIDER, _OFTEN = 1.1, 3
    # With so few at once being one off would hide everything, and replies on their way are rare.
    _EXACT_UP_TO = 5
    # So many refusals in a row that too many at once explain speak as much for it as one sign against it.
    _EXPLAINED = 3

    def __init__(self) -> None:
        self._signs = 0
        self._explained = 0
        self._let_in: Counter[int] = Counter()
        self._was_in_vain = False

    def accepted(self, place: int) -> None:
        """A request that was the `place`-th in flight, sent since the last cut, was let in."""
        self._let_in[place] += 1

    def is_rate(self, place: int, sent_at: float, in_flight: InFlight, *, is_paced: bool) -> bool:
        """Judge a refusal; each episode of congestion counts once.

        `is_paced` says that a rate is kept to and holds requests back: then a refusal that too many at once
        does not explain is for the rate.
        """
        in_vain = False
        if self._signs < self._CERTAIN and sent_at >= in_flight.cut_at:
            # Of requests sent at the same time the server may have seen any one last.
            in_vain = self._count(max(place, in_flight.count), soon=not in_flight.has_grown)
        return self._signs >= self._CERTAIN or (in_vain and is_paced)

    def _count(self, place: int, *, soon: bool) -> bool:
        """Whether this refusal speaks against too many at once. `soon`: nothing has grown since a cut."""
        in_vain = soon or place <= self._FEW or self._took_more_than(place)
        if place <= self._FEW:
            self._signs = self._CERTAIN
        elif not in_vain:
            self._explained += 1
            if self._explained == self._EXPLAINED:
                self._explained = 0
                self._signs = max(0, self._signs - 1)
        elif not self._was_in_vain:
            # Of several cuts in vain one after the other only the first counts: a capacity may have shrunk.
            self._signs += 1
        if in_vain:
            self._explained = 0
            self._let_in.clear()
        self._was_in_vain = in_vain
        return in_vain

    def _took_more_than(self, place: int) -> bool:
        least = place if place <= self._EXACT_UP_TO else place + 1
        more = [(wider, times) for wider, times in self._let_in.items() if wider >= least]
        return sum(times for _, times in more) >= self._OFTEN or any(
            wider > 1 + self._WIDER * place for wider, _ in more
        )
