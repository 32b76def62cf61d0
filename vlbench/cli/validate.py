"""`vlbench validate`: everything wrong with a data file, before a run is paid for."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from vlbench.benchmarks.own.check import Checked

_SHOWN_NAMES = 12
_LINE = 400


@click.command(short_help="Check a data file row by row.")
@click.argument("what", metavar="FILE | BENCHMARK")
@click.option("--data", type=click.Path(path_type=Path), metavar="FILE", help="Read the benchmark from FILE.")
@click.option("--format", "form", type=click.Choice(["table", "json"]), default="table", show_default=True)
@click.option(
    "--cache-dir", type=click.Path(path_type=Path), metavar="DIR", help="Where data and replies are kept."
)
def validate(what: str, data: Path | None, form: str, cache_dir: Path | None) -> int:
    """List everything wrong with a data file: every broken row with the reason, and what looks unintended.

    FILE is a .jsonl, .tsv, .csv or .parquet file, a folder with one, a web address or hf://org/name; a
    benchmark's name checks that. Nothing is sent and nothing is changed. The exit code is 2 when a row is
    broken, 0 when there are warnings only.
    """
    import os

    from vlbench.benchmarks.own.check import check_set
    from vlbench.benchmarks.registry import find_benchmark
    from vlbench.cli.progress import tell_progress
    from vlbench.engine.data_source import source_of
    from vlbench.engine.options import RunOptions
    from vlbench.store.workspace import Workspace

    benchmark = find_benchmark(what)
    workspace = Workspace.find(Path.cwd(), os.environ, cache_dir)
    source = source_of(benchmark, RunOptions(data=data))
    checked = check_set(benchmark, source, workspace.cache_dir, tell_progress)
    click.echo(as_json(checked) if form == "json" else "\n".join(as_lines(what, checked)))
    return 2 if checked.errors else 0


def as_lines(name: str, checked: Checked) -> Iterator[str]:
    """The findings for people, a line each; text from outside is made safe to print."""
    from vlbench.printable import printable

    for finding in checked.findings:
        where = " ".join(filter(None, (finding.place, f"({finding.sample})" if finding.sample else "")))
        yield printable(
            f"{finding.kind} {where}: {finding.reason}" if where else f"{finding.kind}: {finding.reason}",
            _LINE,
        )
    warnings = len(checked.findings) - checked.errors
    rows, errors = checked.data.rows, checked.errors
    yield printable(
        f"{name}: {rows:,} rows, {errors:,} of them broken, {warnings:,} warning{'s' * (warnings != 1)}; "
        f"{checked.pictures:,} different pictures"
    )
    if checked.golds:
        yield printable(f"right answers: {_counted(checked.golds)}")
    if checked.categories:
        yield printable(f"categories: {_counted(checked.categories)}")


def as_json(checked: Checked) -> str:
    """The findings for programs; ASCII alone, for it may be a terminal."""
    return json.dumps(
        {
            "schema": 1,
            "rows": checked.data.rows,
            "errors": checked.errors,
            "pictures": checked.pictures,
            "sha256": checked.data.data_sha256,
            "golds": checked.golds,
            "categories": checked.categories,
            "findings": [
                {"kind": one.kind, "place": one.place, "sample": one.sample, "reason": one.reason}
                for one in checked.findings
            ],
        },
        indent=2,
    )


def _counted(counts: dict[str, int]) -> str:
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    shown = [f"{name} {count:,}" for name, count in ordered[:_SHOWN_NAMES]]
    return ", ".join(shown) + (f" and {len(ordered) - _SHOWN_NAMES} more" * (len(ordered) > _SHOWN_NAMES))
