"""One run directory being worked on: lock, journal, state, cache and lanes opened, and closed in order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Coroutine, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from vlbench.adapters.adapter import Adapter
from vlbench.engine.lane import Lane
from vlbench.engine.options import RunOptions
from vlbench.engine.plan import LanePlan
from vlbench.engine.purse import Purse
from vlbench.engine.retry import RetryPolicy
from vlbench.engine.run import run
from vlbench.engine.steering import Addition, Steering
from vlbench.engine.work import Work
from vlbench.media.read import ImageReader
from vlbench.scoring.codes import Code
from vlbench.scoring.readers.registry import reader
from vlbench.state.events import AnyEvent, ReplyArrived, RunEnded, Warned, parse_event
from vlbench.state.fold import RunState
from vlbench.store import journal
from vlbench.store.cache import CachedReply, ResponseCache
from vlbench.store.journal import Journal, JournalDamaged
from vlbench.store.key import ingredients, request_key
from vlbench.store.mending import ASIDE_SUFFIX, set_damaged_aside
from vlbench.store.run_dir import RunDir
from vlbench.store.samples import SampleIndex

HEALED_REPLIES = 1000
"""How many of the last replies are compared with the cache: far more than one batch of its writer."""

RETRY_CODES = {
    "refused": Code.REFUSED,
    "truncated": Code.TRUNCATED,
    "unparsed": Code.UNPARSED,
    "blocked": Code.BLOCKED,
}


@dataclass(frozen=True, slots=True)
class Session:
    """A run whose earlier events are folded and whose lanes are ready to begin."""

    directory: RunDir
    work: Work
    steering: Steering

    async def run(self, beside: Callable[[], Coroutine[None, None, None]] | None = None) -> RunEnded:
        """Work until the run ends; see `vlbench.engine.run.run`."""
        manifest = self.directory.manifest()
        return await run(
            self.steering,
            self.work,
            name=self.directory.name,
            benchmark=manifest.benchmark.name,
            control=self.directory.socket_path,
            beside=beside,
        )


@contextmanager
def session(
    directory: RunDir,
    plans: Sequence[LanePlan],
    options: RunOptions,
    *,
    cache: ResponseCache,
    adapter_of: Callable[[LanePlan], Adapter],
    listeners: tuple[Callable[[AnyEvent], None], ...] = (),
    warnings: tuple[str, ...] = (),
    notes: tuple[Warned, ...] = (),
    plan_for: Callable[[str], Addition] | None = None,
) -> Iterator[Session]:
    """Hold `directory` as its only writer while the block lasts.

    `warnings` are of the cache, `notes` of anything else; both are written down when the run is opened.
    `plan_for` widens the run by a target that is named while it goes on; see `Steering`.
    Replies that the journal has and the cache lost in a crash are put back into it; damaged lines of the
    journal are set aside. Raises StoreError when the run is alive elsewhere or its files cannot be used.
    """
    with ExitStack() as stack:
        stack.enter_context(directory.lock())
        samples = stack.enter_context(SampleIndex.open(directory.samples_path))
        try:
            state, last_replies = _folded(directory, samples)
        except JournalDamaged:
            notes = (*notes, _mended(directory))
            state, last_replies = _folded(directory, samples)
        manifest = directory.manifest()
        log = stack.enter_context(Journal(directory.journal_path))
        _heal(cache, last_replies, plans, state)
        work = Work(
            state=state,
            journal=log,
            cache=cache,
            images=stack.enter_context(ImageReader()),
            reader=reader(manifest.reader),
            samples=len(samples),
            repeats=options.repeats,
            policy=RetryPolicy(attempt_deadline_s=options.timeout),
            again=frozenset(RETRY_CODES[kind] for kind in options.retry),
            max_requests=options.max_requests,
            purse=Purse(options.max_cost, manifest.variants, state.rows.values()),
            listeners=listeners,
        )
        for message in warnings:
            work.record(Warned(subject="cache", message=message))
        for note in notes:
            work.record(note)
        lanes = [Lane(plan, adapter_of(plan), work) for plan in plans]
        yield Session(directory, work, Steering(lanes, work, plan_for=plan_for, adapter_of=adapter_of))


def _folded(directory: RunDir, samples: SampleIndex) -> tuple[RunState, deque[ReplyArrived]]:
    """The run as its journal tells it, and the last replies that were paid for."""
    state = RunState(samples)
    last_replies: deque[ReplyArrived] = deque(maxlen=HEALED_REPLIES)
    for line in journal.read(directory.journal_path):
        event = parse_event(line.event)
        state.apply(event)
        if isinstance(event, ReplyArrived) and not event.cached:
            last_replies.append(event)
    return state, last_replies


def _mended(directory: RunDir) -> Warned:
    path = directory.journal_path
    lines = ", ".join(map(str, set_damaged_aside(path)))
    message = (
        f"damaged and set aside in {path.name}{ASIDE_SUFFIX}: line {lines}. Replies that stood there come "
        "from the cache, or are asked for again"
    )
    return Warned(subject="journal", message=message)


def _heal(
    cache: ResponseCache, replies: Iterable[ReplyArrived], plans: Sequence[LanePlan], state: RunState
) -> None:
    """Put back what the journal has and the cache lost when the process was killed before it wrote."""
    rows = {(row.variant.id, row.condition.id): row for plan in plans for row in plan.rows}
    for event in replies:
        row = rows.get((event.variant, event.condition))
        if row is None or cache.get(event.key) is not None:
            continue
        request = row.request(state.samples.get(state.ordinal(event.sample)), event.repeat)
        parts = ingredients(request, row.variant)
        if request_key(parts) == event.key:
            latency_s = event.latency_s or 0.0
            cache.put(
                event.key,
                CachedReply(ingredients=parts, reply=event.reply, created=event.time, latency_s=latency_s),
            )
