"""A signal before a run listens for it itself: an interrupt, and nothing that cannot be gone on with."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from vlbench.cli import running

Command = Callable[..., CompletedProcess[str]]
RUN = ("run", "shapes", "--limit", "2", "--name", "r", "--ui", "plain")
SIGNALS = (signal.SIGINT, signal.SIGTERM)


@pytest.fixture(autouse=True)
def signals_are_as_before() -> Iterator[None]:
    before = [signal.getsignal(number) for number in SIGNALS]
    hook = sys.unraisablehook
    yield
    sys.unraisablehook = hook
    for number, handler in zip(SIGNALS, before, strict=True):
        signal.signal(number, handler)


def struck(name: str, number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The process gets the signal when `running` next calls the function of that name."""
    function = getattr(running, name)

    def strike(*args: object, **named: object) -> object:
        monkeypatch.setattr(running, name, function)
        os.kill(os.getpid(), number)
        return function(*args, **named)

    monkeypatch.setattr(running, name, strike)


@pytest.mark.parametrize("number", SIGNALS)
def test_before_there_is_a_run_nothing_is_left_behind(
    vlbench: Command, workspace: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    struck("prepared", number, monkeypatch)
    done = vlbench(*RUN)
    assert done.returncode == 130
    assert done.stderr.strip() == "vlbench: interrupted."
    assert not (workspace / "runs").exists()


@pytest.mark.parametrize("number", SIGNALS)
@pytest.mark.parametrize("name", ["notes_of", "session"])
def test_a_run_that_was_just_made_is_gone_on_with(
    vlbench: Command, monkeypatch: pytest.MonkeyPatch, number: int, name: str
) -> None:
    struck(name, number, monkeypatch)
    assert vlbench(*RUN).returncode == 130
    assert vlbench("resume", "r", "--ui", "plain").returncode == 0
    assert "Complete: r" in vlbench("report", "r").stdout


@pytest.mark.parametrize("number", SIGNALS)
def test_between_two_runs_it_is_an_interrupt_too(
    vlbench: Command, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    struck("_show_result", number, monkeypatch)
    assert vlbench("run", "shapes", "shapes-min", "--limit", "2", "--ui", "plain").returncode == 130


def test_what_a_library_makes_of_an_interrupt_is_one_still(
    vlbench: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    def wraps(*args: object, **named: object) -> object:
        try:
            os.kill(os.getpid(), signal.SIGTERM)
        except KeyboardInterrupt as interrupt:
            raise ValueError("cannot build the model") from interrupt
        return None

    monkeypatch.setattr(running, "prepared", wraps)
    assert vlbench(*RUN).returncode == 130
