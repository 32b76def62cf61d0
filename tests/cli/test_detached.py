"""Runs in a process of their own, and what the command says when their view is left."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tui.fake_run import fake_run
from vlbench.cli import detached
from vlbench.cli.detached import Left, exit_code, last_words, run_detached
from vlbench.cli.watching import drawing_for
from vlbench.engine.options import RunOptions
from vlbench.errors import StoreError
from vlbench.state.tail import LiveRun
from vlbench.store.run_dir import RunDir

ON_TERMINAL = {"TERM": "xterm-256color"}


class _Engine:
    """A stand-in for the engine's process that has left already, or that never does."""

    pid = 4242

    def __init__(self, returncode: int | None) -> None:
        self.returncode = returncode

    def poll(self) -> int | None:
        return self.returncode

    def wait(self) -> int:
        self.returncode = 3 if self.returncode is None else self.returncode
        return self.returncode


@pytest.fixture
def directory(tmp_path: Path) -> Iterator[RunDir]:
    with fake_run(tmp_path) as run:
        run.start()
        run.end("partial")
        yield run.directory


def _left(
    monkeypatch: pytest.MonkeyPatch, directory: RunDir, farewell: str, returncode: int | None = None
) -> Left:
    monkeypatch.setattr(detached, "start_engine", lambda *_: _Engine(returncode))
    monkeypatch.setattr(detached, "_is_through", lambda *_: False)
    monkeypatch.setattr(detached, "watch_run", lambda *_, **__: farewell)
    return run_detached(directory, RunOptions())


def test_a_view_that_was_detached_says_how_to_come_back(
    monkeypatch: pytest.MonkeyPatch, directory: RunDir, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _left(monkeypatch, directory, "detached") == Left(0, goes_on=True)
    assert f"vlbench watch {directory.name}" in capsys.readouterr().err


def test_a_run_that_was_told_to_stop_is_waited_for(
    monkeypatch: pytest.MonkeyPatch, directory: RunDir, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _left(monkeypatch, directory, "stopping") == Left(3, goes_on=False)
    assert "in flight" in capsys.readouterr().err


def test_a_run_that_is_alive_elsewhere_is_not_started_again(directory: RunDir) -> None:
    with directory.lock(), pytest.raises(StoreError, match="is running already"):
        run_detached(directory, RunOptions())


def test_an_engine_that_cannot_start_leaves_its_words(
    monkeypatch: pytest.MonkeyPatch, directory: RunDir
) -> None:
    (directory.path / detached.LOG_NAME).write_text("vlbench: no key\x1b[2J\n", encoding="utf-8")
    monkeypatch.setattr(detached, "start_engine", lambda *_: _Engine(2))
    with pytest.raises(StoreError, match="no key \\[2J"):
        run_detached(directory, RunOptions())


def test_a_killed_engine_is_told_apart_from_one_that_ended(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with fake_run(tmp_path, name="killed") as run:
        run.start()
        assert exit_code(run.directory, -signal.SIGKILL) == 1
        assert "ended unexpectedly" in capsys.readouterr().err
        run.end("partial")
        assert exit_code(run.directory, -signal.SIGKILL) == 3
        assert "run killed: partial" in capsys.readouterr().err
    assert "no words" in last_words(run.directory)


@pytest.mark.parametrize(
    ("ui", "environ", "expected"),
    [
        ("auto", ON_TERMINAL, "full"),
        ("full", ON_TERMINAL, "full"),
        ("plain", ON_TERMINAL, "plain"),
        ("auto", {"TERM": "dumb"}, "plain"),
        ("full", {"TERM": "dumb"}, "plain"),
        ("auto", {}, "plain"),
        ("auto", {**ON_TERMINAL, "CI": "true"}, "plain"),
    ],
)
def test_a_screen_is_drawn_only_where_one_is(
    monkeypatch: pytest.MonkeyPatch, ui: str, environ: dict[str, str], expected: str
) -> None:
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    assert drawing_for(ui, environ) == expected


def test_without_a_terminal_nothing_is_drawn() -> None:
    with open(os.devnull, encoding="utf-8") as nothing, pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.stdin", nothing)
        assert drawing_for("full", ON_TERMINAL) == "plain"


def test_the_engine_runs_in_a_session_of_its_own_and_survives_a_hang_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The real thing, with the built-in model: a terminal that closes signals another session."""
    from vlbench.cli.progress import tell_progress
    from vlbench.engine.prepare import Surroundings, open_directory, prepared

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    options = RunOptions(limit=2, name="own", cache_dir=tmp_path / "cache")
    around = Surroundings.of(tmp_path, os.environ, options.cache_dir)
    with prepared("shapes", options, around, tell_progress) as ready:
        directory = open_directory(ready, options, around.workspace.runs_dir)
    engine = detached.start_engine(directory, options)
    assert os.getsid(engine.pid) == engine.pid != os.getsid(0)
    assert engine.wait(timeout=30) == 0, last_words(directory)
    with LiveRun.open(directory) as live:
        live.poll(5)
        assert live.state.ended is not None
        assert live.state.ended.status == "complete"


def test_ctrl_c_before_the_view_is_there_stops_the_run_too(
    monkeypatch: pytest.MonkeyPatch, directory: RunDir
) -> None:
    told: list[int] = []

    class Engine(_Engine):
        def send_signal(self, number: int) -> None:
            told.append(number)

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(detached, "start_engine", lambda *_: Engine(None))
    monkeypatch.setattr(detached, "_is_through", interrupted)

    left = run_detached(directory, RunOptions())

    assert told == [signal.SIGINT]
    assert left == Left(3, goes_on=False)


@pytest.mark.parametrize("returned", [130, -signal.SIGINT])
def test_an_engine_interrupted_before_it_began_is_no_accident(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], returned: int
) -> None:
    with fake_run(tmp_path) as run:
        assert exit_code(run.directory, returned) == 130
    assert "interrupted before anything was sent" in capsys.readouterr().err
