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
from vlbench.engine.pace import InFlight, Pace, Window
from vlbench.errors import Fault
from vlbench.types import Completion

LONGEST_WAIT_S = 3600.0
"""A wait the server asks for is obeyed up to this; a longer one stops the lane."""

FIRST_TOKEN_GUESS = 1000
"""Tokens a request is taken for until the first usage report of the lane."""


class LetGo(Exception):
    """The slot is left open: its lane or the run stops, or the budget is spent."""


@dataclass(frozen=True, slots=True)
class Ticket:
    """One request on its way: when it was sent (monotonic seconds), and the tokens it was counted for."""

    sent_at: float
    tokens: float


@dataclass(slots=True, eq=False)
class _Waiter:
    called: anyio.Event = field(default_factory=anyio.Event)
    ticket: Ticket | None = None


class Limiter:
    """Requests per minute, tokens per minute and concurrency of one provider account.

    Limits of the entry or the command line are fixed bounds; what the server's headers say narrows them.
    """

    def __init__(self, limits: Limits, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self.in_flight = InFlight(limits.concurrency, max(limits.concurrency, limits.max_concurrency))
        self._requests = Pace(limits.rpm) if limits.rpm else None
        self._tokens = Pace(limits.tpm) if limits.tpm else None
        self._tokens_each = float(FIRST_TOKEN_GUESS)
        self._held_until = -math.inf
        self._queue: deque[_Waiter] = deque()
        self._paused = False
        self._resumed = anyio.Event()
        self._closed = anyio.Event()
        self.sent = Window()
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
        if not self._queue and self._blocked_s() <= 0:
            return self._grant()
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
            wait = self._blocked_s() if self._queue[0] is waiter else math.inf
            with anyio.move_on_after(wait):
                await waiter.called.wait()
            if waiter.ticket is None:
                if self._closed.is_set():
                    raise LetGo
                waiter.called = anyio.Event()
                self._call()
        return waiter.ticket

    def leave(self) -> None:
        """A request that was let in is over."""
        self.in_flight.count -= 1
        self._call()

    def _call(self) -> None:
        """Let in whoever may go now; when only time keeps the next one out, make it watch the clock."""
        while self._queue and self._blocked_s() <= 0:
            waiter = self._queue.popleft()
            waiter.ticket = self._grant()
            waiter.called.set()
        if self._queue and self.in_flight.is_free:
            self._queue[0].called.set()

    def _blocked_s(self) -> float:
        """Seconds until the next request may be sent; infinite when that is not a matter of time."""
        return math.inf if self._paused or not self.in_flight.is_free else self.wait()

    def _grant(self) -> Ticket:
        self.in_flight.count += 1
        ticket = Ticket(self._clock(), self._tokens_each)
        if self._requests:
            self._requests.take(ticket.sent_at)
        if self._tokens:
            self._tokens.take(ticket.sent_at, ticket.tokens)
        self.sent.add(ticket.sent_at)
        return ticket

    def wait(self) -> float:
        """Seconds until another request may be sent, requests in flight aside."""
        now = self._clock()
        paces = [pace.wait(now) for pace in (self._requests, self._tokens) if pace]
        return max([self._held_until - now, 0.0, *paces])

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
        return round(self._requests.per_minute) if self._requests else None

    @property
    def tpm(self) -> int | None:
        return round(self._tokens.per_minute) if self._tokens else None

    def succeeded(self, ticket: Ticket, completion: Completion) -> None:
        """Learn from a reply: its tokens correct the estimate, its headers tell unknown limits."""
        now = self._clock()
        self.in_flight.succeeded()
        usage = completion.reply.usage
        tokens = (usage.input_tokens or 0) + (usage.output_tokens or 0)
        self.spent.add(now, tokens)
        if self._requests is None and completion.requests.limit:
            self._requests = Pace(completion.requests.limit)
        if self._tokens is None and completion.tokens.limit:
            self._tokens = Pace(completion.tokens.limit)
        elif self._tokens and tokens:
            self._tokens.correct(tokens - ticket.tokens)
        if tokens:
            self._tokens_each += 0.1 * (tokens - self._tokens_each)

    def failed(self, ticket: Ticket, fault: Fault) -> None:
        """Learn from a fault: congestion allows fewer in flight, a named wait holds the whole lane."""
        now = self._clock()
        if fault.retry_after:
            self._held_until = max(self._held_until, now + min(fault.retry_after, LONGEST_WAIT_S))
        if fault.congestion:
            self.in_flight.congested(now, ticket.sent_at)

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
            self._requests = _paced(self._requests, rpm)
        if tpm is not None:
            self._tokens = _paced(self._tokens, tpm)
        self._call()

    def set_concurrency(self, most: int) -> None:
        """A new upper bound for requests in flight."""
        self.in_flight.set_most(most)
        self._call()


def _paced(pace: Pace | None, per_minute: int) -> Pace:
    if pace is None:
        return Pace(per_minute)
    pace.set_rate(per_minute)
    return pace
