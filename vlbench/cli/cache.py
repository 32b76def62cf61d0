"""`vlbench cache`: what is in the reply cache, and why a request was not found there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, ParamSpec, TypeVar

import click

if TYPE_CHECKING:
    from vlbench.store.cache import DiskCache

P = ParamSpec("P")
R = TypeVar("R")


def _with_directory(command: Callable[P, R]) -> Callable[P, R]:
    return click.option(
        "--cache-dir",
        type=click.Path(path_type=Path),
        metavar="DIR",
        help="The cache to look at; default the one a run here would use.",
    )(command)


@contextmanager
def _opened(cache_dir: Path | None) -> Iterator[DiskCache]:
    import os

    from vlbench.store.cache_opening import open_cache
    from vlbench.store.workspace import Workspace

    directory = Workspace.find(Path.cwd(), os.environ, cache_dir).cache_dir
    opened = open_cache(directory, on_warning=lambda text: click.echo(text, err=True))
    for warning in opened.warnings:
        click.echo(warning, err=True)
    try:
        yield opened.cache
    finally:
        opened.cache.close()


@click.group(short_help="Look into the reply cache.")
def cache() -> None:
    """Every reply that was paid for, found by a hash of its request. Clearing it loses no result of a run."""


@cache.command(short_help="How much it holds, and where.")
@_with_directory
def stats(cache_dir: Path | None) -> None:
    """Show the directory, the number of replies, and the bytes they take."""
    with _opened(cache_dir) as opened:
        click.echo(f"directory  {opened.directory}")
        click.echo(f"replies    {len(opened):,}")
        click.echo(f"size       {opened.size_bytes() / 1e6:,.1f} MB")


@cache.command(short_help="Why a request was not found.")
@click.argument("what", metavar="SAMPLE|KEY")
@click.option("--run", "name", metavar="RUN", help="The run that asks; default the newest.")
@_with_directory
def why(what: str, name: str | None, cache_dir: Path | None) -> None:
    """Compare the requests a run makes for SAMPLE (or the one of KEY) with what is stored.

    SAMPLE is the id of a sample, as in the live view and in the run's samples.jsonl; KEY the hash of a
    request. For each request the most similar stored one is shown, with everything that differs.
    """
    from vlbench.cli.cache_why import explain

    with _opened(cache_dir) as opened:
        for line in explain(opened, what, name):
            click.echo(line)


@cache.command(short_help="Write all replies to a file.")
@click.argument("file", type=click.Path(path_type=Path))
@_with_directory
def export(file: Path, cache_dir: Path | None) -> None:
    """Write every reply to FILE as JSON lines, to share it or to keep it."""
    from vlbench.store.exchange import export_lines

    with _opened(cache_dir) as opened:
        click.echo(f"{export_lines(opened, file):,} replies written to {file}")


@cache.command("import", short_help="Add the replies of an export.")
@click.argument("file", type=click.Path(path_type=Path))
@_with_directory
def import_(file: Path, cache_dir: Path | None) -> None:
    """Add the replies of FILE, which `cache export` wrote; those already here stay as they are."""
    from vlbench.store.exchange import import_lines

    with _opened(cache_dir) as opened:
        done = import_lines(opened, file)
        click.echo(f"{done.added:,} replies added, {done.known:,} were here already")


@cache.command(short_help="Remove every reply.")
@click.option("--yes", is_flag=True, help="Remove without asking first.")
@_with_directory
def clear(yes: bool, cache_dir: Path | None) -> None:
    """Remove every reply. Runs keep their results; what is asked again is paid for again."""
    with _opened(cache_dir) as opened:
        if not yes:
            click.confirm(f"Remove {len(opened):,} replies in {opened.directory}?", abort=True, err=True)
        click.echo(f"{opened.clear():,} replies removed")
