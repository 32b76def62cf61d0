from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

Command = Callable[..., CompletedProcess[str]]


def imported(vlbench: Command, predictions: Path, name: str, when: int) -> None:
    assert vlbench("import", str(predictions), "--benchmark", "mmstar", "--name", name).returncode == 0
    for path in (predictions.parent / "runs" / name).iterdir():
        os.utime(path, (when, when))


def test_runs_are_listed_newest_first(vlbench: Command, predictions: Path) -> None:
    imported(vlbench, predictions, "older", 1_700_000_000)
    imported(vlbench, predictions, "newer", 1_700_000_100)
    shown = vlbench("runs")
    assert shown.returncode == 0
    assert shown.stdout.index("newer") < shown.stdout.index("older")
    document = json.loads(vlbench("runs", "--format", "json").stdout)
    assert [run["name"] for run in document["runs"]] == ["newer", "older"]
    assert document["runs"][0]["status"] == "complete"
    assert (document["runs"][0]["done"], document["runs"][0]["total"]) == (4, 4)


def test_what_the_limit_hides_is_said(vlbench: Command, predictions: Path) -> None:
    imported(vlbench, predictions, "older", 1_700_000_000)
    imported(vlbench, predictions, "newer", 1_700_000_100)
    shown = vlbench("runs", "--limit", "1")
    assert "older" not in shown.stdout
    assert "1 older runs are not shown" in shown.stderr


def test_a_damaged_run_does_not_hide_the_others(vlbench: Command, predictions: Path) -> None:
    imported(vlbench, predictions, "fine", 1_700_000_000)
    imported(vlbench, predictions, "broken", 1_700_000_100)
    (predictions.parent / "runs" / "broken" / "manifest.json").write_text("{", encoding="utf-8")
    shown = vlbench("runs")
    assert shown.returncode == 0
    assert "fine" in shown.stdout
    assert "damaged" in shown.stdout
    assert shown.stderr.startswith("broken: ")


def test_an_empty_workspace_names_the_next_step(vlbench: Command) -> None:
    shown = vlbench("runs")
    assert (shown.returncode, shown.stdout) == (0, "")
    assert "vlbench run" in shown.stderr
    assert json.loads(vlbench("runs", "-f", "json").stdout)["runs"] == []
