"""The gate of one lane: how many requests may be in flight, how fast, and from when on."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

import anyio

from vlbench.catalog.entry import Limits
from vlbench.engine.pace import InFlight, Pace, Window
from vlbench.errors import Fault
from vlbench.types import Completion

LONGEST_WAIT_S = 3600.0
"""A wait the server asks for is obeyed up to this; a longer one stops the lane."""

FIRST_TOKEN_GUESS = 1000
"""Tokens a request is taken for until the first usage report of the lane."""


@dataclass(frozen=True, slots=True)
class Ticket:
    """One request on its way: when it was sent (monotonic seconds), and the tokens it was counted for."""

    sent_at: float
    tokens: float


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
        self._held_until = 0.0
        self._turn = anyio.Lock(fast_acquire=True)
        self._changed = anyio.Event()
        self.sent = Window()
        self.spent = Window()

    @asynccontextmanager
    async def pass_through(self) -> AsyncIterator[Ticket]:
        """Let one request pass, first come first served, and count it in flight until it is over."""
        async with self._turn:
            await self._until_allowed()
            self.in_flight.count += 1
            ticket = self._ticket()
        try:
            yield ticket
        finally:
            self.in_flight.count -= 1
            self._wake()

    async def _until_allowed(self) -> None:
        while True:
            if not self.in_flight.is_free:
                await self._changed.wait()
                continue
            wait = self.wait()
            if wait <= 0:
                return
            with anyio.move_on_after(wait):
                await self._changed.wait()

    def _ticket(self) -> Ticket:
        ticket = Ticket(self._clock(), self._tokens_each)
        if self._requests:
            self._requests.take(ticket.sent_at)
        if self._tokens:
            self._tokens.take(ticket.sent_at, ticket.tokens)
        self.sent.add(ticket.sent_at)
        return ticket

    def _wake(self) -> None:
        self._changed.set()
        self._changed = anyio.Event()

    def wait(self) -> float:
        """Seconds until another request may be sent, requests in flight aside."""
        now = self._clock()
        paces = [pace.wait(now) for pace in (self._requests, self._tokens) if pace]
        return max([self._held_until - now, 0.0, *paces])

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

    def set_concurrency(self, most: int) -> None:
        """A new upper bound for requests in flight."""
        self.in_flight.set_most(most)
        self._wake()
