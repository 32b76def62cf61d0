"""What all lanes of one run share: the record of events, the cache, the requests in flight and the budget."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import anyio

from vlbench.engine.limiter import LetGo
from vlbench.engine.purse import Purse
from vlbench.engine.retry import RetryPolicy
from vlbench.errors import StoreError
from vlbench.media.read import ImageReader
from vlbench.scoring.codes import Code
from vlbench.scoring.readers.reader import Reader
from vlbench.state.events import AnyEvent, AttemptFailed, RunStatus, to_json
from vlbench.state.fold import RunState
from vlbench.store.cache import CachedReply, ResponseCache
from vlbench.store.journal import Journal
from vlbench.types import Variant


@dataclass(slots=True)
class Flight:
    """One request on its way; identical ones wait for it to land."""

    landed: anyio.Event = field(default_factory=anyio.Event)
    result: CachedReply | None = None


@dataclass(slots=True)
class Work:
    """What one run shares. `samples` and `repeats` bound the slots; codes in `again` are asked anew.

    `requests` and `faults` count what was sent since the engine began, and what of it failed. `at_stop` is
    called when the run begins to stop, so that nobody goes on waiting for a turn.
    """

    state: RunState
    journal: Journal
    cache: ResponseCache
    images: ImageReader
    reader: Reader
    samples: int
    repeats: int
    policy: RetryPolicy = field(default_factory=RetryPolicy)
    again: frozenset[Code] = frozenset()
    max_requests: int | None = None
    purse: Purse = field(default_factory=Purse)
    listeners: tuple[Callable[[AnyEvent], None], ...] = ()
    flights: dict[str, Flight] = field(default_factory=dict)
    requests: int = 0
    faults: int = 0
    stopping: RunStatus | None = None
    unwritten: StoreError | None = None
    at_stop: list[Callable[[], None]] = field(default_factory=list)

    def stop(self, why: RunStatus) -> None:
        """Begin nothing more; what is in flight is finished and kept. The first reason stays."""
        if self.stopping is None:
            self.stopping = why
            self.purse.close()
            for callback in self.at_stop:
                callback()

    def record(self, event: AnyEvent) -> None:
        """Write the event down, then let it count. What is not in the journal has not happened.

        When the journal takes no more, nothing is begun any more, and what is in flight still reaches the
        cache; `unwritten` is why.
        """
        if self.unwritten is not None:
            return
        try:
            stamp = self.journal.append_json(to_json(event))
        except StoreError as error:
            self.unwritten = error
            self.stop("interrupted")
            return
        stamped = event.model_copy(update={"seq": stamp.seq, "time": stamp.time})
        self.state.apply(stamped)
        if isinstance(event, AttemptFailed):
            self.faults += 1
        for listen in self.listeners:
            listen(stamped)

    async def wait_for_money(self, variant: Variant) -> None:
        """Wait until a request can be paid for; see `Purse`. LetGo when the limit in dollars is reached."""
        if not await self.purse.wait(variant):
            self.stop("budget")
            raise LetGo

    def spend_request(self) -> None:
        """Count one request that is about to be sent. LetGo when the user's limit is reached."""
        if self.max_requests is not None and self.requests >= self.max_requests:
            self.stop("budget")
            raise LetGo
        self.requests += 1
