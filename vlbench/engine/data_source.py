"""Where the data of a run comes from, and what a manifest calls it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from vlbench.benchmarks.benchmark import Benchmark, DataSource, HubFile, HubSet, LocalFile, WebFile
from vlbench.benchmarks.registry import BENCHMARKS
from vlbench.engine.options import RunOptions
from vlbench.errors import UsageError


def source_of(benchmark: Benchmark, options: RunOptions) -> DataSource | None:
    """Where the data of a run is read from; None for a benchmark that draws its own. Raises `UsageError`."""
    if options.data is not None:
        if benchmark.read is None:
            raise UsageError(f"{benchmark.name} draws its own pictures and takes no --data.")
        return LocalFile(options.data.expanduser().absolute())
    if options.revision is None:
        return benchmark.home
    match benchmark.home:
        case HubFile() | HubSet():
            return replace(benchmark.home, revision=options.revision)
        case _:
            raise UsageError(f"{benchmark.name} does not come from the hub, so it takes no --revision.")


def source_name(benchmark: Benchmark, source: DataSource | None) -> str:
    """The path, address or repository for manifests and messages."""
    match source:
        case LocalFile(path):
            return str(path)
        case HubFile(repo, file):
            return f"{repo}/{file}"
        case HubSet(repo, split):
            return f"{repo}/{split}" if split else repo
        case WebFile(url):
            return url
        case None:
            return benchmark.name


def whole_name(name: str) -> str:
    """A benchmark's name, or the place of a set of one's own as it is named from anywhere."""
    path = Path(name).expanduser()
    return str(path.absolute()) if name not in BENCHMARKS and path.exists() else name
