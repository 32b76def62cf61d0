from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

Command = Callable[..., CompletedProcess[str]]


def test_the_name_of_the_run_is_all_that_is_printed(
    vlbench: Command, predictions: Path, workspace: Path
) -> None:
    shown = vlbench("import", str(predictions), "--benchmark", "mmstar")
    assert shown.returncode == 0
    (name,) = shown.stdout.split()
    assert (workspace / "runs" / name / "manifest.json").is_file()
    assert f"vlbench report {name}" in shown.stderr


def test_model_name_and_condition_can_be_named(vlbench: Command, predictions: Path) -> None:
    options = ("--model", "mine", "--shown", "text", "--name", "r")
    vlbench("import", str(predictions), "--benchmark", "mmstar", *options)
    assert "mine     text " in vlbench("report", "r").stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("missing.xlsx", "--benchmark", "mmstar"), "missing.xlsx cannot be read"),
        (("model_MMStar.tsv",), "--benchmark"),
        (("model_MMStar.tsv", "--benchmark", "nope"), "There is no benchmark 'nope'"),
        (("model_MMStar.tsv", "--benchmark", "mmstar", "--format", "lmms-eval"), "line 1 is not JSON"),
        (("model_MMStar.tsv", "--benchmark", "mmstar", "--name", "../up"), "cannot name a run"),
        (("model_MMStar.tsv", "--benchmark", "mmstar", "--data", "no.tsv"), "no.tsv"),
    ],
)
def test_bad_input_is_one_paragraph_and_leaves_nothing(
    vlbench: Command, predictions: Path, workspace: Path, arguments: tuple[str, ...], message: str
) -> None:
    shown = vlbench("import", *arguments)
    assert (shown.returncode, shown.stdout) == (2, "")
    assert message in shown.stderr
    assert "Traceback" not in shown.stderr
    assert not (workspace / "runs").exists()
