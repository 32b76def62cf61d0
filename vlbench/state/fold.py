"""`RunState = fold(events)`: the one place where events become numbers. Every view reads what stands here.

The state depends on the samples and the events alone, in their order; no clock, no disk, no view.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from vlbench.errors import StoreError
from vlbench.scoring.codes import Code, code_of
from vlbench.scoring.readers.reader import Reader
from vlbench.state.events import (
    AnyEvent,
    AttemptFailed,
    Control,
    LaneState,
    LaneStopped,
    ReplyArrived,
    RowPlan,
    RunEnded,
    RunStarted,
    Warned,
)
from vlbench.state.rows import Mark, Row
from vlbench.store.samples import SampleIndex
from vlbench.types import Answer

RowKey = tuple[str, str]
"""Variant id and condition id."""

RECENT_ERRORS = 50

LANE_POINTS = 120
"""How many of a lane's last states are remembered for its curve, about one a second."""


@dataclass(slots=True)
class RunState:
    """Everything a view shows, at one moment of a run.

    `reader` re-reads every reply; None takes the answers as journalled. `paused` and `dropped` (ids of lanes
    and variants) are how the engine was steered since it last began. Samples are known by ordinal:
    their line in `samples.jsonl`, from 0.
    """

    samples: SampleIndex
    reader: Reader | None = None
    run: str = ""
    benchmark: str = ""
    rows: dict[RowKey, Row] = field(default_factory=dict)
    lanes: dict[str, LaneState] = field(default_factory=dict)
    in_flight: dict[str, list[int]] = field(default_factory=dict)
    stopped: list[LaneStopped] = field(default_factory=list)
    warnings: list[Warned] = field(default_factory=list)
    controls: list[Control] = field(default_factory=list)
    paused: bool = False
    dropped: list[str] = field(default_factory=list)
    rule_names: list[str] = field(default_factory=lambda: [""])
    label_names: list[str] = field(default_factory=lambda: [""])
    errors: Counter[str] = field(default_factory=Counter)
    latest_errors: dict[str, AttemptFailed] = field(default_factory=dict)
    lane_errors: dict[str, Counter[str]] = field(default_factory=dict)
    recent_errors: list[AttemptFailed] = field(default_factory=list)
    requests: int = 0
    first_time: float | None = None
    started: RunStarted | None = None
    ended: RunEnded | None = None
    last_time: float = 0.0
    last_seq: int = 0
    _ordinals: dict[str, int] = field(init=False)

    def __post_init__(self) -> None:
        self._ordinals = {sample: ordinal for ordinal, sample in enumerate(self.samples.ids)}

    def apply(self, event: AnyEvent) -> None:
        """Take one event in. The order of events is the order of the journal."""
        self.last_seq, self.last_time = event.seq, event.time
        match event:
            case ReplyArrived():
                self._reply(event)
            case AttemptFailed():
                self._failed_attempt(event)
            case LaneState():
                self._lane(event)
            case LaneStopped():
                self.stopped.append(event)
            case Warned():
                self.warnings.append(event)
            case Control():
                self._steer(event)
            case RunStarted():
                self._start(event)
            case RunEnded():
                self.ended = event

    def answer_of(self, event: ReplyArrived) -> Answer:
        """What the state's reader finds in a reply: the journalled answer when it is by the same reader."""
        if self.reader is None or event.reader == self.reader.id:
            return event.answer
        return self.reader.read(event.reply, self.samples.get(self.ordinal(event.sample)).options)

    def _start(self, event: RunStarted) -> None:
        if event.samples > len(self.samples):
            raise StoreError(
                f"Run {event.run}: the journal speaks of {event.samples} samples, samples.jsonl holds "
                f"{len(self.samples)}. The file was cut; restore it, or start anew with --fresh."
            )
        self.run, self.benchmark = event.run, event.benchmark
        self.started, self.ended = event, None
        self.first_time = event.time if self.first_time is None else self.first_time
        self.paused = False
        self.dropped.clear()
        self.stopped.clear()
        self.lanes.clear()
        self.in_flight.clear()
        self.lane_errors.clear()
        self._make_rows(event.rows, event)

    def _make_rows(self, plans: tuple[RowPlan, ...], started: RunStarted) -> None:
        for plan in plans:
            key = (plan.variant, plan.condition.id)
            row = self.rows.setdefault(key, Row(plan.variant, plan.condition, plan.base))
            row.grow(started.samples, started.repeats, tuple(self.samples.problems))

    def _lane(self, event: LaneState) -> None:
        self.lanes[event.lane] = event
        points = self.in_flight.setdefault(event.lane, [])
        points.append(event.in_flight)
        del points[:-LANE_POINTS]

    def _steer(self, event: Control) -> None:
        self.controls.append(event)
        match event.action:
            case "pause" | "resume":
                self.paused = event.action == "pause"
            case "drop":
                self.dropped.append(event.detail)
            case "add" if self.started is not None:
                self._make_rows(event.rows, self.started)

    def _reply(self, event: ReplyArrived) -> None:
        ordinal = self.ordinal(event.sample)
        row = self._row_with(event.variant, event.condition, ordinal, event.repeat)
        mark = self.mark_of(self.answer_of(event), self.samples.golds[ordinal])
        row.mark(ordinal, event.repeat, mark)
        if event.cached:
            row.cached += 1
        else:
            self.requests += 1
            row.tokens.add(event.reply.usage)

    def mark_of(self, answer: Answer, gold: str) -> Mark:
        """What a row keeps of `answer`; rules and labels are numbered as they come."""
        return Mark(
            code_of(answer.outcome, answer.credits(gold)),
            _number(self.rule_names, answer.rule),
            _number(self.label_names, answer.label or ""),
            answer.cut,
        )

    def _failed_attempt(self, event: AttemptFailed) -> None:
        self.requests += 1
        self.errors[event.kind] += 1
        self.latest_errors[event.kind] = event
        self.lane_errors.setdefault(event.lane, Counter())[event.kind] += 1
        self.recent_errors.append(event)
        del self.recent_errors[:-RECENT_ERRORS]
        ordinal = self.ordinal(event.sample)
        row = self._row_with(event.variant, event.condition, ordinal, event.repeat)
        if event.final and row.is_open(ordinal, event.repeat):
            row.settle(ordinal, event.repeat, Code.FAILED)

    def adopt(self, samples: SampleIndex) -> None:
        """Go on with the same samples and those that were added after them when the run was extended."""
        self.samples = samples
        self._ordinals = {sample: ordinal for ordinal, sample in enumerate(samples.ids)}

    def _row_with(self, variant: str, condition: str, ordinal: int, repeat: int) -> Row:
        """The row that has this slot. StoreError when the run was not started with it."""
        row = self.rows.get((variant, condition))
        if row is None or not row.has(ordinal, repeat):
            raise StoreError(
                f"The journal speaks of {self.samples.ids[ordinal]!r} asked of {variant!r} under "
                f"{condition!r} (repeat {repeat}), which no run_started event announces. The run directory "
                "was changed; start anew with --fresh."
            )
        return row

    def ordinal(self, sample: str) -> int:
        """The place of a sample in the run. StoreError for one that `samples.jsonl` does not hold."""
        try:
            return self._ordinals[sample]
        except KeyError:
            raise StoreError(
                f"The journal speaks of sample {sample!r}, which samples.jsonl does not hold. "
                "The run directory was changed; start anew with --fresh."
            ) from None

    def rule_counts(self, row: Row) -> Counter[str]:
        """How many replies of `row` each rule read."""
        numbers = Counter(number for rules in row.rules for number in rules if number)
        return Counter({self.rule_names[number]: count for number, count in numbers.items()})

    @property
    def unusable_slots(self) -> int:
        """Slots of broken rows, which are never asked."""
        return sum(row.counts[Code.UNUSABLE] for row in self.rows.values())

    @property
    def open_slots(self) -> int:
        """Slots without a reply: never asked, or failed."""
        return sum(row.counts[Code.PENDING] + row.counts[Code.FAILED] for row in self.rows.values())


def _number(names: list[str], name: str) -> int:
    """The place of `name` in `names`, put there if it is new; rules and labels are few enough for a byte."""
    try:
        return names.index(name)
    except ValueError:
        names.append(name)
        return len(names) - 1


def fold(events: Iterable[AnyEvent], samples: SampleIndex, reader: Reader | None = None) -> RunState:
    """The state after `events`; replies are read again when a `reader` is given."""
    state = RunState(samples, reader)
    for event in events:
        state.apply(event)
    return state
