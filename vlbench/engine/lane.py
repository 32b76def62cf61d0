"""One provider account at work: workers pull open slots, look in the cache, ask through the limiter."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

import anyio
import anyio.lowlevel
from pydantic import JsonValue

from vlbench.adapters.adapter import Adapter
from vlbench.engine.limiter import LONGEST_WAIT_S, Limiter
from vlbench.engine.plan import LanePlan, PlannedRow
from vlbench.engine.retry import with_retries
from vlbench.engine.work import Flight, LetGo, Work
from vlbench.errors import Fault, Timeout
from vlbench.state.events import AttemptFailed, LaneState, LaneStopped, ReplyArrived, Warned
from vlbench.store.cache import CachedReply
from vlbench.store.key import ingredients, request_key
from vlbench.types import Completion, Request, Sample

CACHE_HITS_PER_TURN = 16
"""Slots settled from the cache before a lane lets others run."""


@dataclass(frozen=True, slots=True)
class Slot:
    """One sample under one condition, asked of one variant for the n-th time. `again` bypasses the cache."""

    row: PlannedRow
    sample: Sample
    repeat: int
    again: bool = False


class Lane:
    """The queue and the limits of one account. A lane never waits for another one."""

    def __init__(self, plan: LanePlan, adapter: Adapter, work: Work) -> None:
        self.plan = plan
        self.limiter = Limiter(plan.entry.limits)
        self._adapter = adapter
        self._work = work
        self._opening = anyio.Lock()
        self._is_open = False
        self._stopped = False
        self._stopped_models: set[str] = set()
        self._models_seen: dict[str, str] = {}
        self._hits = 0
        self._sent = 0
        self._latencies: deque[float] = deque(maxlen=200)
        self._slots = self._open_slots()

    async def run(self) -> None:
        """Settle every open slot of the lane's rows, or stop."""
        try:
            async with anyio.create_task_group() as workers:
                for _ in range(self.limiter.in_flight.most):
                    workers.start_soon(self._worker)
        finally:
            if self._is_open:
                with anyio.CancelScope(shield=True), anyio.move_on_after(5):
                    await self._adapter.close()

    def _open_slots(self) -> Iterator[Slot]:
        state, again = self._work.state, self._work.again
        for ordinal in range(self._work.samples):
            sample: Sample | None = None
            for row in self.plan.rows:
                kept = state.rows[row.variant.id, row.condition.id]
                for repeat in range(self._work.repeats):
                    code = kept.codes[repeat][ordinal]
                    if kept.is_open(ordinal, repeat) or code in again:
                        sample = sample or state.samples.get(ordinal)
                        yield Slot(row, sample, repeat, again=code in again)

    async def _worker(self) -> None:
        for slot in self._slots:
            if self._work.stopping or self._stopped:
                return
            if slot.row.variant.model not in self._stopped_models:
                await self._settle(slot)

    async def _settle(self, slot: Slot) -> None:
        request = slot.row.request(slot.sample, slot.repeat)
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
        except LetGo:
            return
        finally:
            del self._work.flights[key]
            flight.landed.set()

    async def _from_cache(self, slot: Slot, key: str, known: CachedReply) -> None:
        self._record(slot, key, known, cached=True)
        self._hits += 1
        if self._hits % CACHE_HITS_PER_TURN == 0:
            await anyio.lowlevel.checkpoint()

    async def _ask(
        self, slot: Slot, key: str, request: Request, parts: dict[str, JsonValue]
    ) -> CachedReply | None:
        attempts = 0
        latency_s = 0.0

        async def attempt(number: int) -> Completion:
            nonlocal attempts, latency_s
            attempts = number
            started = time.monotonic()
            completion = await self._send(slot, request)
            latency_s = time.monotonic() - started
            return completion

        def failed(number: int, fault: Fault, retry_in_s: float | None) -> None:
            self._failed(slot, number, fault, retry_in_s)

        await self._ensure_open()
        try:
            completion = await with_retries(attempt, self._work.policy, failed=failed)
        except Fault:
            return None
        reply = completion.reply
        answered = CachedReply(ingredients=parts, reply=reply, created=time.time(), latency_s=latency_s)
        self._record(slot, key, answered, attempts=attempts)
        self._work.cache.put(key, answered)
        self._notice_model(slot, reply.model)
        return answered

    async def _send(self, slot: Slot, request: Request) -> Completion:
        async with self.limiter.pass_through() as ticket:
            if self._stopped or slot.row.variant.model in self._stopped_models:
                raise LetGo
            self._work.spend_request()
            self._sent += 1
            try:
                with anyio.fail_after(self._work.policy.attempt_deadline_s):
                    completion = await self._adapter.complete(request)
            except Exception as error:  # the border to SDKs: what `explain` does not know is raised again
                fault = self._fault_behind(error)
                if fault is None:
                    raise
                self.limiter.failed(ticket, fault)
                raise fault from None
            self._latencies.append(time.monotonic() - ticket.sent_at)
            self.limiter.succeeded(ticket, completion)
            return completion

    def _fault_behind(self, error: Exception) -> Fault | None:
        if isinstance(error, Fault):
            return error
        if isinstance(error, TimeoutError):
            limit = self._work.policy.attempt_deadline_s
            return Timeout(f"no complete reply within {limit:g} s")
        return self._adapter.explain(error)

    async def _ensure_open(self) -> None:
        async with self._opening:
            if not self._is_open:
                await self._adapter.open(self._work.images)
                self._is_open = True

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

    def _failed(self, slot: Slot, number: int, fault: Fault, retry_in_s: float | None) -> None:
        too_long = (fault.retry_after or 0.0) > LONGEST_WAIT_S
        stops = "lane" if too_long else fault.stops
        self._work.record(
            AttemptFailed(
                variant=slot.row.variant.id,
                condition=slot.row.condition.id,
                sample=slot.sample.id,
                repeat=slot.repeat,
                lane=self.plan.id,
                attempt=number,
                kind=fault.kind,
                message=fault.message,
                status=fault.status,
                code=fault.code,
                retry_in_s=retry_in_s,
                final=retry_in_s is None and stops == "nothing",
            )
        )
        if stops != "nothing":
            self._stop(fault, slot.row.variant.model if stops == "model" else None)

    def _stop(self, fault: Fault, model: str | None) -> None:
        if self._stopped or model in self._stopped_models:
            return
        if model is None:
            self._stopped = True
        else:
            self._stopped_models.add(model)
        self._work.record(LaneStopped(lane=self.plan.id, model=model, kind=fault.kind, message=fault.message))

    def _notice_model(self, slot: Slot, reported: str) -> None:
        variant = slot.row.variant.id
        first = self._models_seen.setdefault(variant, reported)
        if reported != first:
            self._models_seen[variant] = reported
            message = f"the server now reports model {reported!r}, earlier {first!r}"
            self._work.record(Warned(subject=variant, message=message))

    def snapshot(self) -> LaneState:
        """How the lane stands now."""
        now = time.monotonic()
        times = sorted(self._latencies)
        limiter = self.limiter
        return LaneState(
            lane=self.plan.id,
            in_flight=limiter.in_flight.count,
            concurrency=limiter.in_flight.limit,
            sent=self._sent,
            requests_per_min=limiter.sent.total(now),
            tokens_per_min=limiter.spent.total(now),
            rpm=limiter.rpm,
            tpm=limiter.tpm,
            waiting_s=round(limiter.held_for, 1),
            p50_s=round(times[len(times) // 2], 3) if times else None,
            p95_s=round(times[len(times) * 95 // 100], 3) if times else None,
        )
