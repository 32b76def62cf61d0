"""From where a benchmark's data is said to be to the file on this machine."""

from __future__ import annotations

import hashlib
from pathlib import Path

from vlbench.benchmarks.benchmark import Benchmark, DataSource, HubFile, HubSet, LocalFile, Progress, WebFile
from vlbench.benchmarks.hub import Fetched, fetch
from vlbench.errors import DatasetError, UsageError


def located(
    benchmark: Benchmark, source: DataSource | None, cache_dir: Path, progress: Progress
) -> Fetched | None:
    """The data of `source`, or the benchmark's own, fetched if need be; None when it draws its rows.

    Raises `UsageError` or `DatasetError`.
    """
    if benchmark.draw is not None:
        if source is not None:
            raise UsageError(f"The benchmark {benchmark.name} draws its own pictures and reads no file.")
        return None
    match source or benchmark.home:
        case None:
            raise UsageError(f"The benchmark {benchmark.name} needs a data file: name one.")
        case LocalFile(path):
            return Fetched(path.resolve(), "")
        case HubFile() as file:
            return fetch(file, cache_dir, progress)
        case HubSet() as hub_set:
            from vlbench.benchmarks.own.hub import fetch_set

            return fetch_set(hub_set, cache_dir, progress)
        case WebFile() as web_file:
            from vlbench.benchmarks.web import fetch_web

            return fetch_web(web_file, cache_dir, progress)


def files_behind(benchmark: Benchmark, path: Path) -> tuple[Path, ...]:
    """What is read for `path`, beside the pictures that a table names."""
    return (path,) if benchmark.files is None else benchmark.files(path)


def states_of(paths: tuple[Path, ...]) -> list[str]:
    """What changes when any of the files does: path, size and time of each. Raises `DatasetError`."""
    states: list[str] = []
    for path in paths:
        try:
            state = path.stat()
        except OSError as error:
            raise DatasetError(f"The data file {path} cannot be read ({error.strerror}).") from error
        states += [str(path), str(state.st_size), str(state.st_mtime_ns)]
    return states


def sha256_of(paths: tuple[Path, ...], pictures: str = "") -> str:
    """SHA-256 in hex of the one file; of several, or with `pictures` (a hash), of their hashes in order."""
    hashes = [_file_sha256(path) for path in paths] + ([pictures] if pictures else [])
    return hashes[0] if len(hashes) == 1 else hashlib.sha256("\n".join(hashes).encode()).hexdigest()


def _file_sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
