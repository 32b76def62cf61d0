"""MG and ML over several benchmarks."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.report.conftest import MakeRun
from vlbench.report.averages import averages_over
from vlbench.report.data import ReportData
from vlbench.report.formats import rendered
from vlbench.report.report import open_report
from vlbench.scoring.gain import GainRow, Leakage
from vlbench.scoring.intervals import Interval
from vlbench.scoring.section import Figure, Line, Section
from vlbench.types import Condition

IMAGE, TEXT = Condition(show="image"), Condition(show="text")
TABLE = Path(__file__).parent.parent / "data" / "mmstar_table4_mg_ml_7bench.csv"
# The paper's own Avg columns that its seven columns do not give: none may be added silently.
SLIPS: set[tuple[str, str]] = set()


@pytest.fixture
def report(make_run: MakeRun) -> ReportData:
    run = make_run(
        {("m", IMAGE): ["A", "A", "B", "A"], ("m", TEXT): ["A", "B", "B", "B"]},
        categories=[("x", "p")] * 4,
    )
    return open_report(run)


def on(
    report: ReportData, benchmark: str, *, mg: float, ml: float, leakage: float | None = None
) -> ReportData:
    (gain,) = report.gains
    interval = Interval(0.0, 1.0, "wilson")
    told = None if leakage is None else Leakage(leakage, ml, 0.0, interval, 4, False)
    overall = replace(gain.overall, mg=mg, ml=ml, leakage=told)
    return replace(report, benchmark=benchmark, gains=(replace(gain, overall=overall),))


def only_line(reports: list[ReportData]) -> Line:
    section = averages_over(reports)
    assert section is not None
    (line,) = section.lines
    return line


def values(line: Line) -> list[float | None]:
    return [figure.value for figure in line.figures]


def test_one_benchmark_has_no_average(report: ReportData) -> None:
    assert averages_over([report, report]) is None


def test_the_mean_is_unweighted_over_benchmarks(report: ReportData) -> None:
    reports = [on(report, "a", mg=0.4, ml=0.2, leakage=0.1), on(report, "b", mg=0.1, ml=0.4, leakage=0.0)]

    assert values(only_line(reports)) == pytest.approx([2, 0.25, 0.3, 0.05])


def test_a_missing_base_leaves_only_its_own_mean_undefined(report: ReportData) -> None:
    reports = [on(report, "a", mg=0.4, ml=0.2, leakage=0.1), on(report, "b", mg=0.1, ml=0.4)]

    assert values(only_line(reports)) == [2, pytest.approx(0.25), pytest.approx(0.3), None]


def test_a_variant_that_lacks_a_benchmark_gets_no_mean(report: ReportData) -> None:
    other: tuple[GainRow, ...] = tuple(replace(gain, variant="n") for gain in report.gains)
    reports = [on(report, "a", mg=0.4, ml=0.2), replace(report, benchmark="b", gains=other)]

    section = averages_over(reports)

    assert section is not None
    assert [(line.variant, values(line)) for line in section.lines] == [
        ("m", [1, None, None, None]),
        ("n", [1, None, None, None]),
    ]


def test_circular_accuracy_counts_where_it_was_run(report: ReportData) -> None:
    figures = (Figure(4, "count"), Figure(0.9), Figure(0.1), Figure(0.8))
    section = Section(
        id="circular-gain",
        title="",
        names=(),
        columns=("questions", "with image", "without (ML)", "MG"),
        lines=(Line("m", "text", (), figures),),
    )
    reports = [
        on(report, "a", mg=0.4, ml=0.2),
        replace(on(report, "b", mg=0.1, ml=0.4), sections=(section,)),
    ]

    assert values(only_line(reports)) == [2, pytest.approx(0.6), pytest.approx(0.15), None]


def test_every_form_shows_the_average(report: ReportData) -> None:
    reports = [on(report, "a", mg=0.4, ml=0.2), on(report, "b", mg=0.1, ml=0.4)]

    for form in ("table", "md"):
        assert "averaged over benchmarks" in rendered(reports, form)
    told = json.loads(rendered(reports, "json"))["average_over_benchmarks"]
    assert told["lines"][0]["figures"][1]["value"] == pytest.approx(0.25)


def table_rows() -> list[dict[str, str]]:
    """The rows of models; the last row of the table averages columns instead."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return [row for row in rows if row["MMMU_MG"] != "-" and row["Avg_MG"] != "-"]


@pytest.mark.parametrize("row", table_rows(), ids=lambda row: row["lvlm"])
def test_the_averages_of_the_paper_follow_from_its_seven_columns(
    row: dict[str, str], report: ReportData
) -> None:
    names = [column.removesuffix("_MG") for column in row if column.endswith("_MG") and column != "Avg_MG"]
    assert len(names) == 7
    reports = [
        on(report, name, mg=float(row[f"{name}_MG"]) / 100, ml=0.0, leakage=float(row[f"{name}_ML"]) / 100)
        for name in names
    ]

    _, mg, _, leakage = values(only_line(reports))

    assert mg is not None
    assert leakage is not None
    for column, value in (("Avg_MG", mg), ("Avg_ML", leakage)):
        agrees = 100 * value == pytest.approx(float(row[column]), abs=0.0501)
        assert agrees != ((row["lvlm"], column) in SLIPS), (column, 100 * value, row[column])
