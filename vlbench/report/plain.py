"""The plain view of a run that goes on: bars on a terminal, one line a few times a minute elsewhere."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

import anyio

from vlbench.scoring.codes import Code
from vlbench.state.loaded import facts_of, scores_of

if TYPE_CHECKING:
    from rich.console import RenderableType

    from vlbench.scoring.facts import Facts
    from vlbench.state.fold import RunState
    from vlbench.state.rows import Row

DRAW_EVERY_S = 0.5
LINE_EVERY_S = 15.0
BAR_WIDTH = 20


def can_draw(environ: Mapping[str, str]) -> bool:
    """Whether stderr is a terminal on which lines can be redrawn."""
    return sys.stderr.isatty() and environ.get("TERM", "dumb") != "dumb" and not environ.get("CI")


async def follow(state: RunState, title: str) -> None:
    """Show `state` on stderr until cancelled, or until there is no stderr any more: the run goes on."""
    with suppress(OSError):
        if can_draw(os.environ):
            await _redraw(state, title)
        else:
            await _print_lines(state, title)


async def _redraw(state: RunState, title: str) -> None:
    from rich.console import Console
    from rich.live import Live

    facts = facts_of(state.samples)
    began = time.monotonic()
    with Live(console=Console(stderr=True), auto_refresh=False, transient=True) as live:
        while True:
            live.update(_picture(state, facts, title, time.monotonic() - began), refresh=True)
            await anyio.sleep(DRAW_EVERY_S)


async def _print_lines(state: RunState, title: str) -> None:
    began = time.monotonic()
    print(f"{title}: {_total(state)} samples to settle", file=sys.stderr, flush=True)
    while True:
        await anyio.sleep(LINE_EVERY_S)
        rows = "; ".join(_sentence(row) for row in state.rows.values())
        print(f"{_clock(time.monotonic() - began)} {rows}", file=sys.stderr, flush=True)


def _total(state: RunState) -> int:
    return sum(row.total for row in state.rows.values())


def _sentence(row: Row) -> str:
    failed = row.counts[Code.FAILED]
    lost = f", {failed} failed" if failed else ""
    return f"{row.variant} {row.condition.id} {row.done}/{row.total} {_accuracy(row)} right{lost}"


def _accuracy(row: Row) -> str:
    return f"{row.right / row.done:.1%}" if row.done else "—"


def _picture(state: RunState, facts: Facts, title: str, elapsed_s: float) -> RenderableType:
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("asked", no_wrap=True, overflow="ellipsis", max_width=34)
    table.add_column("condition", no_wrap=True)
    table.add_column("progress", no_wrap=True)
    for name in ("done", "right", "cached", "not read", "failed"):
        table.add_column(name, justify="right", no_wrap=True)
    for row in state.rows.values():
        unread = sum(row.counts[code] for code in (Code.UNPARSED, Code.REFUSED, Code.BLOCKED, Code.TRUNCATED))
        cells = (_accuracy(row), str(row.cached), str(unread), str(row.counts[Code.FAILED]))
        table.add_row(
            Text(row.variant),
            row.condition.id,
            _bar(row.done, row.total),
            f"{row.done}/{row.total}",
            *cells,
        )
    lines = [Text(f"{title}  {_clock(elapsed_s)}", style="bold"), table, *_gains(state, facts)]
    lines += [Text(line, style="yellow") for line in _waits(state)]
    return Group(*lines)


def _bar(done: int, total: int) -> str:
    filled = round(BAR_WIDTH * done / total) if total else BAR_WIDTH
    return "█" * filled + "░" * (BAR_WIDTH - filled)


def _gains(state: RunState, facts: Facts) -> Iterator[RenderableType]:
    from rich.text import Text

    for gain in scores_of(state, facts).gains:
        overall = gain.overall
        if overall.mg is None or overall.ml is None:
            continue
        words = f"{gain.variant}: MG {100 * overall.mg:.1f}  ML {100 * overall.ml:.1f}"
        if overall.leakage is not None:
            words += f"  ML* {100 * overall.leakage.value:.1f}"
        yield Text(f"{words}  ({gain.without.id}, {overall.pairs} pairs so far)", style="dim")


def _waits(state: RunState) -> Iterator[str]:
    for lane in state.lanes.values():
        if lane.waiting_s > 0:
            yield f"{lane.lane}: waiting {lane.waiting_s:.0f} s (server asked)"
    for stop in state.stopped:
        yield f"{stop.lane} stopped: {stop.message}"


def _clock(seconds: float) -> str:
    whole = int(seconds)
    return f"{whole // 3600:02}:{whole // 60 % 60:02}:{whole % 60:02}"
