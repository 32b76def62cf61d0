"""Servers and a lane on a simulated clock: hours of traffic in a second, nothing sleeps."""

from __future__ import annotations

import heapq
import math
import random
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, Protocol

from vlbench.engine.limiter import Limiter, Ticket
from vlbench.errors import Fault, Overloaded, RateLimited
from vlbench.types import Allowance, Completion, Reply, Usage

NEVER = math.inf


class Gate(Protocol):
    """What a model server allows."""

    def ask(self, now: float) -> float:
        """0 when a request is let in, else the seconds until one would be."""


class Bucket:
    """A token bucket: `per_minute` flow in evenly, `size` are saved up at most."""

    def __init__(self, per_minute: float, size: float) -> None:
        self._rate = per_minute / 60
        self._size = self._left = max(1.0, size)
        self._then = 0.0

    def ask(self, now: float) -> float:
        self._left = min(self._size, self._left + (now - self._then) * self._rate)
        self._then = now
        if self._left >= 1 - 1e-9:
            self._left -= 1
            return 0.0
        return (1 - self._left) / self._rate


class Chance:
    """Refuses a share of the requests, whatever their rate."""

    def __init__(self, share: float, seed: int) -> None:
        self._share, self._random = share, random.Random(seed)

    def ask(self, now: float) -> float:
        return 1.0 if self._random.random() < self._share else 0.0


class Tokens:
    """At most `limit` tokens in any 60 seconds; each request takes some between `least` and `most`."""

    def __init__(self, limit: int, least: int, most: int, seed: int) -> None:
        self._limit, self._range, self._random = limit, (least, most), random.Random(seed)
        self._spent: deque[tuple[float, int]] = deque()
        self._total = 0
        self.last = 0

    def ask(self, now: float) -> float:
        while self._spent and self._spent[0][0] <= now - 60:
            self._total -= self._spent.popleft()[1]
        self.last = self._random.randint(*self._range)
        if self._total + self.last > self._limit:
            return self._spent[0][0] + 60 - now
        self._spent.append((now, self.last))
        self._total += self.last
        return 0.0


class Rolling:
    """At most `limit` in any `window_s` seconds."""

    def __init__(self, limit: int, window_s: float) -> None:
        self._limit, self._window_s = limit, window_s
        self._times: deque[float] = deque()

    def ask(self, now: float) -> float:
        while self._times and self._times[0] <= now - self._window_s:
            self._times.popleft()
        if len(self._times) < self._limit:
            self._times.append(now)
            return 0.0
        return self._times[0] + self._window_s - now


class Calendar:
    """At most `limit` in every minute of a clock that is `phase_s` ahead."""

    def __init__(self, limit: int, phase_s: float) -> None:
        self._limit, self._phase_s = limit, phase_s
        self._minute = -1
        self._count = 0

    def ask(self, now: float) -> float:
        minute = int((now + self._phase_s) // 60)
        if minute != self._minute:
            self._minute, self._count = minute, 0
        if self._count < self._limit:
            self._count += 1
            return 0.0
        return (minute + 1) * 60 - self._phase_s - now


@dataclass
class Server:
    """A gate, a number it bears at once (by time), and a latency with a spread.

    Beyond its capacity it refuses with `full`, or lets requests wait for their turn ("slow").
    """

    gate: Gate | None = None
    capacity: Callable[[float], float] = lambda now: NEVER
    full: Literal[429, 503, "slow"] = 503
    latency_s: float = 0.5
    spread: float = 0.3
    names_waits: Literal["not", "exactly", "in whole seconds"] = "in whole seconds"
    told: Allowance = field(default_factory=Allowance)

    @property
    def mean_latency_s(self) -> float:
        return self.latency_s * math.exp(self.spread**2 / 2)

    def wait_named(self, wait_s: float) -> float | None:
        match self.names_waits:
            case "not":
                return None
            case "exactly":
                return wait_s
            case "in whole seconds":
                return float(math.ceil(wait_s))


@dataclass
class Traffic:
    """When requests were let in and refused, and how many were allowed in flight after each event."""

    let_in: list[float] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)
    refused: list[float] = field(default_factory=list)
    allowed: list[tuple[float, int]] = field(default_factory=list)

    def per_minute(self, start: float, end: float) -> float:
        return sum(start <= time < end for time in self.let_in) / (end - start) * 60

    def tokens_per_minute(self, start: float, end: float) -> float:
        pairs = zip(self.let_in, self.tokens, strict=True)
        return sum(tokens for time, tokens in pairs if start <= time < end) / (end - start) * 60

    def wasted(self, start: float, end: float) -> float:
        refused = sum(start <= time < end for time in self.refused)
        return refused / max(1, refused + sum(start <= time < end for time in self.let_in))


class Clock:
    """A time that is set by hand."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@dataclass(order=True)
class _Event:
    time: float
    number: int
    what: Literal["arrives", "replied", "failed"] = field(compare=False)
    ticket: Ticket = field(compare=False)
    fault: Fault | None = field(compare=False, default=None)


class Simulation:
    """Unlimited demand through a `Limiter` to a `Server` for some seconds.

    One request in `1 / late_share` comes up to 25 ms late, as it does where a loop or a wire is busy.
    """

    def __init__(
        self, limiter: Limiter, clock: Clock, server: Server, seed: int = 0, late_share: float = 0.0
    ) -> None:
        self._late_share = late_share
        self._limiter, self._clock, self._server = limiter, clock, server
        self._random = random.Random(seed)
        self._events: list[_Event] = []
        self._numbers = 0
        self._busy = 0
        self._waiting: deque[Ticket] = deque()
        self._tokens: dict[Ticket, int] = {}
        self.traffic = Traffic()

    def run(self, until_s: float) -> Traffic:
        while self._clock.now < until_s:
            while self._limiter.blocked_s() <= 0:
                self._later(self._on_the_way_s(), "arrives", self._limiter.grant())
            # A timer fires up to a millisecond late.
            due = self._clock.now + self._limiter.blocked_s() + 0.0012 * self._random.random()
            if not self._events or due < self._events[0].time:
                self._clock.now = due
                continue
            event = heapq.heappop(self._events)
            self._clock.now = event.time
            self._happen(event)
            self.traffic.allowed.append((event.time, self._limiter.in_flight.limit))
        return self.traffic

    def _on_the_way_s(self) -> float:
        is_late = self._late_share > 0 and self._random.random() < self._late_share
        return 0.002 + 0.001 * self._random.random() + is_late * self._random.uniform(0.005, 0.025)

    def _happen(self, event: _Event) -> None:
        if event.what == "arrives":
            self._arrive(event.ticket)
            return
        if event.fault is not None:
            self._limiter.failed(event.ticket, event.fault)
        else:
            self._busy -= 1
            usage = Usage(input_tokens=self._tokens.pop(event.ticket, None))
            completion = Completion(Reply(text="A", usage=usage), requests=self._server.told)
            self._limiter.succeeded(event.ticket, completion)
            capacity = self._server.capacity(event.time)
            while self._waiting and self._busy - len(self._waiting) < capacity:
                self._serve(self._waiting.popleft())
        self._limiter.leave()

    def _arrive(self, ticket: Ticket) -> None:
        now, server = self._clock.now, self._server
        if self._busy >= server.capacity(now) and server.full != "slow":
            kind = RateLimited if server.full == 429 else Overloaded
            self._refuse(ticket, kind("full", status=server.full))
            return
        wait = server.gate.ask(now) if server.gate else 0.0
        if wait > 0:
            named = server.wait_named(wait)
            self._refuse(ticket, RateLimited("too fast", status=429, retry_after=named))
            return
        self.traffic.let_in.append(now)
        if isinstance(server.gate, Tokens):
            self._tokens[ticket] = server.gate.last
            self.traffic.tokens.append(server.gate.last)
        self._busy += 1
        if self._busy - len(self._waiting) > server.capacity(now):
            self._waiting.append(ticket)
        else:
            self._serve(ticket)

    def _serve(self, ticket: Ticket) -> None:
        spread = self._random.lognormvariate(0, self._server.spread)
        self._later(self._server.latency_s * spread, "replied", ticket)

    def _refuse(self, ticket: Ticket, fault: Fault) -> None:
        self.traffic.refused.append(self._clock.now)
        self._later(0.005, "failed", ticket, fault)

    def _later(
        self,
        seconds: float,
        what: Literal["arrives", "replied", "failed"],
        ticket: Ticket,
        fault: Fault | None = None,
    ) -> None:
        self._numbers += 1
        heapq.heappush(self._events, _Event(self._clock.now + seconds, self._numbers, what, ticket, fault))
