"""Scores by category: for the terminal one table per variant, for a paper one line per row of the run."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from vlbench.report.data import ReportData, ReportRow
from vlbench.report.figures import bounds, count, difference, percent
from vlbench.report.layout import Block, Column, Table
from vlbench.scoring.accuracy import Accuracy
from vlbench.scoring.baselines import Baseline
from vlbench.scoring.facts import Path
from vlbench.scoring.gain import Gain, GainRow


def category_tables(report: ReportData) -> list[Block]:
    """One table per gain, and one per variant that has none; [] for a benchmark without categories."""
    if not any(row.categories for row in report.rows):
        return []
    gained = {gain.variant for gain in report.gains}
    tables: list[Block] = [_gain_table(report, gain) for gain in report.gains]
    rest = dict.fromkeys(row.variant for row in report.rows if row.variant not in gained)
    return tables + [_accuracy_table(report, variant) for variant in rest]


def cores_table(report: ReportData) -> list[Block]:
    """The coarse categories as columns, as papers print them; for Markdown alone."""
    cores = [one.path for one in report.baselines.categories if len(one.path) == 1]
    if not cores:
        return []
    table = Table(
        "Accuracy by " + (report.levels[0] if report.levels else "category"),
        (
            Column("variant"),
            Column("shown"),
            *(Column(path[0], right=True) for path in cores),
            Column("all", right=True),
        ),
        paper=True,
    )
    for row in report.rows:
        values = {one.path: one.accuracy.value for one in row.categories}
        cells = (percent(values.get(path)) for path in cores)
        table.add(row.variant, row.condition.id, *cells, percent(row.overall.value))
    random = {one.path: one.random for one in report.baselines.categories}
    guessed = (percent(random[path]) for path in cores)
    table.add("random choice", "", *guessed, percent(report.baselines.overall.random))
    frequent = {one.path: one.frequent for one in report.baselines.categories}
    guessed = (percent(frequent[path]) for path in cores)
    by_core = report.baselines.frequent_by_level
    table.add("frequent choice", "", *guessed, percent(by_core[1] if len(by_core) > 1 else None))
    return [table]


def _gain_table(report: ReportData, row: GainRow) -> Table:
    table = Table(
        f"{row.variant}: {row.with_image.id} against {row.without.id}, by {_levels(report)}",
        (
            Column("category"),
            Column("n", right=True),
            Column("image", right=True),
            Column("95 % CI", right=True, wide=True),
            Column("ML", right=True),
            Column("MG", right=True),
            Column("CI of MG", right=True, wide=True),
            Column("ML*", right=True),
            Column("pairs", right=True, wide=True),
            Column("random", right=True),
            Column("frequent", right=True),
        ),
    )
    seen = next(one for one in report.rows if (one.variant, one.condition) == (row.variant, row.with_image))
    accuracies = _accuracies(seen)
    gains: dict[Path, Gain] = {one.path: one.gain for one in row.categories} | {(): row.overall}

    def cells(path: Path, guess: Baseline) -> tuple[str, ...]:
        accuracy, gain = accuracies[path], gains[path]
        return (
            count(accuracy.total),
            percent(accuracy.value),
            bounds(accuracy.interval),
            percent(gain.ml),
            difference(gain.mg),
            bounds(gain.mg_interval),
            percent(gain.leakage.value if gain.leakage else None),
            count(gain.pairs),
            percent(guess.random),
            percent(guess.frequent),
        )

    _fill(table, report, cells)
    return table


def _accuracy_table(report: ReportData, variant: str) -> Table:
    rows = [row for row in report.rows if row.variant == variant]
    columns = [Column("category"), Column("n", right=True)]
    for row in rows:
        columns += [
            Column(row.condition.id, right=True),
            Column("95 % CI", right=True, wide=len(rows) > 1),
        ]
    table = Table(
        f"{variant}: accuracy by {_levels(report)}",
        (*columns, Column("random", right=True), Column("frequent", right=True)),
    )
    accuracies = [_accuracies(row) for row in rows]

    def cells(path: Path, guess: Baseline) -> tuple[str, ...]:
        shown = [accuracy[path] for accuracy in accuracies]
        values = [text for one in shown for text in (percent(one.value), bounds(one.interval))]
        return count(shown[0].total), *values, percent(guess.random), percent(guess.frequent)

    _fill(table, report, cells)
    return table


def _fill(table: Table, report: ReportData, cells: Callable[[Path, Baseline], Iterable[str]]) -> None:
    """One line per category, each followed by its parts, indented; the whole run last."""
    guesses = {one.path: one for one in report.baselines.categories}
    for path in sorted(guesses):
        table.add("  " * (len(path) - 1) + path[-1], *cells(path, guesses[path]))
    table.add("all", *cells((), report.baselines.overall))


def _accuracies(row: ReportRow) -> dict[Path, Accuracy]:
    return {one.path: one.accuracy for one in row.categories} | {(): row.overall}


def _levels(report: ReportData) -> str:
    return " and ".join(report.levels) or "category"
