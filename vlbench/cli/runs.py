"""`vlbench runs`: what there is."""

from __future__ import annotations

import sys

import click


@click.command(short_help="List the runs of this workspace.")
@click.option(
    "-f", "--format", "form", type=click.Choice(("table", "json")), default="table", show_default=True
)
@click.option(
    "-n", "--limit", type=click.IntRange(1), default=20, show_default=True, help="The newest N runs."
)
def runs(form: str, limit: int) -> None:
    """List the runs of this workspace, newest first.

    Done counts replies and failures of all that was asked; the accuracy is of the first row of each run. Each
    run is a directory of its name, in runs/ of a workspace or in your user data directory.
    """
    from vlbench.cli.results import runs_dir
    from vlbench.report.run_list import run_facts, run_list_json, run_table
    from vlbench.report.show import show_text, takes_colour, terminal_width
    from vlbench.report.terminal import blocks_text
    from vlbench.store.run_dir import list_runs

    directory = runs_dir()
    found = list_runs(directory)
    facts = [run_facts(run) for run in found[:limit]]
    if form == "json":
        show_text(run_list_json(facts))
    elif facts:
        show_text(blocks_text([run_table(facts)], width=terminal_width(), colour=takes_colour()))
    else:
        print(f"There is no run in {directory} yet. Start one with: vlbench run", file=sys.stderr)
    for run in facts:
        if run.problem:
            print(f"{run.name}: {run.problem}", file=sys.stderr)
    if facts and form == "table":
        print(f"They are in {directory}", file=sys.stderr)
    if len(found) > limit:
        print(f"{len(found) - limit:,} older runs are not shown; see them with --limit.", file=sys.stderr)
