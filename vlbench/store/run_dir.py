"""Run directories: what is where in one, who holds it, and how one is found again."""

from __future__ import annotations

import os
import re
import secrets
import socket
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

import orjson

from vlbench.errors import StoreError, UsageError
from vlbench.store.canonical import json_bytes
from vlbench.store.file_lock import FileLock, is_locked
from vlbench.store.manifest import Manifest
from vlbench.store.samples import append_samples, write_samples
from vlbench.types import Sample

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
NEWEST: Final = "last"
"""What commands take for the newest run."""

# Long enough to outlast a viewer that is just looking whether the run is alive.
_LOCK_WAIT_S: Final = 0.5
# Writing the samples of a very large run may take some seconds.
_BEGIN_WAIT_S: Final = 60.0


@dataclass(frozen=True, slots=True)
class Owner:
    """The process that runs a run: its id (0 when it did not say yet), host, and since when (epoch s)."""

    pid: int
    host: str
    since: float


@dataclass(frozen=True, slots=True)
class RunDir:
    """One directory of `runs/`. Its files follow the umask: results are there to be shared."""

    path: Path

    @property
    def name(self) -> str:
        return self.path.name

    @property
    def manifest_path(self) -> Path:
        return self.path / "manifest.json"

    @property
    def samples_path(self) -> Path:
        return self.path / "samples.jsonl"

    @property
    def journal_path(self) -> Path:
        return self.path / "journal.jsonl"

    @property
    def socket_path(self) -> Path:
        return self.path / "control.sock"

    @property
    def lock_path(self) -> Path:
        return self.path / "run.lock"

    def manifest(self) -> Manifest:
        """The manifest as it stands on disk. Raises StoreError when it cannot be used."""
        return Manifest.load(self.manifest_path)

    def extend(self, manifest: Manifest, samples: Iterable[Sample]) -> None:
        """Widen the run: add the samples it does not have yet, then say so in the manifest.

        In this order a kill between the two leaves the run as it was asked before. The caller holds the lock.
        Raises StoreError when `manifest` does not extend the run's or cannot be written.
        """
        earlier = self.manifest()
        conflicts = manifest.conflicts(earlier)
        if conflicts:
            raise StoreError(
                f"The run {self.name} cannot be continued like this: {'; '.join(conflicts)}. "
                "Start a new one with --fresh or another --name."
            )
        append_samples(self.samples_path, samples)
        retried = tuple(dict.fromkeys((*earlier.retried, *manifest.retried)))
        servers = manifest.servers or earlier.servers
        kept = {"run": self.name, "created": earlier.created, "retried": retried, "servers": servers}
        widened = manifest.model_copy(update={**kept, "variants": manifest.priced_as(earlier)})
        widened.save(self.manifest_path)

    def alive(self) -> Owner | None:
        """Who runs this run now; None when nobody does (any more)."""
        if not is_locked(self.lock_path):
            return None
        try:
            note = orjson.loads(self.lock_path.read_bytes())
            return Owner(int(note["pid"]), str(note["host"]), float(note["since"]))
        except (OSError, ValueError, TypeError, KeyError):
            return Owner(0, "", 0.0)

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Hold the run as its only writer. Raises StoreError, naming the owner, when somebody else does."""
        lock = FileLock(self.lock_path)
        try:
            got = lock.acquire(_LOCK_WAIT_S)
        except OSError as error:
            raise StoreError(
                f"Cannot lock {self.lock_path}: {error.strerror or error}. Make the directory writable, then "
                "run the same command again; nothing was sent."
            ) from error
        if not got:
            owner = self.alive() or Owner(0, "", 0.0)
            raise StoreError(
                f"The run {self.name} is running already (process {owner.pid} on "
                f"{owner.host or 'this host'}). See it with: vlbench watch {self.name}"
            )
        try:
            note = {"pid": os.getpid(), "host": socket.gethostname(), "since": time.time()}
            lock.note(json_bytes(note).decode())
            yield
        finally:
            lock.release()


def new_run_id(benchmark: str, now: datetime) -> str:
    """`<benchmark>-<YYYYMMDD-HHMMSS>-<4 hex digits>`, in characters that may stand in a name."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", benchmark).strip("-._")[:60] or "run"
    return f"{plain}-{now:%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"


def check_name(name: str) -> str:
    """`name` if it can name a run. Raises UsageError otherwise."""
    if name == NEWEST:
        raise UsageError(f"{NEWEST!r} stands for the newest run and cannot name one. Choose another --name.")
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"{name!r} cannot name a run: use up to 100 letters, digits, dots, dashes and underscores, "
            "beginning with a letter or digit."
        )
    return name


def create(runs_dir: Path, manifest: Manifest, samples: Iterable[Sample]) -> RunDir:
    """Make the directory of a new run, named `manifest.run`, with its samples and, last, its manifest.

    A directory without a manifest is no run, so a kill half-way leaves nothing that looks like one. Raises
    UsageError for a name that is none, StoreError when a run of this name exists or the disk refuses.
    """
    run = RunDir(runs_dir / check_name(manifest.run))
    if run.manifest_path.exists():
        raise StoreError(f"A run named {run.name} exists already in {runs_dir}. Choose another --name.")
    try:
        run.path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"Cannot make {run.path}: {error.strerror or error}.") from error
    write_samples(run.samples_path, samples)
    manifest.save(run.manifest_path)
    return run


@contextmanager
def beginning(runs_dir: Path) -> Iterator[None]:
    """Be the only process that looks which runs there are and makes a new one.

    Without it the same command given twice at once would make two runs, and pay for both. Raises StoreError
    when the directory cannot be written, or somebody else takes very long.
    """
    lock = FileLock(runs_dir / ".lock")
    try:
        runs_dir.mkdir(parents=True, exist_ok=True)
        got = lock.acquire(_BEGIN_WAIT_S)
    except OSError as error:
        raise StoreError(
            f"Cannot write to {runs_dir}: {error.strerror or error}. Make the directory writable; nothing "
            "was sent."
        ) from error
    if not got:
        raise StoreError(f"Another vlbench is beginning a run in {runs_dir}. Try again when it is done.")
    try:
        yield
    finally:
        lock.release()


def list_runs(runs_dir: Path) -> tuple[RunDir, ...]:
    """Every run of `runs_dir`, the one that was last written to first."""
    try:
        names = os.listdir(runs_dir)
    except OSError:
        return ()
    # Names that vlbench would not give are not ours to open or to print.
    runs = [RunDir(runs_dir / name) for name in names if _NAME.fullmatch(name)]
    dated = [(when, run.name, run) for run in runs if (when := _last_written(run)) is not None]
    return tuple(run for _, _, run in sorted(dated, key=lambda item: item[:2], reverse=True))


def find(runs_dir: Path, name: str | None = None) -> RunDir:
    """The run of that name, or the only one whose name begins so; the last one written to for None.

    A path to a run directory is taken as well. Raises StoreError when there is none or several.
    """
    runs = list_runs(runs_dir)
    if name is None:
        if not runs:
            raise StoreError(f"There is no run in {runs_dir} yet. Start one with: vlbench run")
        return runs[0]
    if os.sep in name:
        run = RunDir(Path(name).resolve())
        if run.manifest_path.is_file():
            return run
        raise StoreError(f"{name!r} is not a run directory: it has no manifest.json.")
    exact = [run for run in runs if run.name == name]
    begun = exact or [run for run in runs if run.name.startswith(name)]
    if len(begun) == 1:
        return begun[0]
    if begun:
        some = ", ".join(run.name for run in begun[:5])
        raise StoreError(f"{name!r} begins the names of {len(begun)} runs ({some}). Give more of the name.")
    raise StoreError(f"There is no run {name!r} in {runs_dir}. See them with: vlbench runs")


def continuable(runs_dir: Path, manifest: Manifest) -> RunDir | None:
    """The run last written to that `manifest` continues, unreadable ones passed over; None without one."""
    for run in list_runs(runs_dir):
        try:
            if manifest.extends(run.manifest()):
                return run
        except StoreError:
            continue
    return None


def _last_written(run: RunDir) -> float | None:
    try:
        when = run.manifest_path.stat().st_mtime
    except OSError:
        return None
    try:
        return max(when, run.journal_path.stat().st_mtime)
    except OSError:
        return when
