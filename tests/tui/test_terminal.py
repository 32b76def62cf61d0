"""The real program in a real terminal: run, detach, watch, hang up, stop, resume. Needs tmux."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from vlbench.state.tail import LiveRun
from vlbench.store.run_dir import RunDir

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed"),
]

PATIENCE_S = 40.0
VLBENCH = f"{shlex.quote(sys.executable)} -P -m vlbench"


@dataclass
class Terminal:
    """One tmux pane with a shell in it, on a server of its own."""

    socket: str
    directory: Path

    def tmux(self, *arguments: str) -> str:
        command = ["tmux", "-f", os.devnull, "-S", self.socket, *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=20).stdout

    def open(self) -> None:
        self.tmux("new-session", "-d", "-s", "it", "-x", "100", "-y", "30", "-c", str(self.directory), "sh")

    def hang_up(self) -> None:
        self.tmux("kill-session", "-t", "it")

    def type(self, line: str) -> None:
        self.tmux("send-keys", "-t", "it", line, "Enter")

    def press(self, *keys: str) -> None:
        self.tmux("send-keys", "-t", "it", *keys)

    @property
    def screen(self) -> str:
        return self.tmux("capture-pane", "-t", "it", "-p")

    def until(self, *words: str) -> str:
        """Wait until all `words` are on the screen."""
        stop = time.monotonic() + PATIENCE_S
        while time.monotonic() < stop:
            screen = self.screen
            if all(word in screen for word in words):
                return screen
            time.sleep(0.2)
        raise AssertionError(f"{words} never came; the screen shows:\n{screen}")


@pytest.fixture
def terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Terminal]:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for name in ("CI", "NO_COLOR", "TMUX"):
        monkeypatch.delenv(name, raising=False)
    made = Terminal(str(tmp_path / "tmux"), tmp_path)
    made.open()
    yield made
    made.tmux("kill-server")


@pytest.fixture
def slow_provider() -> Iterator[str]:
    """A simulated provider that takes half a second for every answer."""
    command = [sys.executable, "-P", "-m", "vlbench", "simulate", "--port", "0", "--latency", "0.5"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        yield server.stdout.readline().split()[-1]
        server.terminate()


def test_a_run_outlives_its_view_its_terminal_and_a_stop(terminal: Terminal, slow_provider: str) -> None:
    terminal.type(f"{VLBENCH} run shapes -p local:eye@{slow_provider} --concurrency 4 --name it")
    screen = terminal.until("▶ running", "Providers", "ETA")
    assert "120 samples × image, text" in screen
    terminal.press("3")
    terminal.until("in flight")
    terminal.press("p")
    terminal.until("‖ paused")
    terminal.press("p")
    terminal.until("▶ running")

    terminal.press("q")
    terminal.until("The run it goes on.")
    terminal.press("d")
    terminal.until("vlbench watch it")

    terminal.type(f"clear; {VLBENCH} watch it")
    terminal.until("▶ running", "Providers")
    terminal.hang_up()
    terminal.open()
    terminal.type(f"clear; {VLBENCH} watch it --control")
    terminal.until("▶ running", "Providers")
    terminal.press("q")
    terminal.until("The run it goes on.")
    terminal.press("s")
    run = RunDir(terminal.directory / "data" / "vlbench" / "runs" / "it")
    _wait_for_end(run)
    before = _replies(run)
    assert 0 < before < 240

    terminal.type(f"clear; {VLBENCH} resume it")
    terminal.until("▶ running", "Providers")
    terminal.press("q")
    terminal.until("The run it goes on.")
    terminal.press("s")
    _wait_for_end(run)
    assert _replies(run) > before
    screen = terminal.until("The whole report: vlbench report it")
    assert "Traceback" not in screen


def _replies(run: RunDir) -> int:
    with LiveRun.open(run) as live:
        while live.poll(1.0):
            pass
        return sum(row.done for row in live.state.rows.values())


def _wait_for_end(run: RunDir) -> None:
    stop = time.monotonic() + PATIENCE_S
    while run.alive() is not None:
        assert time.monotonic() < stop, "the run did not stop"
        time.sleep(0.2)
