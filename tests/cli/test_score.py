from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

Command = Callable[..., CompletedProcess[str]]


@pytest.fixture
def run(vlbench: Command, predictions: Path) -> str:
    return vlbench("import", str(predictions), "--benchmark", "mmstar", "--reader", "official").stdout.strip()


def test_another_reader_is_compared_with_the_answers_of_the_run(vlbench: Command, run: str) -> None:
    shown = vlbench("score", run, "--reader", "strict", "-f", "json")
    (report,) = json.loads(shown.stdout)["reports"]
    assert report["reader"].startswith("strict@")
    assert report["rows"][0]["overall"]["right"] == 2
    (comparison,) = report["comparisons"]
    assert (comparison["journalled"], comparison["other"]) == (True, "mmstar-official@1")
    assert comparison["verdict_changes"] == 1
    assert "1 verdict changes (1 to right, 0 to wrong)" in shown.stderr


def test_the_same_reader_changes_nothing(vlbench: Command, run: str) -> None:
    shown = vlbench("score", run)
    assert shown.returncode == 0
    assert shown.stderr.startswith("mmstar-official@1 reads every reply as the run did")


def test_scoring_leaves_the_run_as_it_was(vlbench: Command, run: str, workspace: Path) -> None:
    directory = workspace / "runs" / run
    before = {path.name: path.read_bytes() for path in directory.iterdir()}
    vlbench("score", run, "--reader", "strict")
    assert {path.name: path.read_bytes() for path in directory.iterdir()} == before
