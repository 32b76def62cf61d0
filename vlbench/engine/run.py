"""One run from its first open slot to its last: lanes side by side, signals, the closing event."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import anyio

import vlbench
from vlbench.engine.control import serve_control
from vlbench.engine.lane import Lane
from vlbench.engine.steering import Steering
from vlbench.engine.work import Work
from vlbench.errors import StoreError, VlbenchError
from vlbench.printable import amount
from vlbench.state.events import Control, LaneState, RowPlan, RunEnded, RunStarted, RunStatus, Warned

LANE_STATE_EVERY_S = 1.0
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


async def run(
    steering: Steering,
    work: Work,
    *,
    name: str,
    benchmark: str,
    control: Path | None = None,
    beside: Callable[[], Coroutine[None, None, None]] | None = None,
) -> RunEnded:
    """Settle every open slot, or as many as faults, the budget and the user allow; always resumable.

    `control` is where the control socket is made, None for none. `beside` (a view) runs alongside and is
    cancelled at the end.

    The first SIGINT or SIGTERM drains (what is in flight is finished and kept), the second one cancels. A
    SIGHUP, when the terminal is closed, changes nothing.
    Raises StoreError when the journal cannot be written, after what was in flight has come in.
    """
    work.record(_started(steering.lanes, work, name, benchmark))
    # What is loaded by now stays: to look through it again and again for garbage costs 4 % of the run.
    gc.freeze()
    try:
        async with anyio.create_task_group() as background:
            background.start_soon(_listen_to_signals, steering, work)
            background.start_soon(_report_lanes, steering.lanes, work)
            if control is not None:
                background.start_soon(_listen_to_commands, control, steering, work)
            if beside is not None:
                background.start_soon(beside)
            try:
                await steering.work_off()
            finally:
                await steering.close()
            background.cancel_scope.cancel()
    except BaseExceptionGroup as group_error:
        raise _first_cause(group_error) from group_error
    for lane in steering.lanes:
        work.record(lane.snapshot())
    status = _status(work)
    ended = RunEnded(status=status, requests=work.requests, message=_closing_words(work, status))
    work.record(ended)
    if work.unwritten is not None:
        raise work.unwritten
    return ended


def _started(lanes: Sequence[Lane], work: Work, name: str, benchmark: str) -> RunStarted:
    rows = [row for lane in lanes for row in lane.rows]
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


async def _listen_to_signals(steering: Steering, work: Work) -> None:
    with _restored(*_SIGNALS), anyio.open_signal_receiver(*_SIGNALS) as signals:
        async for received in signals:
            if received == signal.SIGHUP:
                work.record(Control(action="hangup", detail="the terminal is gone; the run goes on"))
            elif work.stopping == "interrupted":
                steering.cancel()
            else:
                steering.drain()


@contextmanager
def _restored(*numbers: signal.Signals) -> Iterator[None]:
    """Leave the handlers of these signals as they were: a receiver leaves the system's own behind."""
    before = [(number, signal.getsignal(number)) for number in numbers]
    try:
        yield
    finally:
        for number, handler in before:
            signal.signal(number, signal.SIG_DFL if handler is None else handler)


async def _listen_to_commands(path: Path, steering: Steering, work: Work) -> None:
    try:
        await serve_control(path, steering)
    except (OSError, StoreError) as error:
        message = f"there is no control socket, so this run cannot be steered: {error}"
        work.record(Warned(subject="control", message=message))


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
        return "partial" if work.state.unusable_slots else "complete"
    return work.stopping or "partial"


def _closing_words(work: Work, status: RunStatus) -> str:
    left = work.state.open_slots
    lost = f"; {work.faults} of {work.requests} requests failed on the way" if work.faults else ""
    match status:
        case "complete":
            return f"every sample has a reply{lost}"
        case "budget":
            return f"{_limit_reached(work)} with {left} still to be asked"
        case "interrupted":
            return f"{left} still to be asked"
        case "partial" if left:
            return f"{left} have no reply. {_reason(work)}"
        case "partial":
            return f"every usable sample has a reply; {work.state.unusable_slots} are of broken rows{lost}"


def _limit_reached(work: Work) -> str:
    purse = work.purse
    if purse.shortfall is None or purse.most is None:
        return f"the limit of {work.max_requests} requests was reached"
    return (
        f"the limit of ${amount(purse.most, 2)} was reached: ${amount(purse.spent, 4)} is spent, the next "
        f"reply costs about ${amount(purse.shortfall, 4)},"
    )


def _reason(work: Work) -> str:
    """Why replies are missing: what stopped a lane, else the commonest fault with its last message."""
    state = work.state
    if state.stopped:
        return " ".join(f"{stop.lane} stopped: {stop.message.rstrip('.')}." for stop in state.stopped)
    if not state.errors:
        return ""
    kind, count = state.errors.most_common(1)[0]
    last = next((event.message for event in reversed(state.recent_errors) if event.kind == kind), "")
    return f"Most often: {kind} ×{count}, lately: {last}"
