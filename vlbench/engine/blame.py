"""Whether signs of overload come less often when less is sent: if not, sending less is in vain."""

from __future__ import annotations

from collections import deque
from statistics import median

_FEWEST, _MOST = 5, 12
# So many requests must go well between two signs, at least: a server that really bears less lets fewer in.
_LEAST_GAP = 5.0
# Signs are as frequent at low loads as at high ones when they are not rarer by such a factor, and not more
# frequent either: that is what a server looks like that bears less than it did.
_RARER, _OFTENER = 2.0, 4.0
# Signs that follow each other so much faster than usual, so many times in a row, are real.
_SOON, _IN_A_ROW = 0.2, 3
# A verdict that is overthrown before so many signs was wrong; the next needs loads further apart.
_BORNE_OUT, _STRICTER = 40, 2.0


class Blame:
    """Some servers fail a share of requests whatever the load. Cutting down for them would never end.

    A load is whatever is cut: requests in flight, or a rate. After the verdict signs are not heeded, until
    they suddenly come one after the other.
    """

    def __init__(self) -> None:
        self._stricter = 1.0
        self._well = 0
        self._episodes: deque[tuple[float, float]] = deque(maxlen=_MOST)
        self._usual_gap: float | None = None
        self._in_a_row = 0
        self._unheeded = 0

    @property
    def is_settled(self) -> bool:
        """Whether the signs are known to come whatever the load."""
        return self._usual_gap is not None

    def went_well(self) -> None:
        """A request went well."""
        self._well += 1

    def is_in_vain(self, load: float, *, span: float, owed: float = 0.0) -> bool:
        """Judge a sign at `load`.

        Nothing is concluded from loads that differ by less than the factor `span`. So many requests are
        `owed` to the wait that follows a sign, and prove nothing.
        """
        well, self._well = self._well, 0
        if self._usual_gap is not None:
            self._in_a_row = self._in_a_row + 1 if well < _SOON * self._usual_gap else 0
            self._unheeded += 1
            if self._in_a_row < _IN_A_ROW:
                return True
            self._usual_gap = None
            if self._unheeded < _BORNE_OUT:
                self._stricter *= _STRICTER
        self._episodes.append((load, max(0.0, well - owed)))
        if not self._is_unrelated(span * self._stricter):
            return False
        self._usual_gap = median(gap for _, gap in self._episodes)
        self._in_a_row = self._unheeded = 0
        self._episodes.clear()
        return True

    def _is_unrelated(self, span: float) -> bool:
        if len(self._episodes) < _FEWEST:
            return False
        by_load = sorted(self._episodes)
        half = len(by_load) // 2
        if by_load[-1][0] < span * by_load[0][0]:
            return False
        # Medians, because the first sign of all comes after any number of requests.
        low, high = (median(gap for _, gap in part) for part in (by_load[:half], by_load[half:]))
        return low >= _LEAST_GAP and low <= _RARER * high and high <= _OFTENER * low
