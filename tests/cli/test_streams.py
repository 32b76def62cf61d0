"""Output that goes nowhere, and a disk that fills: nothing paid for is lost, and the exit code tells."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from vlbench.store.journal import Journal

Command = Callable[..., subprocess.CompletedProcess[str]]
RUN = ("run", "shapes", "--limit", "4", "--name", "r")


def shell(command: str, cwd: Path, **environ: str) -> subprocess.CompletedProcess[str]:
    """`command` in a shell, with `vlbench` standing for this checkout's."""
    text = command.replace("vlbench", f"{sys.executable} -m vlbench")
    return subprocess.run(
        ["bash", "-c", text], cwd=cwd, env={**os.environ, **environ}, capture_output=True, text=True
    )


def test_a_reader_of_events_that_leaves_does_not_end_the_run(vlbench: Command, workspace: Path) -> None:
    done = shell("vlbench run shapes -n 4 --name r --ui json | head -n 1; exit ${PIPESTATUS[0]}", workspace)
    assert (done.returncode, done.stdout.count("\n")) == (0, 1)
    assert "goes on without it" in done.stderr
    assert "Traceback" not in done.stderr
    assert "Complete: r" in vlbench("report", "r").stdout


def test_a_job_with_closed_streams_writes_nothing_into_the_files_it_opens(
    vlbench: Command, workspace: Path
) -> None:
    assert shell("vlbench run shapes -n 4 --name r >&- 2>&-", workspace).returncode == 0
    assert "Complete: r" in vlbench("report", "r").stdout


def test_a_terminal_without_utf8_gets_every_listing(workspace: Path) -> None:
    listed = shell("vlbench list benchmarks", workspace, PYTHONUTF8="0", PYTHONIOENCODING="ascii")
    assert (listed.returncode, listed.stderr) == (0, "")
    assert "shapes-diff" in listed.stdout


@pytest.mark.parametrize("words", ["list benchmarks", "--help", "run shapes -n 2 --dry-run", "cache stats"])
@pytest.mark.parametrize("where", ["> /dev/full", "| true"])
def test_a_listing_that_nobody_takes_ends_without_a_traceback(
    workspace: Path, words: str, where: str
) -> None:
    done = shell(f"vlbench {words} {where}; exit ${{PIPESTATUS[0]}}", workspace)
    if where == "| true":
        # Whether the reader is gone before everything is written is up to the system.
        assert (done.returncode in (0, 1), done.stderr) == (True, "")
    else:
        assert done.returncode == 1
        assert (
            done.stderr
            == "vlbench: The system refused: No space left on device. Mend that, then try again.\n"
        )


def test_a_disk_that_fills_in_a_run_is_no_usage_error(
    vlbench: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    write, left = os.write, [3]

    def full(descriptor: int, content: bytes) -> int:
        if content.startswith(b'{"v":'):
            left[0] -= 1
            if left[0] < 0:
                raise OSError(28, "No space left on device")
        return write(descriptor, content)

    monkeypatch.setattr(f"{Journal.__module__}.os.write", full)
    done = vlbench(*RUN, "--ui", "plain")
    assert done.returncode == 3
    assert "No space left on device" in done.stderr


def test_a_later_benchmark_that_is_broken_leaves_the_first_and_is_partial(
    vlbench: Command, workspace: Path
) -> None:
    (workspace / "own.jsonl").write_text('{"question": "q"}\n', encoding="utf-8")
    done = vlbench("run", "shapes", "own.jsonl", "--limit", "2", "--ui", "plain")
    assert done.returncode == 3
    assert "Complete: shapes" in done.stdout
    assert "own.jsonl" in done.stderr
