"""How many requests a minute an account bears: known, told by headers, or learnt from refusals.

Servers enforce a limit in two ways that matter here. Some let requests through evenly (a bucket that is
filled by the second): there a refusal ends soon. Others count a minute: there it lasts until old requests
leave the minute, and the number that got in before it is the limit itself. Which one it is shows in how long
a refusal lasts. The exact limit is then closed in on from both sides: `good` is a rate that went well for a
while, `bad` one that did not.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from vlbench.engine.chance import Chance
from vlbench.engine.pace import MINUTE_S, SAFETY, Pace, SendLog
from vlbench.types import Allowance

# Our clock and the server's count the same minute at slightly different moments.
_MARGIN_S = 0.5
# Refusals that last longer than this, and longer than so many requests at the rate before them, are those of
# a server that counts by the minute: an even one would have let some in meanwhile.
_LONG_S, _LONG_SHARE = 2.5, 3.0
_FIRST_HOLD_S, _LONGEST_HOLD_S = 0.2, 60.0
# How long the one request that tests whether the server lets in again is waited for, at least and at most:
# twice as long as the last refusal took.
_PROBE_S, _LONGEST_PROBE_S = 0.3, 5.0

# Steps up and down, as shares of the rate. Both double while they lead on, and are small near a known limit.
_COARSE, _FINE, _LARGEST_STEP = 0.5, 0.015, 1.0
_COARSE_DROP, _FINE_DROP, _LARGEST_DROP = 0.3, 0.01, 0.5
# Where a minute was counted the limit is known but for a few requests at its edges.
_COUNTED_DROP = 0.01
# `good` and `bad` closer than this are not worth a further refusal.
_CLOSE, _FAR = 1.02, 1.15

# Requests that must go well before a step up: in a rough search, when closing in, and at the limit. One step
# too far costs a refusal or two, so at the limit these numbers are the share of requests that is wasted.
_ROUGH_AFTER, _CLOSING_AFTER, _PATIENCE, _MOST_PATIENCE = 8, 25, 150, 600
# Refusals in a row, each after few requests, that a known limit is believed in against.
_STRIKES = 3
# A rate is tried for at least as long: what counts by the second shows only then whether it bears it.
_TRIAL_S = 1.5
# Also this many seconds for each second that a refusal makes everybody wait: closing in, and at the limit.
_CLOSING_QUIET, _QUIET = 10.0, 60.0


@dataclass(slots=True)
class _Episode:
    """Refusals until the server lets in again: when it began, and what had been let in until then."""

    refused_at: float
    first_sent: float
    in_a_minute: int
    refusals: int = 1


class RequestRate:
    """Pure: every method is given the time. `known` is a bound a minute; None means there is none known."""

    def __init__(self, known: float | None) -> None:
        self._known = known
        # Whether a limit in headers is news: never above one that the user set.
        self._is_told = known is None
        self._pace = Pace(known * SAFETY) if known else None
        self._log = SendLog(MINUTE_S + _MARGIN_S)
        self._most_a_minute: int | None = None
        self._held_until = -math.inf
        self._probe_at: float | None = None
        self._probe_s = _PROBE_S
        self._cut_at = -math.inf
        self._episode: _Episode | None = None
        self._good = 0.0
        self._bad = math.inf
        self._last_bad = math.inf
        self._step, self._drop = _COARSE, _FINE_DROP if known else _COARSE_DROP
        self._strikes = 0
        self._clean = 0
        self._clean_since = -math.inf
        self._patience = _PATIENCE
        self._quiet_until = -math.inf
        self._chance = Chance()

    @property
    def per_minute(self) -> float | None:
        """The limit as it is known or learnt; None while there is no sign of one."""
        if self._pace is None:
            return None
        learnt = self._pace.per_minute / SAFETY
        return min(learnt, self._known) if self._known else learnt

    def in_last_minute(self, now: float) -> int:
        """Requests of the last 60 seconds that were not refused."""
        return self._log.count(now - MINUTE_S, math.inf)

    def wait(self, now: float) -> float:
        """Seconds until another request may be sent."""
        self._look_at_probe(now)
        wait = (self._held_until if self._probe_at is None else self._probe_at + self._probe_s) - now
        if self._pace is not None:
            wait = max(wait, self._pace.wait(now))
        if self._most_a_minute is not None:
            wait = max(wait, self._log.nth_last(self._most_a_minute) + MINUTE_S + _MARGIN_S - now)
        return max(0.0, wait)

    def take(self, now: float) -> None:
        """Count a request as sent at `now`."""
        self._look_at_probe(now)
        self._log.add(now)
        if self._pace is not None:
            self._pace.take(now)
        if self._episode is not None:
            # After a refusal one goes ahead alone. When it is not refused quickly, it was let in.
            self._probe_at = now

    def _look_at_probe(self, now: float) -> None:
        if self._episode is None or self._probe_at is None:
            return
        if now >= self._probe_at + self._probe_s:
            self._let_in_again(self._episode, now, self._probe_at)

    def forget(self, sent_at: float) -> None:
        """A request was refused, but not for the rate."""
        self._log.remove(sent_at)

    def refused(self, now: float, sent_at: float, named_s: float | None) -> bool:
        """A request was refused for the rate; `named_s` is the wait the server asked for.

        False when such refusals come whatever the rate, so that nothing follows from this one.
        """
        self._log.remove(sent_at)
        if named_s is not None:
            self._held_until = max(self._held_until, now + named_s)
        if sent_at < self._cut_at:
            return True
        wait_s = _FIRST_HOLD_S + _PROBE_S if named_s is None else named_s
        if self._episode is None and self._chance.explains(
            self._rate, self._clean, wait_s, is_named=named_s is not None
        ):
            self._forgive()
            return False
        self._cut_at = now
        self._probe_at = None
        self._probe_s = max(_PROBE_S, min(2 * (now - sent_at), _LONGEST_PROBE_S))
        if self._episode is None:
            count = self._log.count(sent_at - MINUTE_S, sent_at)
            self._episode = _Episode(sent_at, self._log.nth_last_before(sent_at, count), count)
            if self._pace is not None:
                self._too_fast(self._pace)
        else:
            self._episode.refusals += 1
        if named_s is None:
            self._held_until = max(self._held_until, now + self._own_hold(self._episode, now))
        return True

    def accepted(self, now: float, sent_at: float) -> None:
        """A request was let in, whatever came of it."""
        if sent_at < self._cut_at:
            return
        self._chance.went_well()
        if self._episode is not None:
            self._let_in_again(self._episode, now, sent_at)
        if sent_at < self._clean_since:
            return
        self._clean += 1
        if self._pace is None or self._clean < self._wanted or now < self._quiet_until:
            return
        rate = self._pace.per_minute
        sent = self._log.count(self._clean_since, now)
        if sent >= 0.7 * min(now - self._clean_since, MINUTE_S) * rate / MINUTE_S:
            self._good = rate
            self._drop = _FINE_DROP
            self._faster(self._pace)
        # Otherwise something else holds the requests back, and nothing is known about a higher rate.
        self._begin(now)

    def told(self, allowance: Allowance, now: float) -> None:
        """What the headers of a reply say. A limit they tell stands in for one the user did not set.

        Where they say that a minute is used up, and not by us, its end is waited for. A bucket that is empty
        is not: it fills all the time, and its reset is the time until it would be full. Nor is a second.
        """
        if allowance.limit and self._is_told and allowance.limit != self._known:
            self.set_known(allowance.limit)
            self._is_told = True
            # What was sent before keeping to it may well be refused.
            self._cut_at = now
        if allowance.remaining != 0 or not allowance.limit or allowance.reset_s is None:
            return
        is_minute = _LONG_S < allowance.reset_s < MINUTE_S - _MARGIN_S
        if is_minute and self.in_last_minute(now) < 0.9 * allowance.limit:
            self._held_until = max(self._held_until, now + allowance.reset_s)

    def set_known(self, per_minute: float) -> None:
        """A limit that is certain from now on."""
        self._known = per_minute
        self._is_told = False
        self._most_a_minute = None
        self._drop = _FINE_DROP
        self._set_pace(per_minute * SAFETY)

    @property
    def _is_rough(self) -> bool:
        return self._bad == math.inf and self._step > 10 * _FINE

    @property
    def _wanted(self) -> int:
        """Requests that must go well before the next step up."""
        if self._is_rough:
            return _ROUGH_AFTER
        apart = self._bad / self._rate
        if apart > _CLOSE:
            return _ROUGH_AFTER if apart > _FAR else _CLOSING_AFTER
        return self._patience

    @property
    def _rate(self) -> float:
        return self._pace.per_minute if self._pace else math.inf

    def _own_hold(self, episode: _Episode, now: float) -> float:
        """Seconds until the next probe: twice as long each time, never past the end of a counted minute."""
        spacing = 0.0 if self._pace is None else MINUTE_S / self._rate
        longest: float = _LONGEST_HOLD_S
        hold = min(longest, max(_FIRST_HOLD_S, spacing) * 2.0 ** min(episode.refusals - 1, 10))
        minute_ends = episode.refused_at + MINUTE_S + _MARGIN_S
        return min(hold, minute_ends - now) if minute_ends > now else hold

    def _too_fast(self, pace: Pace) -> None:
        """The rate there is leads to refusals: back to the good one, or down, each time twice as far."""
        rate = pace.per_minute
        if self._known and rate >= self._bound:
            # An exception, or a window that was filled before, says nothing against a limit that is known.
            self._strikes = 1 if self._clean >= _CLOSING_AFTER else self._strikes + 1
            if self._strikes < _STRIKES:
                return
        self._bad = rate
        is_again = abs(rate / self._last_bad - 1) < 3 * _FINE
        self._patience = min(2 * self._patience, _MOST_PATIENCE) if is_again else _PATIENCE
        self._last_bad = rate
        if 0 < self._good < 0.999 * rate:
            self._set_pace(self._good)
        else:
            self._good = 0.0
            self._set_pace(rate * (1 - self._drop))
            self._drop = min(_LARGEST_DROP, 2 * self._drop)

    def _let_in_again(self, episode: _Episode, now: float, sent_at: float) -> None:
        self._episode = None
        self._probe_at = None
        lasted_s = sent_at - episode.refused_at
        let_in = episode.in_a_minute
        # No limit refuses for longer than a minute: then the server was out of order.
        is_limit = let_in > 0 and lasted_s < MINUTE_S + 2 * _LONG_S
        if is_limit and lasted_s > _LONG_S and let_in * lasted_s / MINUTE_S > _LONG_SHARE:
            self._count_by_minute(let_in)
        elif is_limit and self._pace is None:
            # So many in all the time since the first one, the wait included.
            span_s = max(sent_at - episode.first_sent, 1e-3)
            self._set_pace(max(1.0, MINUTE_S * (let_in + 1) / span_s)).take(sent_at)
        if not self._is_rough:
            apart = self._bad / self._rate
            lost_s = lasted_s + self._probe_s
            known_to_fail = _QUIET * self._patience / _PATIENCE
            self._quiet_until = now + lost_s * (known_to_fail if apart <= _CLOSE else _CLOSING_QUIET)
        self._begin(now)

    def _forgive(self) -> None:
        """Refusals come whatever the rate: back to what is known of it, which may be nothing."""
        self._most_a_minute = None
        self._good, self._bad, self._step, self._drop = 0.0, math.inf, _COARSE, _COARSE_DROP
        self._pace = Pace(self._known * SAFETY) if self._known else None

    def _count_by_minute(self, let_in: int) -> None:
        most = let_in
        if self._most_a_minute is not None and self._good > 0:
            most = min(most, max(1, round(self._good / SAFETY)))
        self._most_a_minute = most
        self._good, self._bad, self._drop = most * SAFETY, float(most), _COUNTED_DROP
        self._set_pace(self._good)

    def _faster(self, pace: Pace) -> None:
        rate = pace.per_minute
        if self._bad == math.inf:
            faster = rate * (1 + self._step)
            self._step = min(2 * self._step, _LARGEST_STEP)
        elif self._bad / rate > _CLOSE:
            faster = math.sqrt(rate * self._bad)
        else:
            # It was good at the limit for a long time. Limits change, so a little more is tried.
            self._bad, self._step = math.inf, _FINE
            faster = rate * (1 + _FINE)
        if self._most_a_minute is not None:
            self._most_a_minute = max(self._most_a_minute + 1, math.ceil(faster))
        self._set_pace(min(faster, self._bound))

    @property
    def _bound(self) -> float:
        return self._known * SAFETY if self._known else math.inf

    def _begin(self, now: float) -> None:
        self._clean = 0
        self._clean_since = now
        self._quiet_until = max(self._quiet_until, now + _TRIAL_S)
        if self._most_a_minute is not None:
            # What counts by the minute shows only after a minute whether it bears a new rate.
            self._quiet_until = max(self._quiet_until, now + MINUTE_S + 5)

    def _set_pace(self, per_minute: float) -> Pace:
        if self._pace is None:
            self._pace = Pace(per_minute)
        else:
            self._pace.set_rate(per_minute)
        return self._pace
