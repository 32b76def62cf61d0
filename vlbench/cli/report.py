"""`vlbench report`: the result of runs, for people and for programs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from vlbench.report.formats import Format

FORMATS = ("table", "json", "csv", "md")


@click.command(short_help="Show the result of runs.")
@click.argument("names", nargs=-1, metavar="[RUN]...")
@click.option("-f", "--format", "form", type=click.Choice(FORMATS), default="table", show_default=True)
@click.option("--reader", metavar="NAME", help="Read every reply again: strict, official, …")
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="FILE", help="Write to FILE.")
def report(names: tuple[str, ...], form: Format, reader: str | None, output: Path | None) -> None:
    """Show the result of runs as a table, JSON, CSV or Markdown.

    RUN is the name of a run, the beginning of one, or a path; the newest run when none is given. Several are
    shown side by side first.
    """
    from vlbench.cli.results import chosen_runs
    from vlbench.report.report import open_report
    from vlbench.report.show import show_reports

    show_reports([open_report(run, reader) for run in chosen_runs(names)], form, output)
