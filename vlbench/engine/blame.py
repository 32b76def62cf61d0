"""Whether signs of overload come less often when less is sent: if not, sending less is in vain."""

from __future__ import annotations

import math
from collections import deque
from statistics import median

_EPISODES = 6
# So many requests must go well between two signs, at least: a server that really bears less lets fewer in.
_LEAST_GAP = 5.0
_FEWER = 2.0
_INNOCENT_S = 60.0


class Blame:
    """Some servers fail a share of requests whatever the load. Cutting down for them would never end.

    A load is whatever is cut: requests in flight, or a rate. After the verdict signs are not heeded for a
    minute, unless they suddenly come one after the other. Loads must differ by the factor `span` before
    anything is concluded.
    """

    def __init__(self, span: float) -> None:
        self._span = span
        self._episodes: deque[tuple[float, int]] = deque(maxlen=_EPISODES)
        self._innocent_until = -math.inf
        self._in_a_row = 0

    def is_in_vain(self, load: float, went_well: int, now: float, *, enough: float) -> bool:
        """Judge a sign at `load`, after so many requests went well since the last one.

        After `enough` of them cutting had helped: what was before says nothing about this sign.
        """
        if now < self._innocent_until:
            self._in_a_row = 0 if went_well >= _LEAST_GAP else self._in_a_row + 1
            if self._in_a_row < 3:
                return True
            self._innocent_until = -math.inf
        self._in_a_row = 0
        if went_well > enough:
            self._episodes.clear()
        self._episodes.append((load, went_well))
        if not self._is_unrelated():
            return False
        self._episodes.clear()
        self._innocent_until = now + _INNOCENT_S
        return True

    def _is_unrelated(self) -> bool:
        if len(self._episodes) < _EPISODES:
            return False
        by_load = sorted(self._episodes)
        half = len(by_load) // 2
        if by_load[-1][0] < self._span * by_load[0][0]:
            return False
        # Medians, because the first sign of all comes after any number of requests.
        low, high = (median(gap for _, gap in part) for part in (by_load[:half], by_load[half:]))
        return _LEAST_GAP <= low <= _FEWER * high
