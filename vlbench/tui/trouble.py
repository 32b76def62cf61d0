"""The screens of errors, grouped by kind, and of what happened in the run."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content

from vlbench.scoring.codes import Code
from vlbench.state.events import AttemptFailed, Control, LaneStopped, RunEnded, RunStarted, Warned
from vlbench.state.fold import RunState
from vlbench.tui.figures import NONE
from vlbench.tui.grid import Column, grid, text
from vlbench.tui.inert import line
from vlbench.tui.overview import heading
from vlbench.tui.painted import Painted
from vlbench.tui.watched import Watched
from vlbench.tui.words import HINTS

LOG_LINES: Final = 200

Told = AttemptFailed | Control | LaneStopped | RunEnded | RunStarted | Warned


class Errors(VerticalScroll):
    """How often each kind of failure came, its latest case, and what helps."""

    def compose(self) -> ComposeResult:
        yield Painted(id="errors-table")

    def show(self, watched: Watched) -> None:
        """Draw what has changed."""
        painted = self.query_one(Painted)
        painted.paint(errors(watched.state, painted.width))


class Log(VerticalScroll):
    """What happened, the newest last."""

    def compose(self) -> ComposeResult:
        yield Painted(id="log-lines")

    def show(self, watched: Watched) -> None:
        """Draw what has changed, and stay at the end when it is in sight."""
        painted = self.query_one(Painted)
        at_end = self.scroll_offset.y >= self.max_scroll_y
        painted.paint(log_lines(watched.state))
        if at_end:
            self.scroll_end(animate=False)


def errors(state: RunState, width: int) -> Content:
    """One block a kind, the commonest first."""
    if not state.errors:
        return text("✓ No attempt has failed.", "$text-success")
    total = state.errors.total()
    lost = sum(row.counts[Code.FAILED] for row in state.rows.values())
    remark = f"{total:,} of {state.requests:,} requests; {lost:,} samples have no reply for now"
    parts = [heading("Failed attempts", remark)]
    for kind, count in state.errors.most_common():
        latest = state.latest_errors.get(kind)
        parts += [
            Content(""),
            Content.assemble((f"{count:>6,} × ", "bold"), (line(kind, 40), "bold $text-error")),
        ]
        if latest is not None:
            status = f"HTTP {latest.status} " if latest.status else ""
            code = f"{line(latest.code, 40)} " if latest.code else ""
            where = f"{line(latest.variant, 60)} · {line(latest.condition, 20)} · {line(latest.sample, 60)}"
            parts.append(text(f"         {status}{code}{line(latest.message, 300)}"))
            parts.append(text(f"         latest {_when(latest.time)} at {where}", "$muted"))
        if hint := HINTS.get(kind):
            parts.append(text(f"         → {hint}", "$text-accent"))
    return Content("\n").join(parts) + _latest(state, width)


def _latest(state: RunState, width: int) -> Content:
    columns = [
        Column("time"),
        Column("kind", least=8),
        Column("lane", least=6, leaves=3, cut="middle"),
        Column("try", "right", leaves=2),
        Column("sample", least=8, leaves=1),
        Column("message", least=10),
    ]
    rows = [
        [
            text(_when(event.time), "$muted"),
            text(line(event.kind, 20)),
            text(line(event.lane, 20)),
            text(str(event.attempt)),
            text(line(event.sample, 30)),
            text(line(event.message, 200)),
        ]
        for event in reversed(state.recent_errors)
    ]
    return Content("\n\n") + heading("The latest") + "\n" + grid(columns, rows, width)


def log_lines(state: RunState) -> Content:
    """What happened, in the order it happened: starts, stops, warnings, steering, failures."""
    told: list[Told] = [*state.stopped, *state.warnings, *state.controls, *state.recent_errors]
    told += [event for event in (state.started, state.ended) if event is not None]
    told.sort(key=lambda event: event.seq)
    return Content("\n").join(_line(event) for event in told[-LOG_LINES:])


def _line(event: Told) -> Content:
    style, words = _told(event)
    return Content.assemble((f"{_when(event.time)}  ", "$muted"), (words, style))


def _told(event: Told) -> tuple[str, str]:
    match event:
        case RunStarted():
            return "bold", f"started with {event.samples:,} samples (process {event.pid})"
        case RunEnded():
            return "bold", f"{event.status}: {line(event.message, 300)}"
        case Control():
            return "$text-accent", line(f"{event.action} {event.detail}", 200)
        case LaneStopped():
            return (
                "$text-error",
                f"✗ {line(event.model or event.lane, 60)} stopped: {line(event.message, 400)}",
            )
        case Warned():
            return "$text-warning", f"! {line(event.subject, 60)}: {line(event.message, 400)}"
        case AttemptFailed():
            again = "given up" if event.final else f"again in {event.retry_in_s or 0:.0f} s"
            return "", f"{line(event.lane, 20)} {line(event.kind, 20)}: {line(event.message, 160)} ({again})"


def _when(seconds: float) -> str:
    try:
        return datetime.fromtimestamp(seconds).astimezone().strftime("%H:%M:%S")
    except (ValueError, OverflowError, OSError):  # no moment that a calendar has
        return NONE
