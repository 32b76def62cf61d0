"""Every form of a report: it says the same numbers, and no text from outside can do more than be read."""

from __future__ import annotations

import csv
import io
import json
import re
import unicodedata
from collections.abc import Callable

import pytest

from vlbench.report.data import ReportData
from vlbench.report.formats import FORMATS, rendered
from vlbench.report.markdown import escaped
from vlbench.report.report import open_report
from vlbench.state.events import Warned
from vlbench.store.run_dir import RunDir
from vlbench.types import Condition

IMAGE, TEXT, BASE = Condition(show="image"), Condition(show="text"), Condition(show="text", shots=2)
MakeRun = Callable[..., RunDir]

EVIL = "\x1b[2J[/red]\u202e|`<script>alert(1)</script>`*x*](http://evil.example)\x9b31m"


@pytest.fixture
def report(make_run: MakeRun) -> ReportData:
    long = "gpt:gpt-6.1-sol+effort=low+image_detail=high"
    run = make_run(
        {
            (long, IMAGE): ["A", "A", "B", None],
            (long, TEXT): ["A", "B", "?", "A"],
            ("base", BASE): ["B", "B", "B", "A"],
        },
        categories=[("coarse perception", "p"), ("coarse perception", "q"), ("math", "r"), ("math", "r")],
        base="base",
    )
    return open_report(run)


@pytest.fixture
def hostile(make_run: MakeRun) -> ReportData:
    run = make_run(
        {(EVIL, IMAGE): [f"A {EVIL}", f"**A** {EVIL}"]},
        categories=[(f"={EVIL}", f"[bold]{EVIL}"), (f"={EVIL}", "-2+3")],
        extra=(Warned(subject="x", message=EVIL),),
        source=f"/tmp/{EVIL}",
    )
    return open_report(run)


@pytest.mark.parametrize("form", FORMATS)
def test_no_control_or_direction_character_gets_through(hostile: ReportData, form: str) -> None:
    text = rendered([hostile, hostile], form)  # type: ignore[arg-type]  # one of FORMATS
    bad = {char for char in text if char != "\n" and unicodedata.category(char) in ("Cc", "Cf", "Zl", "Zp")}
    assert bad == set()


def test_markup_of_a_model_is_shown_not_run(hostile: ReportData) -> None:
    text = rendered([hostile], "table", width=400)
    assert "[/red]" in text
    assert "[bold]" in text


def test_markdown_of_a_model_is_shown_not_run(hostile: ReportData) -> None:
    text = rendered([hostile], "md")
    assert re.search(r"(?<!\\)<", text) is None
    assert "http://" not in text
    for line in text.splitlines():
        if line.startswith("|") and "---" not in line:
            assert len(re.findall(r"(?<!\\)\|", line)) >= 3


def test_every_markdown_row_has_the_cells_of_its_heading(hostile: ReportData) -> None:
    for block in rendered([hostile], "md").split("\n\n"):
        bars = {len(re.findall(r"(?<!\\)\|", line)) for line in block.splitlines() if line.startswith("|")}
        assert len(bars) <= 1


def test_a_category_cannot_be_a_formula_in_a_spreadsheet(hostile: ReportData) -> None:
    cells = {
        cell
        for line in csv.DictReader(io.StringIO(rendered([hostile], "csv")))
        for name, cell in line.items()
        if name in ("variant", "parent", "category")
    }
    assert not any(cell.startswith(("=", "+", "-", "@")) for cell in cells)
    assert "'-2+3" in cells


def test_escaped_markdown_keeps_plain_words() -> None:
    assert escaped("science & technology, 52.1 %") == "science & technology, 52.1 %"
    assert escaped("a|b _c_ &lt;") == r"a\|b \_c\_ \&lt;"
    assert escaped("ask @someone") == "ask &#64;someone"


@pytest.mark.parametrize("width", [40, 60, 80, 100, 116, 140])
def test_the_table_fits_the_terminal_and_cuts_no_number(report: ReportData, width: int) -> None:
    text = rendered([report], "table", width=width)
    assert max(map(len, text.splitlines())) <= width
    assert "[15.0, 85.0]" in text  # Wilson's interval of 2 of 4
    assert "+33.3" in text  # MG


def test_colour_only_adds_to_the_words(report: ReportData) -> None:
    plain, coloured = (rendered([report], "table", colour=colour) for colour in (False, True))
    assert "\x1b[" in coloured
    bare = re.sub(r"\x1b\[[0-9;]*m", "", coloured)
    assert [line.rstrip() for line in bare.splitlines()] == plain.splitlines()


def test_what_did_not_happen_is_said_in_one_sentence(report: ReportData) -> None:
    text = rendered([report], "table", width=140)
    assert "None were refused, blocked, truncated, unusable." in text


def test_several_runs_are_first_shown_side_by_side(report: ReportData) -> None:
    text = rendered([report, report], "table", width=140)
    assert text.lstrip().startswith("Runs side by side")
    assert "All on the same data." in text


def test_runs_on_other_data_are_said_to_be_incomparable(make_run: MakeRun, report: ReportData) -> None:
    import dataclasses

    facts = dataclasses.replace(report.provenance, data_sha256="0" * 64)
    other = dataclasses.replace(report, provenance=facts)
    assert "do not compare" in rendered([report, other], "md")


def test_the_csv_holds_the_numbers_of_the_report_exactly(report: ReportData) -> None:
    lines = list(csv.DictReader(io.StringIO(rendered([report], "csv"))))

    def number(metric: str, condition: str, level: str = "all", category: str = "") -> dict[str, str]:
        (found,) = [
            line
            for line in lines
            if (line["metric"], line["condition"], line["level"], line["category"], line["reader"])
            == (metric, condition, level, category, report.reader)
        ]
        return found

    accuracy = report.rows[0].overall
    assert accuracy.interval is not None
    headline = number("accuracy", "image")
    assert (float(headline["value"]), headline["n"]) == (accuracy.value, "4")
    assert (float(headline["low"]), float(headline["high"])) == (
        accuracy.interval.low,
        accuracy.interval.high,
    )
    assert float(number("MG", "text")["value"]) == report.gains[0].overall.mg
    assert float(number("ML*", "text")["value"]) == 0.25
    assert number("accuracy", "image", "core", "math")["value"] == "0.0"
    assert number("failed", "image", "axis", "r")["value"] == "1"


def test_every_line_of_the_csv_is_one_number_of_its_own(report: ReportData) -> None:
    lines = list(csv.DictReader(io.StringIO(rendered([report], "csv"))))
    keys = [
        tuple(
            line[name] for name in ("reader", "variant", "condition", "level", "parent", "category", "metric")
        )
        for line in lines
    ]
    assert len(set(keys)) == len(keys)
    assert len(lines) > 100


def test_the_csv_leaves_an_undefined_number_empty(make_run: MakeRun) -> None:
    run = make_run({("m", IMAGE): ["A"], ("m", TEXT): ["B"]}, categories=[("x", "p")])
    lines = csv.DictReader(io.StringIO(rendered([open_report(run)], "csv")))
    assert {line["value"] for line in lines if line["metric"] == "ML*"} == {""}


def test_the_json_schema_is_the_one_that_was_promised(report: ReportData) -> None:
    document = json.loads(rendered([report], "json"))
    assert document["schema_version"] == 1
    (one,) = document["reports"]
    assert list(one) == [
        "run", "benchmark", "stage", "samples", "slots", "settled", "reader", "levels", "warnings", "rows",
        "gains", "baselines", "sections", "comparisons", "failures", "provenance",
    ]  # fmt: skip
    assert list(one["rows"][0]) == [
        "variant", "condition", "base", "repeats", "overall", "categories", "averages", "cached", "tokens",
        "cost", "rules",
    ]  # fmt: skip
    assert list(one["rows"][0]["overall"]) == [
        "value", "right", "total", "answered", "of_answered", "coverage", "counts", "cut", "interval",
        "provisional", "partial",
    ]  # fmt: skip
    assert list(one["gains"][0]) == [
        "variant", "with_image", "without", "base", "base_condition", "overall", "categories",
    ]  # fmt: skip
    assert list(one["gains"][0]["overall"]) == [
        "pairs", "possible", "with_image", "without_image", "mg", "mg_interval", "ml", "ml_interval",
        "leakage", "provisional",
    ]  # fmt: skip
    assert list(one["comparisons"][0]) == [
        "other", "journalled", "rows", "verdict_changes", "differences",
    ]  # fmt: skip
    assert one["rows"][0]["condition"] == "image"
    assert one["rows"][0]["overall"]["value"] == 0.5
    assert one["failures"] == {"timeout": 1}


def test_the_json_lists_all_differences_the_table_only_some(make_run: MakeRun) -> None:
    run = make_run({("m", IMAGE): ["**A**"] * 25}, categories=[("x", "p")] * 25)
    report = open_report(run)
    (comparison,) = json.loads(rendered([report], "json"))["reports"][0]["comparisons"]
    assert len(comparison["differences"]) == 25
    assert comparison["differences"][0]["other_answer"]["label"] == "A"
    table = rendered([report], "table", width=140)
    assert "the first 20 of 25" in table
    assert table.count("unparsed ✗") == 20
