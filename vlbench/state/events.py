"""What happens in a run, one line of the journal each. Every number shown anywhere is folded from these."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field, JsonValue, TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError

from vlbench.errors import StoreError
from vlbench.store.canonical import json_bytes
from vlbench.types import Answer, Condition, Record, Reply


class Event(Record):
    """Common to all events. The journal sets `seq` (1, 2, …) and `time` (seconds since 1970)."""

    v: int = 1
    seq: int = 0
    time: float = 0.0


class RowPlan(Record):
    """One row of every table: a variant under a condition. `base` marks the text-only LLM base."""

    variant: str
    condition: Condition
    base: bool = False


class RunStarted(Event):
    """The engine began, or went on with, the run on the first `samples` lines of `samples.jsonl`."""

    event: Literal["run_started"] = "run_started"
    run: str
    benchmark: str
    samples: int
    repeats: int
    rows: tuple[RowPlan, ...]
    pid: int
    vlbench: str


class SlotEvent(Event):
    """About one slot: one sample under one condition, asked of one variant for the n-th time."""

    variant: str
    condition: str
    sample: str
    repeat: int = 0


class ReplyArrived(SlotEvent):
    """A reply from the provider or from the cache, with what the run's reader found in it.

    `latency_s` is the time of the successful attempt alone; None for a cached reply whose time is unknown.
    """

    event: Literal["reply"] = "reply"
    key: str
    cached: bool = False
    reply: Reply
    answer: Answer
    reader: str
    attempts: int = 1
    latency_s: float | None = None


class AttemptFailed(SlotEvent):
    """One attempt failed. `retry_in_s` is the wait before the next one; None when there is none (`final`)."""

    event: Literal["attempt_failed"] = "attempt_failed"
    lane: str
    attempt: int
    kind: str
    message: str
    status: int | None = None
    code: str = ""
    retry_in_s: float | None = None
    final: bool = False


class LaneState(Event):
    """How a lane stands, once a second while it works. Rates are of the last 60 seconds.

    `oldest_s` is the age of the request that has been in flight longest.
    """

    event: Literal["lane_state"] = "lane_state"
    lane: str
    in_flight: int
    concurrency: int
    sent: int
    requests_per_min: int
    tokens_per_min: int
    rpm: int | None = None
    tpm: int | None = None
    waiting_s: float = 0.0
    p50_s: float | None = None
    p95_s: float | None = None
    oldest_s: float | None = None


class LaneStopped(Event):
    """A lane, or one of its models, cannot go on. The others do."""

    event: Literal["lane_stopped"] = "lane_stopped"
    lane: str
    model: str | None = None
    kind: str
    message: str


class Warned(Event):
    """Something a careful reader of the result should know."""

    event: Literal["warning"] = "warning"
    subject: str
    message: str


class Control(Event):
    """Somebody steered the run: pause, resume, drain, cancel, set, drop, add or retry.

    `detail` says what it was done to: the lane or variant that was dropped, the new limits, the target that
    was added. `rows` are the rows that came with the latter.
    """

    event: Literal["control"] = "control"
    action: str
    detail: str = ""
    rows: tuple[RowPlan, ...] = ()


RunStatus = Literal["complete", "partial", "budget", "interrupted"]


class RunEnded(Event):
    """The engine let go of the run. `complete` means that every slot has a reply."""

    event: Literal["run_ended"] = "run_ended"
    status: RunStatus
    message: str = ""
    requests: int = 0


AnyEvent = Annotated[
    RunStarted | ReplyArrived | AttemptFailed | LaneState | LaneStopped | Warned | Control | RunEnded,
    Field(discriminator="event"),
]
_adapter: TypeAdapter[AnyEvent] = TypeAdapter(AnyEvent)


_STAMPS = {"v", "seq", "time"}


def to_line(event: AnyEvent) -> dict[str, JsonValue]:
    """What the journal writes of an event: its kind and all that is not a default."""
    body = event.model_dump(mode="json", exclude_defaults=True, exclude=_STAMPS)
    return {"event": event.event, **body}


def to_json(event: AnyEvent) -> bytes:
    """`to_line` as the bytes of a JSON object, made in one step where the texts allow it."""
    try:
        body = event.__pydantic_serializer__.to_json(event, exclude_defaults=True, exclude=_STAMPS)
    except PydanticSerializationError:
        # Half a surrogate pair in somebody's reply.
        return json_bytes(to_line(event))
    return (
        b'{"event":"%s",%s' % (event.event.encode(), body[1:])
        if body != b"{}"
        else json_bytes(to_line(event))
    )


def parse_event(line: Mapping[str, JsonValue]) -> AnyEvent:
    """The event behind one journal line. StoreError when this version does not know it."""
    try:
        return _adapter.validate_python(line)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(p) for p in first["loc"])
        raise StoreError(
            f"Journal line {line.get('seq', '?')} is no event this version knows ({where}: {first['msg']}). "
            "Update vlbench if a newer one wrote this run; otherwise the file was changed by hand."
        ) from None
