"""Refusals that come by chance: a server that shares its capacity among strangers has them at any rate."""

from __future__ import annotations

import math

from vlbench.engine.blame import Blame
from vlbench.engine.pace import MINUTE_S

# Rates so far apart must have made no difference to refusals: to any, to those that name a wait (whoever does
# knows of a limit, nearly always), and to those that came though nothing had been tried for a while.
_SPAN, _NAMED_SPAN, _UNPROVOKED_SPAN = 2.0, 8.0, 1.5
# So many requests that went well at one rate are a while.
_A_WHILE = 25
# A wait may refill a bucket for so many times as many requests as would be sent meanwhile.
_REFILLS = 3


class Chance:
    """Whether refusals have to do with the rate at all. If not, going slower for them would never end."""

    def __init__(self) -> None:
        self._all, self._unprovoked = Blame(), Blame()

    def went_well(self) -> None:
        """A request was let in."""
        self._all.went_well()
        self._unprovoked.went_well()

    def explains(self, per_minute: float, went_well: int, wait_s: float, *, is_named: bool) -> bool:
        """Judge a refusal at a rate (infinite when none is kept to) at which so many requests went well.

        Everybody waits `wait_s` after it, as the server named it or by ourselves.
        """
        span = _NAMED_SPAN if is_named else _SPAN
        for blame in (self._unprovoked, self._all):
            if blame.is_settled:
                return blame.is_in_vain(per_minute, span=span)
        if math.isinf(per_minute):
            return False
        # A limit lets that many in again because of the wait.
        owed = _REFILLS * wait_s * per_minute / MINUTE_S
        return (
            went_well >= _A_WHILE
            and self._unprovoked.is_in_vain(per_minute, span=_UNPROVOKED_SPAN, owed=owed)
        ) or self._all.is_in_vain(per_minute, span=span, owed=owed)
