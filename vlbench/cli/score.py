"""`vlbench score`: last month's replies, read and scored by today's reader. Sends nothing."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from vlbench.cli.report import FORMATS

if TYPE_CHECKING:
    from vlbench.report.data import ReportData
    from vlbench.report.formats import Format


@click.command(short_help="Read and score a run again.")
@click.argument("name", required=False, metavar="[RUN]")
@click.option(
    "--reader",
    metavar="NAME",
    help="strict, official (the benchmark's own), vlmevalkit or lmms-eval; default: the run's, as it is "
    "today.",
)
@click.option("-f", "--format", "form", type=click.Choice(FORMATS), default="table", show_default=True)
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="FILE", help="Write to FILE.")
def score(name: str | None, reader: str | None, form: Format, output: Path | None) -> None:
    """Read every reply of a run again: its scores, and what changed against the answers of the run.

    RUN is the name of a run, the beginning of one, or a path; the newest run when none is given. Nothing is
    sent, and the run itself is not changed.
    """
    from vlbench.cli.results import chosen_runs
    from vlbench.report.report import open_report
    from vlbench.report.show import show_reports

    (run,) = chosen_runs([name] if name else [])
    report = open_report(run, reader or run.manifest().reader, against=("journal", "official"))
    show_reports([report], form, output)
    print(changes(report), file=sys.stderr)


def changes(report: ReportData) -> str:
    """What re-reading changed, in one sentence."""
    journalled = next(one for one in report.comparisons if one.journalled)
    gained = sum(row.only_first for row in journalled.rows)
    lost = sum(row.only_other for row in journalled.rows)
    if not journalled.differences:
        return f"{report.reader} reads every reply as the run did ({journalled.other or 'no reply yet'})."
    verdicts = "1 verdict changes" if gained + lost == 1 else f"{gained + lost:,} verdicts change"
    return (
        f"{report.reader} against {journalled.other} as journalled: {verdicts} ({gained:,} to right, "
        f"{lost:,} to wrong); read differently: {len(journalled.differences):,}."
    )
