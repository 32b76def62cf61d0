from __future__ import annotations

import json
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


def test_golds_of_a_built_in_set_are_taken_from_where_a_run_takes_them(
    vlbench: Command, workspace: Path
) -> None:
    lines = "".join(f"shapes-{number:04}\tA\n" for number in range(1, 11))
    (workspace / "mine_shapes.tsv").write_text(f"index\tprediction\n{lines}", encoding="utf-8")
    shown = vlbench("import", "mine_shapes.tsv", "--benchmark", "shapes", "--name", "r")
    assert shown.returncode == 0
    manifest = json.loads((workspace / "runs" / "r" / "manifest.json").read_text(encoding="utf-8"))
    vlbench("run", "shapes", "-n", "2", "--name", "asked", "--ui", "none")
    asked = json.loads((workspace / "runs" / "asked" / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["data"] == asked["data"]
    (row,) = json.loads(vlbench("report", "r", "-f", "json").stdout)["reports"][0]["rows"]
    counts = row["overall"]["counts"]
    assert counts["right"] + counts["wrong"] == 10
    assert counts["failed"] == manifest["data"]["rows"] - 10


def test_predictions_of_another_set_are_told(vlbench: Command, workspace: Path) -> None:
    (workspace / "m.tsv").write_text("index\tprediction\n17\tA\n", encoding="utf-8")
    shown = vlbench("import", "m.tsv", "--benchmark", "shapes")
    assert shown.returncode == 2
    assert "m.tsv and shapes do not belong together" in shown.stderr


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
