"""The report as CSV in long form: one line per variant, condition, category and metric."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Final, NamedTuple

from vlbench.report.data import ReportData, ReportRow
from vlbench.scoring.accuracy import Accuracy
from vlbench.scoring.baselines import Baseline
from vlbench.scoring.facts import Path
from vlbench.scoring.gain import Gain
from vlbench.scoring.intervals import Interval
from vlbench.scoring.section import Section


class Line(NamedTuple):
    """One number. `level` is `all` or a level's name, `parent` the category around `category`.

    `value`, `low` and `high` are fractions 0..1, counts or US dollars, empty when undefined; `n` is what was
    divided by.
    """

    run: str
    benchmark: str
    stage: str
    reader: str
    variant: str
    condition: str
    level: str
    parent: str
    category: str
    metric: str
    value: float | int | None
    low: float | None = None
    high: float | None = None
    n: int | None = None


# A spreadsheet takes a cell that begins with one of these for a formula.
_FORMULA: Final = ("=", "+", "-", "@")


def csv_text(reports: Sequence[ReportData]) -> str:
    """All numbers of the reports with full precision; the first line names the columns of `Line`."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(Line._fields)
    for report in reports:
        for line in lines_of(report):
            writer.writerow([csv_cell(cell) for cell in line])
    return out.getvalue()


def lines_of(report: ReportData) -> Iterator[Line]:
    """Every number of a report."""
    for row in report.rows:
        yield from _row(report, row)
    for gain in report.gains:
        yield from _gain(report, gain.variant, gain.without.id, (), gain.overall)
        for one in gain.categories:
            yield from _gain(report, gain.variant, gain.without.id, one.path, one.gain)
    for guess in (report.baselines.overall, *report.baselines.categories):
        yield from _baseline(report, guess)
    for section in report.sections:
        yield from _section(report, section)
    for comparison in report.comparisons:
        for compared in comparison.rows:
            name = "as journalled" if comparison.journalled else comparison.other
            line = _line(report, compared.variant, compared.condition, (), "accuracy", compared.other)
            low, high = _bounds(compared.other_interval)
            yield line._replace(reader=name, low=low, high=high, n=compared.total)


def _row(report: ReportData, row: ReportRow) -> Iterator[Line]:
    condition = row.condition.id
    yield from _accuracy(report, row, (), row.overall)
    for metric, value in asdict(row.averages).items():
        yield _line(report, row.variant, condition, (), metric, value)
    yield _line(report, row.variant, condition, (), "cached", row.cached)
    for name in ("input", "output", "cached_input", "reasoning"):
        yield _line(report, row.variant, condition, (), f"{name}_tokens", getattr(row.tokens, name))
    yield _line(report, row.variant, condition, (), "paid_replies", row.tokens.replies)
    yield _line(report, row.variant, condition, (), "cost_usd", row.cost)
    for rule in row.rules:
        yield _line(
            report, row.variant, condition, (), f"rule:{rule.rule}", rule.replies, n=row.overall.total
        )
    for one in row.categories:
        yield from _accuracy(report, row, one.path, one.accuracy)


def _accuracy(report: ReportData, row: ReportRow, path: Path, accuracy: Accuracy) -> Iterator[Line]:
    def line(
        metric: str, value: float | None, interval: Interval | None = None, n: int | None = None
    ) -> Line:
        return _line(report, row.variant, row.condition.id, path, metric, value, interval, n)

    yield line("accuracy", accuracy.value, accuracy.interval, accuracy.total)
    yield line("of_answered", accuracy.of_answered, n=accuracy.answered)
    yield line("coverage", accuracy.coverage, n=accuracy.total)
    yield line("answered", accuracy.answered)
    yield line("cut", accuracy.cut)
    for outcome, number in asdict(accuracy.counts).items():
        yield line(outcome, number)


def _gain(report: ReportData, variant: str, condition: str, path: Path, gain: Gain) -> Iterator[Line]:
    def line(metric: str, value: float | None, interval: Interval | None = None) -> Line:
        return _line(report, variant, condition, path, metric, value, interval, gain.pairs)

    yield line("paired_with_image", gain.with_image)
    yield line("MG", gain.mg, gain.mg_interval)
    yield line("ML", gain.ml, gain.ml_interval)
    leakage = gain.leakage
    pairs = leakage.pairs if leakage else None
    yield line("LLM base", leakage.base if leakage else None)._replace(n=pairs)
    yield line("ML*", leakage.value if leakage else None, leakage.interval if leakage else None)._replace(
        n=pairs
    )


def _section(report: ReportData, section: Section) -> Iterator[Line]:
    """A section's figures; its names stand where a category does, its id before the column's name."""
    level = " / ".join(section.names) or "all"
    for one in section.lines:
        for column, figure in zip(section.columns, one.figures, strict=True):
            line = _line(
                report,
                one.variant,
                one.condition,
                (),
                f"{section.id}:{column}",
                figure.value,
                figure.interval,
                figure.of,
            )
            yield line._replace(level=level, category=" / ".join(one.names))


def _baseline(report: ReportData, guess: Baseline) -> Iterator[Line]:
    for name, value in (("random choice", guess.random), ("frequent choice", guess.frequent)):
        yield _line(report, name, "", guess.path, "accuracy", value, n=guess.samples)


def _line(
    report: ReportData,
    variant: str,
    condition: str,
    path: Path,
    metric: str,
    value: float | None,
    interval: Interval | None = None,
    n: int | None = None,
) -> Line:
    low, high = _bounds(interval)
    depth = len(path)
    named = report.levels[depth - 1] if 0 < depth <= len(report.levels) else f"level {depth}"
    return Line(
        run=report.run,
        benchmark=report.benchmark,
        stage=report.stage,
        reader=report.reader,
        variant=variant,
        condition=condition,
        level=named if depth else "all",
        parent=path[-2] if depth > 1 else "",
        category=path[-1] if depth else "",
        metric=metric,
        value=value,
        low=low,
        high=high,
        n=n,
    )


def _bounds(interval: Interval | None) -> tuple[float | None, float | None]:
    return (interval.low, interval.high) if interval else (None, None)


def csv_cell(cell: str | float | None) -> str | float | None:
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell
