"""`vlbench validate` and `vlbench init` as a user meets them."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from vlbench.cli.run_file import read_run_file

RunCommand = Callable[..., CompletedProcess[str]]


@pytest.fixture
def broken(workspace: Path) -> Path:
    path = workspace / "my.jsonl"
    rows = [
        {"id": "good", "question": "?", "options": ["a", "b"], "answer": "A"},
        {"id": "\x1b[31mred", "question": "?", "options": ["a", "b"], "answer": "C"},
        {"question": "?", "options": ["a", "a"], "answer": "A", "image": "gone.png"},
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_every_line_is_named_and_the_exit_code_says_that_rows_are_broken(
    vlbench: RunCommand, broken: Path
) -> None:
    done = vlbench("validate", "my.jsonl")
    assert done.returncode == 2
    lines = done.stdout.splitlines()
    assert lines[0] == "warning line 1 (good): it has no picture"
    assert lines[1].startswith("error line 2 ( [31mred): its answer 'C' is neither a label (A, B)")
    assert lines[2].startswith("error line 3 (row-3): its picture 'gone.png' is not in ")
    assert lines[3].startswith("my.jsonl: 3 rows, 2 of them broken, 1 warning; 0 different pictures")
    assert "\x1b" not in done.stdout


def test_programs_get_json(vlbench: RunCommand, broken: Path) -> None:
    found = json.loads(vlbench("validate", str(broken), "--format", "json").stdout)
    assert (found["rows"], found["errors"], found["golds"]) == (3, 2, {"A": 1})
    assert found["findings"][1]["place"] == "line 2"


def test_a_run_stops_at_a_broken_row_before_anything_is_asked(vlbench: RunCommand, broken: Path) -> None:
    done = vlbench("run", "my.jsonl", "--ui", "none")
    assert done.returncode == 2
    assert "my.jsonl has 2 broken rows" in done.stderr


def test_a_file_that_is_not_there_is_told(vlbench: RunCommand) -> None:
    done = vlbench("validate", "none.jsonl")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("vlbench: There is no data file none.jsonl.")


def test_init_makes_a_workspace_that_validates_and_runs(
    vlbench: RunCommand, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert vlbench("init", "new").returncode == 0
    again = vlbench("init", "new")
    assert again.returncode == 2
    assert "new has pictures/1.png" in again.stderr
    monkeypatch.chdir(workspace / "new")
    assert vlbench("catalog", "check").returncode == 0
    checked = vlbench("validate", "own.jsonl")
    assert (checked.returncode, checked.stdout.splitlines()[0]) == (
        0,
        "own.jsonl: 4 rows, 0 of them broken, 0 warnings; 4 different pictures",
    )
    named = read_run_file(workspace / "new" / "run.toml")["benchmarks"]
    assert named == (str(workspace / "new" / "own.jsonl"),)
    # In a process of its own: the built-in model's server ends with it.
    command = [sys.executable, "-m", "vlbench", "run", "run.toml", "--circular", "--ui", "none"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    (report,) = json.loads(vlbench("report", "--format", "json").stdout)["reports"]
    assert (report["samples"], report["stage"]) == (16, "complete")
    assert {section["id"] for section in report["sections"]} == {"circular", "circular-gain"}
