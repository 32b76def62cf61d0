"""`vlbench fetch`: get a benchmark's data now, to run without network later."""

from __future__ import annotations

from pathlib import Path

import click


@click.command(short_help="Download a benchmark.")
@click.argument("benchmark")
@click.option("--revision", metavar="REV", help="Branch, tag or commit; default the newest.")
@click.option(
    "--cache-dir", type=click.Path(path_type=Path), metavar="DIR", help="Where data and replies are kept."
)
def fetch(benchmark: str, revision: str | None, cache_dir: Path | None) -> None:
    """Download BENCHMARK and check every picture, so that runs on this machine need no network for it.

    `vlbench list benchmarks` names them. HF_TOKEN, HF_ENDPOINT and HF_HUB_OFFLINE are respected.
    """
    import os

    from vlbench.benchmarks.index import indexed
    from vlbench.benchmarks.registry import find_benchmark
    from vlbench.cli.progress import tell_progress
    from vlbench.engine.data_source import source_of
    from vlbench.engine.options import RunOptions
    from vlbench.store.workspace import Workspace

    found = find_benchmark(benchmark)
    workspace = Workspace.find(Path.cwd(), os.environ, cache_dir)
    data = indexed(found, source_of(found, RunOptions(revision=revision)), workspace.cache_dir, tell_progress)
    click.echo(f"{found.name}: {data.rows:,} samples, {len(data.problems)} of them broken")
    click.echo(f"revision {data.revision or '—'}, sha256 {data.data_sha256}")
    for problem in data.problems:
        click.echo(f"row {problem.id}: {problem.reason}")
