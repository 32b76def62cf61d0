"""One provider account at work: workers pull open slots, look in the cache, ask through the limiter."""

from __future__ import annotations

import time
from collections.abc import Sequence
from itertools import chain

import anyio
import anyio.lowlevel
from anyio.abc import TaskGroup
from pydantic import JsonValue

from vlbench.adapters.adapter import Adapter
from vlbench.engine.limiter import LetGo
from vlbench.engine.plan import LanePlan, PlannedRow
from vlbench.engine.sender import Sender
from vlbench.engine.slot import Slot, failed_slots, open_slots
from vlbench.engine.work import Flight, Work
from vlbench.errors import Fault
from vlbench.state.events import LaneState, ReplyArrived, Warned
from vlbench.store.cache import CachedReply
from vlbench.store.key import ingredients, request_key
from vlbench.types import Request

CACHE_HITS_PER_TURN = 16
"""Slots settled from the cache before a lane lets others run."""

MOST_RESTING = 4
"""At most so many workers for each request that may be in flight, those that rest before a retry included."""

CLOSE_WITHIN_S = 5.0


class Lane:
    """The queue and the limits of one account. A lane never waits for another one.

    There are as many workers as requests may be in flight; others take over while some rest before a retry.
    """

    def __init__(self, plan: LanePlan, adapter: Adapter, work: Work) -> None:
        self.plan = plan
        self.rows = plan.rows
        self.sender = Sender(plan.id, plan.entry.limits, adapter, work)
        if before := work.state.lanes.get(plan.id):
            # The run was stopped while the server had it wait: what is left of that still holds.
            left = before.time + before.waiting_s - time.time()
            self.sender.wait_out(min(left, before.waiting_s))
        self._work = work
        self._models_seen: dict[str, str] = {}
        self._hits = 0
        self._slots = open_slots(work, plan.rows)
        self._workers = 0
        self._resting = 0
        self._group: TaskGroup | None = None
        work.at_stop.append(self.sender.limiter.close)

    @property
    def id(self) -> str:
        return self.plan.id

    async def run(self) -> None:
        """Settle every open slot of the lane's rows, or stop. May be called again for slots added later."""
        try:
            async with anyio.create_task_group() as beside:
                beside.start_soon(self.sender.deadline.watch)
                async with anyio.create_task_group() as self._group:
                    self._hire()
                beside.cancel_scope.cancel()
        finally:
            self._group = None

    def _hire(self) -> None:
        most = self.sender.limiter.in_flight.most
        # Each resting worker holds a sample, so there is a bound when a server fails everything.
        bound = MOST_RESTING * most
        while self._group is not None and self._workers < min(most + self._resting, bound):
            self._workers += 1
            self._group.start_soon(self._work_on)

    async def _work_on(self) -> None:
        try:
            while (slot := await self._next_slot()) is not None:
                if self.sender.serves(slot):
                    await self._settle(slot)
                if self._workers - self._resting > self.sender.limiter.in_flight.most:
                    return
        finally:
            self._workers -= 1

    async def _rest(self, seconds: float) -> None:
        """Wait before a retry while another worker takes over."""
        self._resting += 1
        self._hire()
        try:
            await self.sender.limiter.sleep(seconds)
        finally:
            self._resting -= 1

    async def _next_slot(self) -> Slot | None:
        await self.sender.limiter.until_resumed()
        if self._work.stopping or self.sender.is_stopped:
            return None
        return next(self._slots, None)

    async def _settle(self, slot: Slot) -> None:
        row = self._work.state.rows[slot.row.variant.id, slot.row.condition.id]
        if not slot.again and not row.is_open(slot.ordinal, slot.repeat):
            return
        request = slot.row.request(slot.sample, slot.repeat, again=slot.again)
        parts = ingredients(request, slot.row.variant)
        key = request_key(parts)
        while True:
            if not slot.again and (known := self._work.cache.get(key)):
                return await self._from_cache(slot, key, known)
            flight = self._work.flights.get(key)
            if flight is None:
                break
            await flight.landed.wait()
            if flight.result:
                return await self._from_cache(slot, key, flight.result)
        flight = self._work.flights[key] = Flight()
        try:
            flight.result = await self._ask(slot, key, request, parts)
        except (LetGo, Fault):
            return
        finally:
            del self._work.flights[key]
            flight.landed.set()

    async def _from_cache(self, slot: Slot, key: str, known: CachedReply) -> None:
        self._record(slot, key, known, cached=True)
        self._hits += 1
        if self._hits % CACHE_HITS_PER_TURN == 0:
            await anyio.lowlevel.checkpoint()

    async def _ask(self, slot: Slot, key: str, request: Request, parts: dict[str, JsonValue]) -> CachedReply:
        sent = await self.sender.send(slot, request, self._rest)
        reply = sent.completion.reply
        answered = CachedReply(ingredients=parts, reply=reply, created=time.time(), latency_s=sent.latency_s)
        # First: a reply that the journal's disk has no room for is then not lost.
        self._work.cache.put(key, answered)
        self._record(slot, key, answered, attempts=sent.attempts)
        self._notice_model(slot, reply.model)
        return answered

    def _record(
        self, slot: Slot, key: str, known: CachedReply, *, cached: bool = False, attempts: int = 0
    ) -> None:
        reader = self._work.reader
        self._work.record(
            ReplyArrived(
                variant=slot.row.variant.id,
                condition=slot.row.condition.id,
                sample=slot.sample.id,
                repeat=slot.repeat,
                key=key,
                cached=cached,
                reply=known.reply,
                answer=reader.read(known.reply, slot.sample.options),
                reader=reader.id,
                attempts=attempts,
                latency_s=known.latency_s,
            )
        )

    def _notice_model(self, slot: Slot, reported: str) -> None:
        variant = slot.row.variant.id
        first = self._models_seen.setdefault(variant, reported)
        if reported != first:
            self._models_seen[variant] = reported
            message = f"the server now reports model {reported!r}, earlier {first!r}"
            self._work.record(Warned(subject=variant, message=message))

    # --- steering ---

    @property
    def is_running(self) -> bool:
        """Whether workers are at it. A lane that is done takes new slots, and must be run again for them."""
        return self._group is not None

    def retry_failed(self) -> None:
        """Ask again, after everything else, whatever has failed by then."""
        self._slots = chain(self._slots, failed_slots(self._work, self.rows))
        self._hire()

    def add(self, rows: Sequence[PlannedRow]) -> None:
        """Ask further variants of this account."""
        self.rows = (*self.rows, *rows)
        self._slots = chain(self._slots, open_slots(self._work, rows))
        self._hire()

    def set_limits(self, rpm: int | None, tpm: int | None, concurrency: int | None) -> None:
        """New limits from now on; None leaves one as it is."""
        self.sender.limiter.set_rates(rpm, tpm)
        if concurrency is not None:
            self.sender.limiter.set_concurrency(concurrency)
            self._hire()

    async def close(self) -> None:
        """Let go of the connections."""
        with anyio.CancelScope(shield=True), anyio.move_on_after(CLOSE_WITHIN_S):
            await self.sender.close()

    def snapshot(self) -> LaneState:
        """How the lane stands now."""
        now = time.monotonic()
        times = sorted(self.sender.latencies)
        limiter, oldest_s = self.sender.limiter, self.sender.deadline.oldest_s
        return LaneState(
            lane=self.plan.id,
            in_flight=limiter.in_flight.count,
            concurrency=limiter.in_flight.limit,
            sent=self.sender.sent,
            requests_per_min=limiter.requests_per_min,
            tokens_per_min=limiter.spent.total(now),
            rpm=limiter.rpm,
            tpm=limiter.tpm,
            waiting_s=round(limiter.held_for, 1),
            p50_s=round(times[len(times) // 2], 3) if times else None,
            p95_s=round(times[len(times) * 95 // 100], 3) if times else None,
            oldest_s=None if oldest_s is None else round(oldest_s, 1),
        )
