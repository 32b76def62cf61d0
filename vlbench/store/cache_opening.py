"""Opening the cache: where it may lie, one process at a time, and what to do with a damaged one."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from vlbench.errors import StoreError
from vlbench.store.cache import DAMAGED_MARK, DiskCache
from vlbench.store.file_lock import FileLock
from vlbench.store.file_system import local_directory, network_kind

if TYPE_CHECKING:
    from diskcache import Cache

_FOLDER: Final = "replies"
_DATABASE: Final = "cache.db"
_OPENING_WAIT_S: Final = 30.0
_LOCKED_WAIT_S: Final = 10.0
# Also the longest a look-up can hold up the event loop, should somebody lock readers out.
_BUSY_S: Final = 2.0
_SETTINGS: Final = {
    # A paid reply is never thrown away by itself: diskcache's default drops the oldest above 1 GiB.
    "eviction_policy": "none",
    "cull_limit": 0,
    "size_limit": 2**62,
    "statistics": 0,
    "tag_index": 0,
    # Each key is looked up once, so that pages kept (4 KiB each, for each of two connections) help nobody.
    "sqlite_cache_size": 512,
    "sqlite_mmap_size": 0,
}


@dataclass(frozen=True, slots=True)
class OpenedCache:
    """A cache ready for use, and what the user should know about how it was opened."""

    cache: DiskCache
    warnings: tuple[str, ...]


def open_cache(directory: Path, *, on_warning: Callable[[str], None]) -> OpenedCache:
    """Open the cache of `directory`, making it when it is not there.

    On a network file system a local directory is used instead, and a damaged database is moved aside and
    started anew; both are said in `warnings`. `on_warning` is called at most once later, when the cache has
    to give up while in use. Raises StoreError, before anything is paid for, when the directory cannot be
    written to or another program keeps the database locked.
    """
    directory, warnings = _local(directory)
    folder = directory / _FOLDER
    lock = FileLock(folder / "open.lock")
    try:
        directory.mkdir(parents=True, exist_ok=True)
        # Prompts and replies may be confidential, and whoever writes here decides what later runs read.
        folder.mkdir(mode=0o700, exist_ok=True)
        if not lock.acquire(_OPENING_WAIT_S):
            raise StoreError(_locked(folder))
    except OSError as error:
        raise StoreError(_unwritable(folder, error)) from error
    try:
        store, warning = _open_or_renew(folder)
    except (sqlite3.Error, OSError) as error:
        raise StoreError(_unwritable(folder, error)) from error
    finally:
        lock.release()
    return OpenedCache(DiskCache(store, folder, on_warning), (*warnings, *warning))


def database_in(directory: Path) -> Path:
    """The file that `open_cache` would use for `directory`; it need not exist. Raises StoreError."""
    local, _ = _local(directory)
    return local / _FOLDER / _DATABASE


def _local(directory: Path) -> tuple[Path, tuple[str, ...]]:
    kind = network_kind(directory)
    if kind is None:
        return directory, ()
    local = local_directory()
    if local is None:
        raise StoreError(
            f"The cache directory {directory} lies on a network file system ({kind}), where its database is "
            "not safe, and no local directory was found. Name one with --cache-dir."
        )
    return local, (
        f"The cache directory {directory} lies on a network file system ({kind}), where its database is not "
        f"safe: using {local} on this machine instead. Name another local directory with --cache-dir.",
    )


def _open_or_renew(folder: Path) -> tuple[Cache, tuple[str, ...]]:
    database = folder / _DATABASE
    if not os.access(folder, os.W_OK | os.X_OK) or (database.exists() and not os.access(database, os.W_OK)):
        raise PermissionError(13, "Permission denied")
    mark = folder / DAMAGED_MARK
    try:
        if mark.exists():
            raise sqlite3.DatabaseError("it was found damaged while in use")
        _check(database)
        return _open(folder), ()
    except sqlite3.OperationalError as error:
        if "locked" in str(error):
            raise StoreError(_locked(folder)) from error
        raise
    except sqlite3.DatabaseError as error:
        aside = _move_aside(database)
        mark.unlink(missing_ok=True)
        return _open(folder), (
            f"The cache {database} could not be read ({error}). It was kept as {aside.name}, and a new one "
            "begun: replies of earlier runs are asked for again unless their journals have them.",
        )


def _check(database: Path) -> None:
    """Find a locked or foreign file before diskcache does: it waits a minute and trusts what it finds."""
    from diskcache.core import DEFAULT_SETTINGS, METADATA

    if not database.exists():
        return
    with closing(sqlite3.connect(database, timeout=_LOCKED_WAIT_S, isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        tables = {
            name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        }
        if tables and not {"Settings", "Cache"} <= tables:
            raise sqlite3.DatabaseError("it is not a cache of vlbench")
        if tables:
            # diskcache sets an attribute or a pragma for every setting it finds.
            names = {name for (name,) in connection.execute("SELECT key FROM Settings")}
            if not names <= DEFAULT_SETTINGS.keys() | METADATA.keys():
                raise sqlite3.DatabaseError("it holds settings that vlbench does not write")
            connection.execute("SELECT rowid, key FROM Cache ORDER BY rowid DESC LIMIT 1").fetchall()
        connection.execute("ROLLBACK")


def _open(folder: Path) -> Cache:
    from diskcache import Cache
    from diskcache.core import DEFAULT_SETTINGS

    from vlbench.store.strict_disk import StrictDisk

    # Every setting is given, so that none is taken from the file.
    return Cache(str(folder), timeout=_BUSY_S, disk=StrictDisk, **(DEFAULT_SETTINGS | _SETTINGS))


def _move_aside(database: Path) -> Path:
    aside = database.with_name(f"{database.name}.corrupt-{time.time_ns() // 1_000_000}")
    os.replace(database, aside)
    for suffix in ("-wal", "-shm"):
        # A journal left behind would be replayed into the new database.
        with suppress(FileNotFoundError):
            os.replace(f"{database}{suffix}", f"{aside}{suffix}")
    return aside


def _locked(folder: Path) -> str:
    return (
        f"The cache in {folder} is locked by another program. Wait until it is done, or use another "
        "directory with --cache-dir."
    )


def _unwritable(folder: Path, error: Exception) -> str:
    reason = error.strerror if isinstance(error, OSError) and error.strerror else error
    return (
        f"Cannot use the cache in {folder}: {reason}. Nothing was sent. Make the directory writable, free "
        "some space, or use another one with --cache-dir."
    )
