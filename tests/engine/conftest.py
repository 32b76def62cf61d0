"""A run in small: samples on disk, a scripted provider, and the engine between them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import anyio
import pytest

from vlbench.adapters.adapter import Adapter, ImageBytes
from vlbench.catalog.entry import Limits, ProviderEntry
from vlbench.catalog.profile import PromptProfile, Wording
from vlbench.engine.lane import Lane
from vlbench.engine.plan import LanePlan, PlannedRow
from vlbench.engine.purse import Purse
from vlbench.engine.retry import RetryPolicy
from vlbench.engine.run import run
from vlbench.engine.steering import Addition, Steering
from vlbench.engine.work import Work
from vlbench.errors import Fault
from vlbench.media.read import ImageReader
from vlbench.scoring.codes import Code
from vlbench.scoring.readers.registry import reader
from vlbench.state.events import AnyEvent, RunEnded, parse_event
from vlbench.state.fold import RunState
from vlbench.store import journal
from vlbench.store.cache import CachedReply
from vlbench.store.journal import Journal
from vlbench.store.samples import SampleIndex, write_samples
from vlbench.types import Completion, Condition, Decoding, Reply, Request, Sample, TextPart, Variant

QUICK = RetryPolicy(
    attempts=3, attempt_deadline_s=0.2, item_deadline_s=5, first_wait_s=0.001, longest_wait_s=0.002
)
TEXT = Condition(show="text")
GREY = Condition(show="grey")

Script = Callable[[Request], Completion | Fault | None]


def question_of(request: Request) -> str:
    """The id of the sample behind a request: the last word of its text."""
    part = request.messages[-1].parts[-1]
    assert isinstance(part, TextPart)
    return part.text.split()[-1]


@dataclass
class ScriptedAdapter:
    """Answers as `script` says; None never answers. Remembers every request."""

    script: Script = lambda request: Completion(Reply(text="A"))
    requests: list[Request] = field(default_factory=list)
    opened: int = 0
    closed: int = 0
    delay_s: float = 0.0
    at_once: int = 0
    most_at_once: int = 0

    async def open(self, images: ImageBytes) -> None:
        self.opened += 1

    async def complete(self, request: Request) -> Completion:
        self.requests.append(request)
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            await anyio.sleep(self.delay_s)
        finally:
            self.at_once -= 1
        result = self.script(request)
        if result is None:
            await anyio.sleep_forever()
        if isinstance(result, Fault):
            raise result
        assert isinstance(result, Completion)
        return result

    def explain(self, error: Exception) -> Fault | None:
        return None

    async def close(self) -> None:
        self.closed += 1

    @property
    def asked(self) -> list[str]:
        return [question_of(request) for request in self.requests]


class MemoryCache:
    """A `ResponseCache` that forgets with the process."""

    def __init__(self) -> None:
        self.entries: dict[str, CachedReply] = {}

    def get(self, key: str) -> CachedReply | None:
        return self.entries.get(key)

    def put(self, key: str, entry: CachedReply) -> None:
        self.entries[key] = entry

    def flush(self) -> None: ...

    def close(self) -> None: ...

    def keys(self) -> Iterator[str]:
        return iter(self.entries)

    def clear(self) -> int:
        return 0

    def __len__(self) -> int:
        return len(self.entries)

    def size_bytes(self) -> int:
        return 0


def sample(name: str, question: str | None = None, *, problem: str | None = None) -> Sample:
    return Sample(
        id=name,
        question=question or f"Which one is question {name}",
        options={"A": "this", "B": "that"},
        gold="A",
        categories=("core", "axis"),
        problem=problem,
    )


def variant(name: str = "m", *, base: bool = False) -> Variant:
    return Variant(
        id=f"p:{name}",
        provider="p",
        model=name,
        lane="p",
        wire="chat",
        urls=(),
        identity=f"p/{name}",
        base=base,
    )


def lane_plan(
    *variants: Variant, conditions: Sequence[Condition] = (TEXT,), lane: str = "p", concurrency: int = 4
) -> LanePlan:
    limits = Limits(concurrency=concurrency, max_concurrency=concurrency)
    entry = ProviderEntry(id="p", name="P", wire="chat", limits=limits)
    profile = PromptProfile(
        benchmark="b", name="default", version=1, title="", image=Wording(template="{question}")
    )
    rows = tuple(
        PlannedRow(one, condition, entry, profile, Decoding()) for one in variants for condition in conditions
    )
    return LanePlan(id=lane, entry=entry, urls=(), key=None, rows=rows)


@dataclass
class Bench:
    """One run directory in a temporary place; every `go` is a new process as far as the engine can tell."""

    folder: Path
    cache: MemoryCache = field(default_factory=MemoryCache)

    def write(self, *samples: Sample) -> None:
        write_samples(self.folder / "samples.jsonl", samples)

    async def go(
        self,
        *lanes: tuple[LanePlan, Adapter],
        policy: RetryPolicy = QUICK,
        again: frozenset[Code] = frozenset(),
        max_requests: int | None = None,
        max_cost: float | None = None,
        repeats: int = 1,
        listeners: tuple[Callable[[AnyEvent], None], ...] = (),
        steered: bool = False,
        plan_for: Callable[[str], Addition] | None = None,
        adapter_of: Callable[[LanePlan], ScriptedAdapter] | None = None,
    ) -> tuple[RunEnded, RunState]:
        """Run until the end; the state is the one the engine held."""
        path = self.folder / "journal.jsonl"
        with (
            SampleIndex.open(self.folder / "samples.jsonl") as samples,
            Journal(path) as log,
            ImageReader() as images,
        ):
            state = RunState(samples)
            for event in self.events():
                state.apply(event)
            work = Work(
                state=state,
                journal=log,
                cache=self.cache,
                images=images,
                reader=reader("strict"),
                samples=len(samples),
                repeats=repeats,
                policy=policy,
                again=again,
                max_requests=max_requests,
                purse=Purse(
                    max_cost,
                    {row.variant.id: row.variant for plan, _ in lanes for row in plan.rows}.values(),
                    state.rows.values(),
                ),
                listeners=listeners,
            )
            steering = Steering(
                [Lane(p, a, work) for p, a in lanes], work, plan_for=plan_for, adapter_of=adapter_of
            )
            control = self.folder / "control.sock" if steered else None
            ended = await run(steering, work, name="r", benchmark="b", control=control)
        return ended, state

    def events(self) -> list[AnyEvent]:
        return [parse_event(line.event) for line in journal.read(self.folder / "journal.jsonl")]


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)
