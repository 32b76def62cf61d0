"""Opening the view on a run, on a terminal or without one."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import anyio

from vlbench.printable import printable
from vlbench.state.tail import LiveRun
from vlbench.store.run_dir import RunDir
from vlbench.store.workspace import Workspace

if TYPE_CHECKING:
    from vlbench.store.manifest import Manifest
    from vlbench.store.why import Explanation
    from vlbench.tui.powers import Farewell

LOOK_EVERY_S = 0.5
CATCH_UP_S = 5.0

Drawing = Literal["full", "plain"]


def can_fill_screen(environ: Mapping[str, str]) -> bool:
    """Whether there is a terminal, or a browser behind it, that a whole screen can be drawn on."""
    if environ.get("TEXTUAL_DRIVER"):
        return True
    is_terminal = sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()
    return is_terminal and environ.get("TERM", "dumb") != "dumb" and not environ.get("CI")


def drawing_for(ui: str, environ: Mapping[str, str]) -> Drawing:
    """What `--ui auto`, `full` or `plain` comes to here; where nothing can be drawn, plain lines."""
    return "full" if ui in ("auto", "full") and can_fill_screen(environ) else "plain"


def watch_run(directory: RunDir, *, steers: bool, drawing: Drawing, closes_at_end: bool = False) -> Farewell:
    """Show the run until the user leaves or, in plain lines, until it ends; how it was left.

    A defect of the view is told in a sentence and the run is followed in plain lines: it never stops a run.
    Raises StoreError when the run cannot be read.
    """
    with LiveRun.open(directory) as live:
        if drawing == "plain":
            return _follow(live)
        from vlbench.tui.app import WatchApp
        from vlbench.tui.powers import Powers
        from vlbench.tui.steering import over_socket

        powers = Powers(
            steering=over_socket(directory.socket_path) if steers else None,
            write_report=partial(write_report, directory),
            why_missed=partial(_why_missed, directory, live.manifest),
            closes_at_end=closes_at_end,
        )
        app = WatchApp(live, powers)
        farewell = app.run()
        if app.failure is None:
            return farewell or "detached"
        said = printable(f"{type(app.failure).__name__}: {app.failure}", 300)
        print(f"The view had to close ({said}). The run is not touched; going on in lines.", file=sys.stderr)
    with LiveRun.open(directory) as live:
        return _follow(live)


def _follow(live: LiveRun) -> Farewell:
    try:
        while live.poll(CATCH_UP_S):
            pass
        if live.standing() not in ("ended", "dead"):
            anyio.run(_follow_lines, live)
    except KeyboardInterrupt:
        return "detached"
    return "closed"


async def _follow_lines(live: LiveRun) -> None:
    from vlbench.report.plain import follow

    async with anyio.create_task_group() as group:
        group.start_soon(follow, live.state, f"vlbench {live.manifest.benchmark.name}")
        while True:
            is_behind = live.poll(LOOK_EVERY_S / 2)
            if not is_behind and live.standing() in ("ended", "dead"):
                break
            await anyio.sleep(LOOK_EVERY_S)
        group.cancel_scope.cancel()


def write_report(directory: RunDir) -> Path:
    """Write the report of the run as it stands, as Markdown beside its journal. Raises StoreError."""
    from vlbench.report.formats import rendered
    from vlbench.report.report import open_report
    from vlbench.store.atomic import write_atomically

    path = directory.path / "report.md"
    text = rendered([open_report(directory)], "md", width=110, colour=False)
    write_atomically(path, [text.encode(errors="replace")])
    return path


def _why_missed(
    directory: RunDir, manifest: Manifest, key: str, given_up: Callable[[], bool]
) -> Explanation | None:
    """See `vlbench.store.why.why_missed`; of the cache the run was told to use. Raises StoreError."""
    from vlbench.store.cache_looking import look_into
    from vlbench.store.why import why_missed

    named = manifest.options.get("cache_dir")
    chosen = Path(named) if isinstance(named, str) else None
    # A run lies in `runs/` of its workspace, from wherever it is watched.
    home = directory.path.absolute().parents[1]
    around = home if Workspace.find(home, os.environ).root else Path.cwd()
    workspace = Workspace.find(around, os.environ, chosen)
    with look_into(workspace.cache_dir, given_up) as stored:
        return why_missed(stored, key)


def say(text: str) -> None:
    """Tell the user something that is no result."""
    print(text, file=sys.stderr, flush=True)
