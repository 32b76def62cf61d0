"""Pictures of every screen of the live view, made from a real run against the simulated provider.

python scripts/pictures.py [DIRECTORY]      default docs/pictures; takes half a minute, needs no key
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from vlbench.engine.control_client import send
from vlbench.scoring.codes import Code
from vlbench.state.tail import LiveRun
from vlbench.store.cache_looking import look_into
from vlbench.store.run_dir import RunDir
from vlbench.store.why import Explanation, why_missed
from vlbench.tui.app import WatchApp
from vlbench.tui.inspector import Inspector
from vlbench.tui.painted import Painted
from vlbench.tui.powers import Powers
from vlbench.tui.samples import Samples
from vlbench.tui.sifting import Sieve
from vlbench.tui.steering import over_socket

SIZE = (118, 34)
SHARE = 0.6
"""How far the run is when the pictures are taken."""

VLBENCH = (sys.executable, "-P", "-m", "vlbench")
MISCHIEF = ("--latency", "0.5", "--spread", "0.6", "--fault", "429=0.03", "--fault", "500=0.02",
            "--fault", "refusal=0.04", "--fault", "length=0.02")  # fmt: skip


ENTRY = """
name = "A studio with prices of its own"
wire = "chat"
urls = ["{url}"]
key_required = false

[models."eye-large"]
price = {{ input = 2.5, output = 15.0 }}
[models."eye-small"]
price = {{ input = 0.4, output = 1.6 }}
[models."words-only"]
price = {{ input = 0.4, output = 1.6 }}
"""


def main() -> None:
    """Run, look, draw."""
    target = Path(sys.argv[1] if len(sys.argv) > 1 else "docs/pictures")
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name, provider() as url, running(Path(name), url) as run:
        asyncio.run(draw(run, target))


@contextmanager
def provider() -> Iterator[str]:
    """The address of a simulated provider with some mischief."""
    command = [*VLBENCH, "simulate", "--port", "0", *MISCHIEF]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        yield server.stdout.readline().split()[-1]
        server.terminate()


@contextmanager
def running(home: Path, url: str) -> Iterator[RunDir]:
    """A run of the built-in benchmark that has come most of its way, with two models and a base."""
    (home / "providers").mkdir()
    (home / "providers" / "studio.toml").write_text(ENTRY.format(url=url), encoding="utf-8")
    command = [*VLBENCH, "run", "shapes", "-p", "studio:eye-large,studio:eye-small",
               "--base", "studio:words-only", "--concurrency", "6", "--max-cost", "0.5",
               "--name", "demo", "--ui", "none"]  # fmt: skip
    environ = {name: value for name, value in os.environ.items() if name != "VLBENCH_CACHE_DIR"}
    engine = subprocess.Popen(command, cwd=home, env=environ)
    run = RunDir(home / "runs" / "demo")
    while share(run) < SHARE:
        if engine.poll() is not None:
            sys.exit("the run ended too early for a picture of it")
        time.sleep(0.5)
    yield run
    send(run.socket_path, "cancel")
    engine.wait()


def share(run: RunDir) -> float:
    """How much of the run is done, 0..1."""
    if not run.journal_path.exists():
        return 0.0
    with LiveRun.open(run) as live:
        while live.poll(1.0):
            pass
        rows = live.state.rows.values()
        return sum(row.done for row in rows) / max(1, sum(row.total for row in rows))


async def draw(run: RunDir, target: Path) -> None:
    """One picture a screen, in dark; the overview in light, too."""
    with LiveRun.open(run) as live:
        app = WatchApp(live, Powers(over_socket(run.socket_path), why_missed=partial(explained, live)))
        async with app.run_test(size=SIZE) as pilot:
            while app.watched.tally is None:
                await pilot.pause(0.1)
            for key, name in enumerate(
                ("overview", "categories", "lanes", "samples", "errors", "log"), start=1
            ):
                await pilot.press(str(key))
                await pilot.pause(1.2)
                save(app, target / f"{name}.svg")
            await pilot.press("1", "t")
            await pilot.pause(0.6)
            save(app, target / "overview-light.svg")
            await pilot.press("t", "4")
            samples = app.query_one(Samples)
            samples.sift(Sieve.parse("wrong" if has_wrong(live) else "right"))
            await pilot.press("enter")
            while not (isinstance(app.screen, Inspector) and "▄" in app.export_screenshot()):
                await pilot.pause(0.1)
            while not app.screen.query_one("#missed", Painted).painted.plain:
                await pilot.pause(0.1)
            save(app, target / "inspector.svg")


def explained(live: LiveRun, key: str, given_up: Callable[[], bool]) -> Explanation | None:
    """Why a reply was not in the cache of the workspace the run is in."""
    with look_into(live.directory.path.parents[1] / "cache", given_up) as stored:
        return why_missed(stored, key)


def has_wrong(live: LiveRun) -> bool:
    """Whether the first row has a wrong answer to inspect."""
    return bool(next(iter(live.state.rows.values())).counts[Code.WRONG])


def save(app: WatchApp, path: Path) -> None:
    """Write what is on the screen, with a font every machine has something like."""
    drawn = app.export_screenshot(title="vlbench")
    path.write_text(drawn.replace("Fira Code", "DejaVu Sans Mono, Menlo, Consolas"), encoding="utf-8")


if __name__ == "__main__":
    main()
