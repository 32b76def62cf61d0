"""What may be done to a run while it goes on. Every change is an event of the journal."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import anyio
import anyio.to_thread
from anyio.abc import TaskGroup
from pydantic import Field

from vlbench.adapters.adapter import Adapter
from vlbench.engine.lane import Lane
from vlbench.engine.plan import LanePlan, PlannedRow
from vlbench.engine.work import Work
from vlbench.errors import UsageError
from vlbench.scoring.codes import Code
from vlbench.state.events import Control, RowPlan, Warned
from vlbench.types import Record

Action = Literal["pause", "resume", "drain", "cancel", "set", "drop", "add", "retry"]


class Command(Record):
    """One wish. `set` without a lane means all, `target` is for `add`.

    `drop` takes the id of a lane or of a variant in the field of that name, or either one in `name`.
    """

    action: Action
    lane: str | None = None
    variant: str | None = None
    name: str | None = None
    target: str | None = None
    rpm: int | None = Field(default=None, gt=0)
    tpm: int | None = Field(default=None, gt=0)
    concurrency: int | None = Field(default=None, gt=0, le=10_000)


@dataclass(frozen=True, slots=True)
class Addition:
    """A target that is to be asked too: its rows, in their lane, and what a user should know of them."""

    plan: LanePlan
    notes: tuple[Warned, ...] = ()


class Steering:
    """The lanes of a run, and everything a command, a signal or the view may do to them.

    `plan_for` plans a target that is to be added and widens the run on disk; it is called in a thread, for
    one target at a time, and raises `VlbenchError` when that cannot be. `adapter_of` makes the adapter of a
    new lane.
    """

    def __init__(
        self,
        lanes: Sequence[Lane],
        work: Work,
        *,
        plan_for: Callable[[str], Addition] | None = None,
        adapter_of: Callable[[LanePlan], Adapter] | None = None,
    ) -> None:
        self.lanes = list(lanes)
        self._work = work
        self._plan_for = plan_for
        self._adapter_of = adapter_of
        self._one_at_a_time = anyio.CapacityLimiter(1)
        self._group: TaskGroup | None = None
        self._scope: anyio.CancelScope | None = None

    async def work_off(self) -> None:
        """Run every lane until none has anything left to do."""
        with anyio.CancelScope() as self._scope:
            async with anyio.create_task_group() as self._group:
                for lane in self.lanes:
                    self._start(lane)
        self._group = None

    def _start(self, lane: Lane) -> None:
        if self._group is not None and not lane.is_running:
            self._group.start_soon(lane.run)

    async def close(self) -> None:
        """Let go of every connection."""
        for lane in self.lanes:
            await lane.close()

    async def obey(self, command: Command) -> str:
        """Do what `command` says; a short sentence on what was done. Raises `VlbenchError`."""
        match command.action:
            case "pause":
                return self.pause()
            case "resume":
                return self.resume()
            case "drain":
                return self.drain()
            case "cancel":
                return self.cancel()
            case "set":
                return self._set(command)
            case "drop":
                return self._drop(command)
            case "add":
                return await self._add(command)
            case "retry":
                return self._retry()

    def pause(self) -> str:
        """Send nothing until `resume`; what is in flight is finished and kept."""
        for lane in self.lanes:
            lane.sender.limiter.pause()
        self._note("pause")
        return "paused; requests in flight are finished"

    def resume(self) -> str:
        """End a pause."""
        for lane in self.lanes:
            lane.sender.limiter.resume()
        self._note("resume")
        return "going on"

    def drain(self) -> str:
        """Begin nothing more and end, resumable, when what is in flight is finished."""
        self._work.stop("interrupted")
        self._note("drain")
        return "stopping when the requests in flight are finished"

    def cancel(self) -> str:
        """End now, resumable; requests in flight are given up."""
        self._work.stop("interrupted")
        self._note("cancel")
        if self._scope is not None:
            self._scope.cancel()
        return "stopped"

    def _set(self, command: Command) -> str:
        limits = {"rpm": command.rpm, "tpm": command.tpm, "concurrency": command.concurrency}
        given = " ".join(f"{name}={value}" for name, value in limits.items() if value is not None)
        if not given:
            raise UsageError("set needs a new limit: rpm, tpm or concurrency.")
        lanes = self.lanes if command.lane is None else [self._lane(command.lane)]
        for lane in lanes:
            lane.set_limits(**limits)
            self._note("set", f"{lane.id} {given}")
        return f"{', '.join(lane.id for lane in lanes)}: {given}"

    def _drop(self, command: Command) -> str:
        named = command.lane or command.variant or command.name
        if named is None:
            raise UsageError("drop needs the id of a lane or a variant.")
        is_lane = any(lane.id == named for lane in self.lanes) and command.variant is None
        if is_lane or command.lane is not None:
            self._lane(named).sender.stop()
        else:
            self._lane_of(named).sender.drop(named)
        self._note("drop", named)
        return f"{named} is asked no more"

    async def _add(self, command: Command) -> str:
        if command.target is None:
            raise UsageError("add needs a target, such as gpt:gpt-6.1-sol.")
        if self._plan_for is None or self._adapter_of is None:
            raise UsageError("This run takes no further providers. Start another one for it.")
        addition = await anyio.to_thread.run_sync(self._plan_for, command.target, limiter=self._one_at_a_time)
        if self._work.stopping:
            raise UsageError(f"The run is stopping. {command.target} is asked when it goes on.")
        plan = addition.plan
        rows = tuple(
            RowPlan(variant=row.variant.id, condition=row.condition, base=row.variant.base)
            for row in plan.rows
        )
        self._note("add", command.target, rows)
        for note in addition.notes:
            self._work.record(note)
        lane = next((lane for lane in self.lanes if lane.id == plan.id), None)
        if lane is None:
            lane = Lane(plan, self._adapter_of(plan), self._work)
            self.lanes.append(lane)
            if self._work.state.paused:
                lane.sender.limiter.pause()
        else:
            lane.add(plan.rows)
        self._start(lane)
        return f"{command.target} is asked too"

    def _retry(self) -> str:
        state = self._work.state
        failed = sum(state.rows[row_key(row)].counts[Code.FAILED] for row in self._rows())
        for lane in self.lanes:
            lane.retry_failed()
            self._start(lane)
        self._note("retry")
        return f"{failed} failed samples are asked again"

    def _rows(self) -> Iterator[PlannedRow]:
        return (row for lane in self.lanes for row in lane.rows)

    def _lane(self, name: str) -> Lane:
        for lane in self.lanes:
            if lane.id == name:
                return lane
        raise UsageError(f"There is no lane {name!r}. Lanes: {', '.join(lane.id for lane in self.lanes)}.")

    def _lane_of(self, variant: str) -> Lane:
        for lane in self.lanes:
            if any(row.variant.id == variant for row in lane.rows):
                return lane
        known = dict.fromkeys(row.variant.id for row in self._rows())
        raise UsageError(
            f"There is no variant {variant!r}. Variants: {', '.join(known)}; "
            f"lanes: {', '.join(lane.id for lane in self.lanes)}."
        )

    def _note(self, action: Action, detail: str = "", rows: tuple[RowPlan, ...] = ()) -> None:
        self._work.record(Control(action=action, detail=detail, rows=rows))


def row_key(row: PlannedRow) -> tuple[str, str]:
    """How `RunState.rows` names a row."""
    return row.variant.id, row.condition.id
