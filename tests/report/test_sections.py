"""A benchmark's own sections reach every form of the report with the same numbers."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from vlbench.engine.importing.imported import ImportOptions, import_predictions
from vlbench.errors import UsageError
from vlbench.report.blocks import blocks_of, brief_blocks_of
from vlbench.report.data import ReportData
from vlbench.report.formats import rendered
from vlbench.report.layout import Note, Table
from vlbench.report.report import open_report
from vlbench.report.section_blocks import section_blocks
from vlbench.scoring.intervals import Interval
from vlbench.scoring.metrics import METRICS, metric_named
from vlbench.scoring.section import Figure, Line, Section, count, share
from vlbench.store.manifest import Manifest
from vlbench.store.run_dir import RunDir

# Object 0: all right; object 1: the captions alone; counting 0: one caption wrong.
PREDICTIONS = """\
id,Text_Q0,Text_Q1,Image_Q0,Image_Q1,category
0,A,B,First,Second,object
1,A,B,First,First,object
0,(A),A,First,Second,counting
"""


@pytest.fixture
def run(tmp_path: Path) -> RunDir:
    path = tmp_path / "model_vismin.csv"
    path.write_text(PREDICTIONS, encoding="utf-8")
    options = ImportOptions(benchmark="vismin", name="quads", reader="vismin-official")
    return import_predictions(path, options, tmp_path / "runs")


@pytest.fixture
def report(run: RunDir) -> ReportData:
    return open_report(run)


def test_json_holds_every_figure(report: ReportData) -> None:
    (one,) = json.loads(rendered([report], "json"))["reports"]
    section = one["sections"][0]
    assert (section["id"], section["columns"]) == ("quads", ["n", "T", "I", "G"])
    found = {line["names"][0]: [figure["value"] for figure in line["figures"]] for line in section["lines"]}
    assert found == {
        "counting": [1, 0.0, 1.0, 0.0],
        "object": [2, 1.0, 0.5, 0.5],
        "mean over categories": [3, 0.5, 0.75, 0.25],
    }


def test_csv_holds_the_same_numbers(report: ReportData) -> None:
    lines = {
        (line["category"], line["metric"]): line
        for line in csv.DictReader(io.StringIO(rendered([report], "csv")))
    }
    assert lines["object", "quads:I"]["value"] == "0.5"
    assert lines["object", "quads:I"]["n"] == "2"
    assert float(lines["object", "quads:I"]["low"]) < 0.5
    assert lines["mean over categories", "quads:T"]["low"] == ""
    # T, I and G are 0, 1, 0 and 1, 0.5, 0.5: the mean of the six cells.
    assert lines["", "quad-averages:mean of all cells"]["value"] == "0.5"
    assert lines["", "quad-averages:mean of the G cells"]["value"] == "0.25"


def test_terminal_and_markdown_show_table_and_notes(report: ReportData) -> None:
    wide = rendered([report], "table", width=140)
    assert "Text, image and group score" in wide
    assert "CI of G" in wide
    assert "CI of G" not in rendered([report], "table", width=80)
    assert "| model | image | counting | 1 | 0.0 |" in rendered([report], "md")
    assert "T: both questions about a picture right" in rendered([report], "md")


def test_the_short_report_has_the_brief_sections_alone(report: ReportData) -> None:
    titles = [block.title for block in brief_blocks_of(report) if isinstance(block, Table)]
    assert "Text, image and group score" in titles
    assert "Averages of T, I and G" not in titles
    assert "Averages of T, I and G" in [b.title for b in blocks_of(report) if isinstance(b, Table)]


def test_undefined_is_a_dash_and_p_values_are_not_percentages() -> None:
    figures = (
        count(1234),
        share(0, 0),
        share(1, 3, Interval(0.1, 0.7, "wilson")),
        Figure(0.0004, "p"),
        Figure(0.25, "p"),
    )
    section = Section(
        "s", "S", ("part",), ("n", "x", "y", "p", "q"), (Line("v", "image", ("all",), figures),)
    )
    (table,) = section_blocks(section)
    assert isinstance(table, Table)
    assert table.rows == [("v", "image", "all", "1,234", "—", "33.3", "[10.0, 70.0]", "<0.001", "0.250")]


def test_a_row_is_named_once_and_notes_follow() -> None:
    lines = tuple(Line("v", "image", (part,), (count(1),)) for part in ("a", "b"))
    table, note = section_blocks(Section("s", "S", ("part",), ("n",), lines, ("A note.",)))
    assert isinstance(table, Table)
    assert table.rows == [("v", "image", "a", "1"), ("", "", "b", "1")]
    assert note == Note("A note.")


def test_a_line_that_does_not_fit_is_a_defect() -> None:
    with pytest.raises(ValueError, match="section 's'"):
        Section("s", "S", (), ("n", "m"), (Line("v", "image", (), (count(1),)),))


def test_names_from_files_are_made_safe(tmp_path: Path) -> None:
    path = tmp_path / "m.csv"
    path.write_text(PREDICTIONS.replace("counting", "\x1b[31mred\x07"), encoding="utf-8")
    report = open_report(import_predictions(path, ImportOptions(benchmark="vismin"), tmp_path / "runs"))
    for form in ("table", "md", "csv"):
        assert "\x1b" not in rendered([report], form)
        assert "\x07" not in rendered([report], form)


@pytest.mark.parametrize("name", METRICS)
def test_every_named_metric_can_be_had(name: str) -> None:
    assert callable(metric_named(name))


def test_a_metric_of_a_newer_version_is_told(run: RunDir) -> None:
    manifest = run.manifest()
    newer = manifest.model_copy(
        update={"benchmark": manifest.benchmark.model_copy(update={"metrics": ("future",)})}
    )
    Manifest.save(newer, run.manifest_path)
    with pytest.raises(UsageError, match="no metric 'future'"):
        open_report(run)


def test_a_combined_picture_is_said_before_the_numbers(run: RunDir) -> None:
    manifest = run.manifest()
    Manifest.save(manifest.model_copy(update={"combined": {"model": "horizontal"}}), run.manifest_path)
    (warning,) = [one for one in open_report(run).warnings if one.kind == "combined"]
    assert "drawn as one, side by side" in warning.text


Import = Callable[[str], RunDir]


@pytest.fixture
def import_text(tmp_path: Path) -> Import:
    def make(text: str) -> RunDir:
        path = tmp_path / "clip.csv"
        path.write_text(text, encoding="utf-8")
        return import_predictions(path, ImportOptions(benchmark="vismin"), tmp_path / "runs")

    return make


SIMILARITIES = "id,category,text_0_image_0,text_1_image_0,text_0_image_1,text_1_image_1\n"


def test_similarities_are_compared_strictly(import_text: Import) -> None:
    rows = "0,a,0.9,0.1,0.2,0.8\n1,a,0.5,0.5,0.1,0.9\n2,a,0.3,0.2,0.4,0.5\n"
    section = open_report(import_text(SIMILARITIES + rows)).sections[0]
    # All right; a tie for text 0; caption 0 is nearer to picture 1.
    assert [figure.value for figure in section.lines[0].figures] == [3, 2 / 3, 2 / 3, 1 / 3]
