"""Sending for one account: the adapter behind the limiter, tried again until it succeeds or must end."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import anyio
import anyio.to_thread

from vlbench.adapters.adapter import Adapter
from vlbench.catalog.entry import Limits
from vlbench.engine.deadline import Deadline
from vlbench.engine.limiter import LONGEST_WAIT_S, LetGo, Limiter, Ticket
from vlbench.engine.retry import with_retries
from vlbench.engine.slot import Slot
from vlbench.engine.work import Work
from vlbench.errors import Fault, Network, Stops, Timeout
from vlbench.state.events import AttemptFailed, LaneStopped
from vlbench.types import Combined, Completion, Request, Variant


@dataclass(frozen=True, slots=True)
class Sent:
    """A completion, the number of attempts it took, and the seconds the last one needed once it was sent."""

    completion: Completion
    attempts: int
    latency_s: float


class Sender:
    """Everything between a request and its completion. Which slots are asked is not decided here."""

    def __init__(self, lane: str, limits: Limits, adapter: Adapter, work: Work) -> None:
        self.lane = lane
        self.limiter = Limiter(limits)
        self.deadline = Deadline(work.policy.attempt_deadline_s)
        self.sent = 0
        self.latencies: deque[float] = deque(maxlen=200)
        self.is_stopped = False
        self._adapter = adapter
        self._work = work
        self._opening = anyio.Lock()
        self._at_gate: dict[str, anyio.Lock] = {}
        self._is_open = False
        self._last_success = -math.inf
        self._stopped_models: set[str] = set()
        self._dropped: set[str] = set()

    def serves(self, slot: Slot) -> bool:
        """Whether the slot may still be asked: nothing stopped or dropped its lane, model or variant."""
        variant = slot.row.variant
        return not (self.is_stopped or variant.model in self._stopped_models or variant.id in self._dropped)

    async def send(self, slot: Slot, request: Request, sleep: Callable[[float], Awaitable[None]]) -> Sent:
        """The first success for `request`; `sleep` waits between attempts.

        Raises its last fault, or LetGo when it is not to be sent.
        """
        await self._ensure_open()
        for image in request.images:
            if isinstance(image.source, Combined):  # drawn here and kept: it would hold up the event loop
                await anyio.to_thread.run_sync(self._work.images.raw, image)
        began = time.monotonic()

        async def attempt(number: int) -> Sent:
            completion, latency_s = await self._attempt(slot, request)
            return Sent(completion, number, latency_s)

        def failed(number: int, fault: Fault, retry_in_s: float | None) -> None:
            self._failed(slot, number, fault, retry_in_s, self._stops(fault, retry_in_s, began))

        return await with_retries(attempt, self._work.policy, failed=failed, sleep=sleep)

    def wait_out(self, seconds: float) -> None:
        """Send nothing for so long, because the server asked for it earlier."""
        if seconds > 0:
            asked = Fault("asked to wait before this run was stopped", retry_after=seconds)
            self.limiter.failed(Ticket(time.monotonic(), 0), asked)

    async def _attempt(self, slot: Slot, request: Request) -> tuple[Completion, float]:
        purse, variant = self._work.purse, slot.row.variant
        ticket = await self._let_in(variant)
        try:
            completion, latency_s = await self._complete(slot, request, ticket)
            purse.pay(variant, completion.reply.usage)
            return completion, latency_s
        finally:
            self.limiter.leave()
            purse.release(variant)

    async def _let_in(self, variant: Variant) -> Ticket:
        """A turn at the limiter with the money for it, which is held only when the request may be sent now.

        Nobody keeps money while waiting for a turn, nor a turn while waiting for money: a lane that must wait
        does not stop others.
        """
        if self._work.purse.most is None:
            return await self.limiter.enter()
        # One by one: of many that saw the same money, all but one would give their turn back.
        async with self._at_gate.setdefault(variant.id, anyio.Lock()):
            while True:
                await self._work.wait_for_money(variant)
                ticket = await self.limiter.enter()
                if self._work.purse.hold(variant):
                    return ticket
                self.limiter.leave()

    async def _complete(self, slot: Slot, request: Request, ticket: Ticket) -> tuple[Completion, float]:
        if not self.serves(slot):
            raise LetGo
        self._work.spend_request()
        self.sent += 1
        try:
            with self.deadline.limit():
                completion = await self._adapter.complete(request)
        except Exception as error:  # the border to SDKs: what `explain` does not know is raised again
            fault = self._fault_behind(error)
            if fault is None:
                raise
            self.limiter.failed(ticket, fault)
            raise fault from None
        self._last_success = time.monotonic()
        latency_s = self._last_success - ticket.sent_at
        self.latencies.append(latency_s)
        self.limiter.succeeded(ticket, completion)
        return completion, latency_s

    def _fault_behind(self, error: Exception) -> Fault | None:
        if isinstance(error, Fault):
            return error
        if isinstance(error, TimeoutError):
            limit = self._work.policy.attempt_deadline_s
            return Timeout(f"no complete reply within {limit:g} s")
        return self._adapter.explain(error)

    async def _ensure_open(self) -> None:
        if self._is_open:
            return
        async with self._opening:
            if not self._is_open:
                await self._adapter.open(self._work.images)
                self._is_open = True

    def _stops(self, fault: Fault, retry_in_s: float | None, began: float) -> Stops:
        """What ends with this fault, which may be more than its kind says."""
        if (fault.retry_after or 0.0) > LONGEST_WAIT_S:
            return "lane"
        # Nobody else got through while this request was tried to the end: the server is not there.
        if isinstance(fault, Network) and retry_in_s is None and self._last_success < began:
            return "lane"
        return fault.stops

    def _failed(self, slot: Slot, number: int, fault: Fault, retry_in_s: float | None, stops: Stops) -> None:
        self._work.record(
            AttemptFailed(
                variant=slot.row.variant.id,
                condition=slot.row.condition.id,
                sample=slot.sample.id,
                repeat=slot.repeat,
                lane=self.lane,
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
        if self.is_stopped or model in self._stopped_models:
            return
        if model is None:
            self.stop()
        else:
            self._stopped_models.add(model)
        self._work.record(LaneStopped(lane=self.lane, model=model, kind=fault.kind, message=fault.message))

    def stop(self) -> None:
        """Send nothing more; what is in flight is finished and kept."""
        self.is_stopped = True
        self.limiter.close()

    def drop(self, variant: str) -> None:
        """Send nothing more for one variant."""
        self._dropped.add(variant)

    async def close(self) -> None:
        """Close the adapter if it was ever needed."""
        if self._is_open:
            self._is_open = False
            await self._adapter.close()
