"""A run of which nothing is left to ask needs nothing but its directory."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

Command = Callable[..., CompletedProcess[str]]


@pytest.fixture
def own_run(vlbench: Command, workspace: Path) -> Path:
    """A complete run `r` of the set `own.jsonl`."""
    path = workspace / "own.jsonl"
    rows = ({"question": f"Is {n} red?", "options": ["yes", "no"], "answer": "A"} for n in range(4))
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    options = ("--limit", "3", "--conditions", "text", "--name", "r", "--ui", "plain")
    assert vlbench("run", "own.jsonl", *options).returncode == 0
    return path


def test_it_is_said_to_be_complete_without_its_data(vlbench: Command, own_run: Path) -> None:
    own_run.unlink()
    done = vlbench("resume", "r", "--ui", "plain")
    assert done.returncode == 0
    assert "complete" in done.stderr
    assert "Nothing is left to ask" in done.stderr
    assert "Complete: r" in done.stdout


def test_a_reader_of_events_hears_of_the_end(vlbench: Command, own_run: Path, workspace: Path) -> None:
    before = (workspace / "runs" / "r" / "journal.jsonl").read_bytes()
    done = vlbench("resume", "r", "--ui", "json")
    assert json.loads(done.stdout)["status"] == "complete"
    assert (workspace / "runs" / "r" / "journal.jsonl").read_bytes() == before


def test_one_that_was_widened_since_is_gone_on_with(vlbench: Command, own_run: Path, workspace: Path) -> None:
    samples = workspace / "runs" / "r" / "samples.jsonl"
    lines = samples.read_text(encoding="utf-8").splitlines(keepends=True)
    fourth = lines[0].replace(json.loads(lines[0])["id"], "another")
    samples.write_text("".join([*lines, fourth]), encoding="utf-8")
    own_run.unlink()
    done = vlbench("resume", "r", "--ui", "plain")
    assert done.returncode == 2
    assert "own.jsonl" in done.stderr
