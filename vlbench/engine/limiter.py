"""The gate of one lane: how many requests may be in flight, how fast, and from when on."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import anyio

from vlbench.catalog.entry import Limits
from vlbench.engine.doubt import Doubt
from vlbench.engine.in_flight import InFlight
from vlbench.engine.pace import SAFETY, Pace, Window
from vlbench.engine.request_rate import RequestRate
from vlbench.errors import Fault, RateLimited
from vlbench.types import Completion

LONGEST_WAIT_S = 3600.0
"""A wait the server asks for is obeyed up to this; a longer one stops the lane."""

FIRST_TOKEN_GUESS = 1000
"""Tokens a request is taken for until the first usage report of the lane."""


class LetGo(Exception):
    """The slot is left open: its lane or the run stops, or the budget is spent."""


@dataclass(frozen=True, slots=True)
class Ticket:
    """One request on its way: when it was sent (monotonic seconds), and the tokens it was counted for.

    `place` says that it made so many in flight.
    """

    sent_at: float
    tokens: float
    place: int = 0


@dataclass(slots=True, eq=False)
class _Waiter:
    called: anyio.Event = field(default_factory=anyio.Event)
    ticket: Ticket | None = None


class Limiter:
    """Requests per minute, tokens per minute and concurrency of one provider account.

    Limits of the entry or the command line are bounds. Unknown ones are learnt: from headers, and from what
    is refused. `clock` gives seconds; the methods that are no coroutines depend on nothing else.
    """

    def __init__(self, limits: Limits, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self.in_flight = InFlight(limits.concurrency, max(limits.concurrency, limits.max_concurrency))
        self._requests = RequestRate(limits.rpm)
        self._doubt = Doubt()
        self._tokens = Pace(limits.tpm * SAFETY) if limits.tpm else None
        self._tokens_are_told = limits.tpm is None
        self._tokens_each = float(FIRST_TOKEN_GUESS)
        self._held_until = -math.inf
        self._queue: deque[_Waiter] = deque()
        self._paused = False
        self._resumed = anyio.Event()
        self._closed = anyio.Event()
        self.spent = Window()

    @asynccontextmanager
    async def pass_through(self) -> AsyncIterator[Ticket]:
        """Let one request pass, first come first served, and count it in flight until it is over."""
        ticket = await self.enter()
        try:
            yield ticket
        finally:
            self.leave()

    async def enter(self) -> Ticket:
        """Wait, first come first served, until a request may be sent. `leave` must follow when it is over.

        Raises LetGo once the gate is closed.
        """
        if self._closed.is_set():
            raise LetGo
        if not self._queue and self.blocked_s() <= 0:
            return self.grant()
        waiter = _Waiter()
        self._queue.append(waiter)
        try:
            return await self._called(waiter)
        except BaseException:
            if waiter.ticket is None:
                self._queue.remove(waiter)
                self._call()
            else:
                self.leave()
            raise

    async def _called(self, waiter: _Waiter) -> Ticket:
        while waiter.ticket is None:
            # Only the first in the queue keeps an eye on the clock; it calls the next one when it goes.
            wait = self.blocked_s() if self._queue[0] is waiter else math.inf
            if math.isinf(wait):
                await waiter.called.wait()
            else:
                with anyio.move_on_after(wait):
                    await waiter.called.wait()
            if waiter.ticket is None:
                if self._closed.is_set():
                    raise LetGo
                waiter.called = anyio.Event()
                self._call(by=waiter)
        return waiter.ticket

    def leave(self) -> None:
        """A request that was let in is over."""
        self.in_flight.count -= 1
        self._call()

    def _call(self, by: _Waiter | None = None) -> None:
        """Let in whoever may go now; when only time keeps the next one out, make it watch the clock.

        `by` is a waiter that looks at the clock anyway: to be called by itself, it would never sleep.
        """
        while self._queue and self.blocked_s() <= 0:
            waiter = self._queue.popleft()
            waiter.ticket = self.grant()
            waiter.called.set()
        if self._queue and self._queue[0] is not by and self.in_flight.is_free:
            self._queue[0].called.set()

    def blocked_s(self) -> float:
        """Seconds until the next request may be sent; infinite when that is not a matter of time."""
        return math.inf if self._paused or not self.in_flight.is_free else self.wait()

    def grant(self) -> Ticket:
        self.in_flight.count += 1
        ticket = Ticket(self._clock(), self._tokens_each, self.in_flight.count)
        self._requests.take(ticket.sent_at)
        if self._tokens:
            self._tokens.take(ticket.sent_at, ticket.tokens)
        return ticket

    def wait(self) -> float:
        """Seconds until another request may be sent, requests in flight aside."""
        now = self._clock()
        wait = max(self._held_until - now, self._requests.wait(now))
        return max(wait, self._tokens.wait(now)) if self._tokens else wait

    async def sleep(self, seconds: float) -> None:
        """Wait before another attempt of one request. Raises LetGo when the gate is closed meanwhile."""
        with anyio.move_on_after(seconds):
            await self._closed.wait()
        if self._closed.is_set():
            raise LetGo

    @property
    def held_for(self) -> float:
        """Seconds the server still asks to wait."""
        return max(0.0, self._held_until - self._clock())

    @property
    def rpm(self) -> int | None:
        rate = self._requests.per_minute
        return None if rate is None else round(rate)

    @property
    def tpm(self) -> int | None:
        return round(self._tokens.per_minute / SAFETY) if self._tokens else None

    @property
    def requests_per_min(self) -> int:
        """Requests of the last 60 seconds that were not refused."""
        return self._requests.in_last_minute(self._clock())

    def succeeded(self, ticket: Ticket, completion: Completion) -> None:
        """Learn from a reply: its tokens correct the estimate, its headers tell unknown limits."""
        now = self._clock()
        self.in_flight.succeeded(now, ticket.sent_at)
        if ticket.sent_at >= self.in_flight.cut_at:
            self._doubt.accepted(ticket.place)
        self._requests.accepted(now, ticket.sent_at)
        self._requests.told(completion.requests, now)
        usage = completion.reply.usage
        tokens = (usage.input_tokens or 0) + (usage.output_tokens or 0)
        self.spent.add(now, tokens)
        if self._tokens and tokens:
            self._tokens.correct(tokens - ticket.tokens)
        # A limit that this very reply has passed is none of tokens a minute.
        if completion.tokens.limit and self._tokens_are_told and completion.tokens.limit >= tokens:
            self._pace_tokens(completion.tokens.limit)
        if tokens:
            self._tokens_each += 0.1 * (tokens - self._tokens_each)

    def failed(self, ticket: Ticket, fault: Fault) -> None:
        """Learn from a fault: refusals tell of rates, congestion of places, a named wait holds the lane."""
        now = self._clock()
        named_s = None if fault.retry_after is None else min(fault.retry_after, LONGEST_WAIT_S)
        if named_s:
            self._held_until = max(self._held_until, now + named_s)
        if isinstance(fault, RateLimited):
            self._refused(ticket, now, named_s)
            return
        if fault.status is not None:
            self._requests.accepted(now, ticket.sent_at)
        if fault.congestion:
            self.in_flight.congested(now, ticket.sent_at, ticket.place)

    def _refused(self, ticket: Ticket, now: float, named_s: float | None) -> None:
        has_places = self.in_flight.is_free and ticket.sent_at >= self.in_flight.cut_at
        is_paced = self._requests.per_minute is not None and has_places
        if named_s is None and not self._doubt.is_rate(
            ticket.place, ticket.sent_at, self.in_flight, is_paced=is_paced
        ):
            self._requests.forget(ticket.sent_at)
            self.in_flight.congested(now, ticket.sent_at, ticket.place)
            return
        is_meant = self._requests.refused(now, ticket.sent_at, named_s)
        if is_meant and not is_paced:
            self.in_flight.congested(now, ticket.sent_at, ticket.place)

    # --- steering ---

    def pause(self) -> None:
        """Let nobody in until `resume`; what is in flight goes on."""
        if not self._paused:
            self._paused = True
            self._resumed = anyio.Event()

    def resume(self) -> None:
        """End a pause."""
        self._paused = False
        self._resumed.set()
        self._call()

    async def until_resumed(self) -> None:
        """Return at once unless the gate is paused; else when that ends or the gate is closed."""
        while self._paused and not self._closed.is_set():
            await self._resumed.wait()

    def close(self) -> None:
        """Send everybody away who waits here or sleeps, and whoever comes later; for good."""
        self._closed.set()
        self._resumed.set()
        for waiter in self._queue:
            waiter.called.set()

    def set_rates(self, rpm: int | None, tpm: int | None) -> None:
        """New limits per minute from now on; None leaves one as it is."""
        if rpm is not None:
            self._requests.set_known(rpm)
        if tpm is not None:
            self._tokens_are_told = False
            self._pace_tokens(tpm)
        self._call()

    def set_concurrency(self, most: int) -> None:
        """A new upper bound for requests in flight."""
        self.in_flight.set_most(most)
        self._call()

    def _pace_tokens(self, per_minute: int) -> None:
        if self._tokens is None:
            self._tokens = Pace(per_minute * SAFETY)
        elif self.tpm != per_minute:
            self._tokens.set_rate(per_minute * SAFETY)
