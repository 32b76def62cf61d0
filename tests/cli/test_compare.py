from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

Command = Callable[..., CompletedProcess[str]]


@pytest.fixture
def runs(vlbench: Command, predictions: Path) -> tuple[str, str]:
    """Two imported runs: by the strict reader the first has two of four right, the second all of three."""
    text = predictions.read_text(encoding="utf-8")
    vlbench("import", str(predictions), "--benchmark", "mmstar", "--name", "mixed")
    lines = [line.rsplit("\t", 1)[0] + "\t" + line.split("\t")[5] for line in text.splitlines()[1:4]]
    predictions.write_text("\n".join([text.splitlines()[0], *lines, ""]), encoding="utf-8")
    vlbench("import", str(predictions), "--benchmark", "mmstar", "--name", "perfect")
    return "mixed", "perfect"


def test_the_four_formats_tell_the_same_difference(vlbench: Command, runs: tuple[str, str]) -> None:
    shown = vlbench("compare", *runs)
    assert (shown.returncode, shown.stderr) == (0, "")
    assert shown.stdout.startswith("mixed (first) and perfect (second) · mmstar")
    assert "left out: 1 that only mixed has, 0 that only perfect has" in shown.stdout
    assert "-33.3" in shown.stdout
    assert "-33.3" in vlbench("compare", *runs, "-f", "md").stdout
    document = json.loads(vlbench("compare", *runs, "-f", "json").stdout)
    assert document["comparison"]["duels"][0]["overall"]["difference"] == pytest.approx(-1 / 3)
    (line,) = csv.DictReader(io.StringIO(vlbench("compare", *runs, "-f", "csv").stdout))
    assert float(line["difference"]) == pytest.approx(-1 / 3)


def test_categories_are_shown_when_asked_for(vlbench: Command, runs: tuple[str, str]) -> None:
    assert "geometry" not in vlbench("compare", *runs).stdout
    assert "geometry" in vlbench("compare", *runs, "--categories").stdout


def test_another_reader_can_be_named(vlbench: Command, runs: tuple[str, str]) -> None:
    assert "read by strict@" in vlbench("compare", *runs).stdout
    assert "read by mmstar-official@" in vlbench("compare", *runs, "--reader", "official").stdout


def test_output_goes_to_a_file(vlbench: Command, runs: tuple[str, str], workspace: Path) -> None:
    shown = vlbench("compare", *runs, "-f", "md", "-o", "paper.md")
    assert (shown.returncode, shown.stdout) == (0, "")
    assert "| -33.3 |" in (workspace / "paper.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "Missing argument"),
        (("nowhere",), "There is no run 'nowhere'"),
        (("mixed",), "vlbench compare mixed OTHER"),
        (("mixed", "mix"), "Both names lead to mixed."),
        (("mixed", "perfect", "--reader", "mine"), "There is no answer reader called 'mine'"),
    ],
)
def test_bad_input_ends_with_one_paragraph(
    vlbench: Command, runs: tuple[str, str], arguments: tuple[str, ...], message: str
) -> None:
    shown = vlbench("compare", *arguments)
    assert (shown.returncode, shown.stdout) == (2, "")
    assert message in shown.stderr
    assert "Traceback" not in shown.stderr
