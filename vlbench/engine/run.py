"""One run from its first open slot to its last: lanes side by side, signals, the closing event."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Coroutine, Sequence

import anyio

import vlbench
from vlbench.engine.lane import Lane
from vlbench.engine.work import Work
from vlbench.errors import VlbenchError
from vlbench.state.events import Control, LaneState, RowPlan, RunEnded, RunStarted, RunStatus

LANE_STATE_EVERY_S = 1.0


async def run(
    lanes: Sequence[Lane],
    work: Work,
    *,
    name: str,
    benchmark: str,
    beside: Callable[[], Coroutine[None, None, None]] | None = None,
) -> RunEnded:
    """Settle every open slot, or as many as faults, the budget and the user allow; always resumable.

    `beside` (a view) runs alongside and is cancelled at the end.

    The first SIGINT or SIGTERM drains (what is in flight is finished and kept), the second one cancels.
    Raises StoreError when the journal cannot be written.
    """
    work.record(_started(lanes, work, name, benchmark))
    try:
        async with anyio.create_task_group() as background:
            background.start_soon(_listen_to_signals, work, background.cancel_scope)
            background.start_soon(_report_lanes, lanes, work)
            if beside is not None:
                background.start_soon(beside)
            async with anyio.create_task_group() as group:
                for lane in lanes:
                    group.start_soon(lane.run)
            background.cancel_scope.cancel()
    except BaseExceptionGroup as group_error:
        raise _first_cause(group_error) from group_error
    for lane in lanes:
        work.record(lane.snapshot())
    status = _status(work)
    ended = RunEnded(status=status, requests=work.requests, message=_closing_words(work, status))
    work.record(ended)
    return ended


def _started(lanes: Sequence[Lane], work: Work, name: str, benchmark: str) -> RunStarted:
    rows = [row for lane in lanes for row in lane.plan.rows]
    return RunStarted(
        run=name,
        benchmark=benchmark,
        samples=work.samples,
        repeats=work.repeats,
        rows=tuple(
            RowPlan(variant=row.variant.id, condition=row.condition, base=row.variant.base) for row in rows
        ),
        pid=os.getpid(),
        vlbench=vlbench.__version__,
    )


async def _listen_to_signals(work: Work, scope: anyio.CancelScope) -> None:
    with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        async for _ in signals:
            if work.stopping == "interrupted":
                work.record(Control(action="cancel"))
                scope.cancel()
                return
            work.stopping = "interrupted"
            work.record(Control(action="drain"))


async def _report_lanes(lanes: Sequence[Lane], work: Work) -> None:
    shown: dict[str, LaneState] = {}
    while True:
        await anyio.sleep(LANE_STATE_EVERY_S)
        for lane in lanes:
            now = lane.snapshot()
            if shown.get(now.lane) != now:
                shown[now.lane] = now
                work.record(now)


def _first_cause(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """The error to show of several that ended the run together: one made for the user before any other."""
    leaves: list[BaseException] = []
    todo: list[BaseException] = [group]
    while todo:
        error = todo.pop(0)
        if isinstance(error, BaseExceptionGroup):
            todo.extend(error.exceptions)
        else:
            leaves.append(error)
    return next((error for error in leaves if isinstance(error, VlbenchError)), leaves[0])


def _status(work: Work) -> RunStatus:
    if work.state.open_slots == 0:
        return "complete"
    return work.stopping or "partial"


def _closing_words(work: Work, status: RunStatus) -> str:
    left = work.state.open_slots
    match status:
        case "complete":
            return "every sample has a reply"
        case "budget":
            return f"the request limit of {work.max_requests} was reached with {left} samples left"
        case "interrupted":
            return f"interrupted with {left} samples left"
        case "partial":
            return f"{left} samples have no reply"
