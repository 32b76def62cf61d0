"""Replies that were paid for once, by the hash of their request."""

from __future__ import annotations

import hashlib
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, Protocol

from pydantic import JsonValue, ValidationError

from vlbench.errors import StoreError
from vlbench.store.canonical import json_bytes
from vlbench.types import Record, Reply

if TYPE_CHECKING:
    from diskcache import Cache

DAMAGED_MARK: Final = "damaged"
"""The file that tells the next opening that the database was found damaged while it was in use."""

_BATCH: Final = 128
# A commit costs as much as several rows. A kill in between loses no reply: the journal has it.
_CROWDED: Final = 1024
_LINGER_S: Final = 0.05
_LOCKED_TRIES: Final = 5
_SEAL_BYTES: Final = 16


class CachedReply(Record):
    """A reply with what its key was made of, when it came (epoch s) and how long the request took."""

    schema_version: Literal[1] = 1
    ingredients: dict[str, JsonValue]
    reply: Reply
    created: float
    latency_s: float


class StoredReplies(Protocol):
    """A cache that is only looked into."""

    def get(self, key: str) -> CachedReply | None:
        """The stored reply; None when there is none that can be trusted. Fast enough to be called inline."""

    def keys(self) -> Iterator[str]:
        """Every key on disk, oldest first."""


class ResponseCache(StoredReplies, Protocol):
    """What the engine and the commands ask of a cache. Nothing here raises because of a disk."""

    def put(self, key: str, entry: CachedReply) -> None:
        """Keep `entry`: `get` sees it at once, the disk soon after."""

    def flush(self) -> None:
        """Wait until everything put so far is on disk or given up."""

    def close(self) -> None:
        """Flush, stop writing and close the file."""

    def clear(self) -> int:
        """Remove every entry; how many there were."""

    def __len__(self) -> int: ...

    def size_bytes(self) -> int:
        """Bytes on disk."""


class DiskCache:
    """A `ResponseCache` in one SQLite file: read inline, written in batches by a thread of its own.

    Several processes may use one directory. When the disk fails (full, taken away, damaged, locked for long)
    the cache turns itself off, says so once through `on_warning` (called from any thread), and from then on
    finds and keeps nothing: the run goes on, its journal is not affected. Made by `open_cache`.
    """

    def __init__(self, store: Cache, directory: Path, on_warning: Callable[[str], None]) -> None:
        self.directory = directory
        self._store = store
        self._on_warning = on_warning
        self._changed = threading.Condition()
        self._pending: dict[str, CachedReply] = {}
        self._off = False
        self._hurried = False
        self._closing = False
        self._is_idle = False
        self._writer = threading.Thread(target=self._write_all, name="vlbench-cache", daemon=True)
        self._writer.start()

    @property
    def is_off(self) -> bool:
        """Whether the cache gave up."""
        return self._off

    def get(self, key: str) -> CachedReply | None:
        if (waiting := self._pending.get(key)) is not None:
            return waiting
        if self._off:
            return None
        try:
            value = self._store.get(key)
        except (sqlite3.Error, OSError) as error:
            self._turn_off(error)
            return None
        return entry_in(value)

    def put(self, key: str, entry: CachedReply) -> None:
        with self._changed:
            if not self._off and not self._closing:
                self._pending[key] = entry
                # Waking the writer for each entry would cost more than writing it.
                if self._is_idle or len(self._pending) == _BATCH:
                    self._changed.notify_all()
                if len(self._pending) >= _CROWDED:
                    # Replies come faster than they are written, which a busy caller makes worse: the writer
                    # needs the interpreter too. It gets it while this waits for one batch.
                    self._changed.wait(_LINGER_S)

    def flush(self) -> None:
        with self._changed:
            self._hurried = True
            self._changed.notify_all()
            self._changed.wait_for(lambda: not self._pending or not self._writer.is_alive())
            self._hurried = False

    def close(self) -> None:
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        self._writer.join()
        with suppress(sqlite3.Error):
            self._store.close()

    def keys(self) -> Iterator[str]:
        self.flush()
        if self._off:
            return
        try:
            # A key that reads as empty was refused by StrictDisk.
            yield from filter(None, self._store)
        except (sqlite3.Error, OSError) as error:
            self._turn_off(error)

    def clear(self) -> int:
        from diskcache import Timeout

        self.flush()
        try:
            return int(self._store.clear())
        except (sqlite3.Error, OSError, Timeout) as error:
            raise StoreError(
                f"Cannot clear the cache in {self.directory}: {error or 'it is in use'}. "
                "Try again when no run is writing to it."
            ) from error

    def __len__(self) -> int:
        return sum(1 for _ in self.keys())

    def size_bytes(self) -> int:
        total = 0
        for suffix in ("", "-wal", "-shm"):
            with suppress(OSError):
                total += (self.directory / f"cache.db{suffix}").stat().st_size
        return total

    def _write_all(self) -> None:
        while batch := self._next_batch():
            error = self._write(batch)
            with self._changed:
                if error is None:
                    for key, entry in batch.items():
                        # Put again meanwhile: that one has still to be written.
                        if self._pending.get(key) is entry:
                            del self._pending[key]
                self._changed.notify_all()
            if error is not None:
                self._turn_off(error)
        with suppress(sqlite3.Error):
            self._store.close()

    def _next_batch(self) -> dict[str, CachedReply]:
        """The next entries to write; empty when there is nothing more to do."""
        with self._changed:
            self._is_idle = True
            self._changed.wait_for(lambda: self._pending or self._closing or self._off)
            self._is_idle = False
            if not self._closing and not self._off:
                self._changed.wait_for(self._is_due, timeout=_LINGER_S)
            return dict(islice(self._pending.items(), _BATCH))

    def _is_due(self) -> bool:
        return len(self._pending) >= _BATCH or self._hurried or self._closing or self._off

    def _write(self, batch: dict[str, CachedReply]) -> Exception | None:
        """Write one batch in one transaction. What kept it from being written, if anything did."""
        from diskcache import Timeout

        values = {key: _sealed(json_bytes(entry.model_dump())) for key, entry in batch.items()}
        for _ in range(_LOCKED_TRIES):
            try:
                with self._store.transact():
                    for key, value in values.items():
                        self._store.set(key, value)
            except Timeout:
                # Another process writes; each try has waited as long as the connection allows.
                continue
            except (sqlite3.Error, OSError) as error:
                return error
            return None
        return TimeoutError("another process keeps it locked")

    def _turn_off(self, error: Exception) -> None:
        with self._changed:
            if self._off:
                return
            self._off = True
            self._pending.clear()
            self._changed.notify_all()
        # The exact class: its subclasses stand for full disks, locks and wrong use, which harm no file.
        damaged = type(error) is sqlite3.DatabaseError
        if damaged:
            with suppress(OSError):
                (self.directory / DAMAGED_MARK).touch()
        step = "The file is moved aside next time." if damaged else "Free some space or use --cache-dir."
        self._on_warning(
            f"The cache in {self.directory} is off for the rest of this run: {error}. The run goes on and "
            "loses nothing (its journal keeps every reply), but later runs cannot use these replies. " + step
        )


def entry_in(stored: object) -> CachedReply | None:
    """The entry in a value of the database; None when it is not what was written."""
    if not isinstance(stored, bytes) or (intact := _unsealed(stored)) is None:
        return None
    try:
        return CachedReply.model_validate_json(intact)
    except ValidationError:
        return None


def _sealed(value: bytes) -> bytes:
    """`value` behind its own hash: SQLite does not notice a byte that turned over inside a reply."""
    return _seal(value) + value


def _unsealed(stored: bytes) -> bytes | None:
    """The value that was sealed; None when it is not what was written."""
    if stored.startswith(b"{"):
        return stored  # written before values were sealed
    value = stored[_SEAL_BYTES:]
    return value if stored[:_SEAL_BYTES] == _seal(value) else None


def _seal(value: bytes) -> bytes:
    # Never a brace in front, which is how values without a seal begin.
    return b"#" + hashlib.sha256(value).digest()[: _SEAL_BYTES - 1]
