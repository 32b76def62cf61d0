from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

Command = Callable[..., CompletedProcess[str]]


@pytest.fixture
def run(vlbench: Command, predictions: Path) -> str:
    """The name of an imported run."""
    return vlbench("import", str(predictions), "--benchmark", "mmstar").stdout.strip()


def test_the_newest_run_is_reported_when_none_is_named(vlbench: Command, run: str) -> None:
    vlbench("import", "model_MMStar.tsv", "--benchmark", "mmstar", "--name", "second")
    shown = vlbench("report")
    assert shown.returncode == 0
    assert shown.stdout.startswith("Complete: second")
    assert shown.stderr == ""


def test_the_four_formats_tell_the_same_accuracy(vlbench: Command, run: str) -> None:
    document = json.loads(vlbench("report", run, "--format", "json", "--reader", "official").stdout)
    assert document["reports"][0]["rows"][0]["overall"]["right"] == 1
    lines = csv.DictReader(io.StringIO(vlbench("report", run, "-f", "csv", "--reader", "official").stdout))
    assert next(lines)["value"] == "0.25"
    assert "| 25.0 |" in vlbench("report", run, "-f", "md", "--reader", "official").stdout
    assert "  25.0  " in vlbench("report", run, "--reader", "official").stdout


def test_output_goes_to_a_file_as_utf8(vlbench: Command, run: str, workspace: Path) -> None:
    shown = vlbench("report", run, "-f", "md", "-o", "paper.md")
    assert (shown.returncode, shown.stdout) == (0, "")
    assert "·" in (workspace / "paper.md").read_bytes().decode("utf-8")


def test_a_file_that_cannot_be_written_is_one_sentence(vlbench: Command, run: str) -> None:
    shown = vlbench("report", run, "-o", "missing/paper.md")
    assert shown.returncode == 2
    assert (
        shown.stderr
        == "vlbench: Cannot write missing/paper.md: there is no directory missing. Make it first.\n"
    )


def test_several_runs_stand_side_by_side(vlbench: Command, run: str) -> None:
    vlbench("import", "model_MMStar.tsv", "--benchmark", "mmstar", "--name", "second")
    shown = vlbench("report", "second", run)
    assert shown.stdout.lstrip().startswith("Runs side by side")
    assert shown.stdout.index("second") < shown.stdout.index(run)


def test_the_data_file_is_not_needed(vlbench: Command, run: str, predictions: Path) -> None:
    before = vlbench("report", run).stdout
    predictions.unlink()
    assert vlbench("report", run).stdout == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("report", "nowhere"), "There is no run 'nowhere'"),
        (("report", "--reader", "mine"), "There is no answer reader called 'mine'"),
        (("report", "--format", "pdf"), "'pdf' is not one of"),
        (("score", "nowhere"), "There is no run 'nowhere'"),
    ],
)
def test_bad_input_ends_with_one_paragraph(
    vlbench: Command, run: str, arguments: tuple[str, ...], message: str
) -> None:
    shown = vlbench(*arguments)
    assert (shown.returncode, shown.stdout) == (2, "")
    assert message in shown.stderr
    assert "Traceback" not in shown.stderr


def test_without_any_run_the_next_step_is_named(vlbench: Command) -> None:
    shown = vlbench("report")
    assert shown.returncode == 2
    assert "vlbench run" in shown.stderr


def test_a_terminal_without_utf8_gets_the_report_all_the_same(
    vlbench: Command, run: str, workspace: Path
) -> None:
    environment = {**os.environ, "PYTHONUTF8": "0", "PYTHONIOENCODING": "cp1252"}
    done = subprocess.run(
        [sys.executable, "-m", "vlbench", "report", run], env=environment, cwd=workspace, capture_output=True
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"Complete: " + run.encode() in done.stdout
