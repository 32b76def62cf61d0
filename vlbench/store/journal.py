"""The journal of a run: one JSON object a line, appended at once, never changed. It is the truth of a run."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Final, NamedTuple, Self

import orjson
from pydantic import JsonValue

from vlbench.errors import StoreError
from vlbench.store.canonical import json_bytes
from vlbench.store.ordinary import open_ordinary, ordinary_descriptor

JOURNAL_VERSION: Final = 1

_STAMPS: Final = frozenset({"v", "seq", "time"})
_BLOCK: Final = 1 << 16
_READ_BUFFER: Final = 1 << 20

Event = dict[str, JsonValue]


class JournalDamaged(StoreError):
    """A line in the middle of a journal is no event. `vlbench.store.mending` sets such lines aside."""


class JournalLine(NamedTuple):
    """One event, and the offset in bytes where the next line starts."""

    event: Event
    offset_after: int


class Stamp(NamedTuple):
    """What the journal adds to an event: its number, and when it was written (epoch s)."""

    seq: int
    time: float


class Journal:
    """Appends events to one file. A run has one writer (see `RunDir.lock`); readers need no lock.

    Opening an existing journal repairs its end: a last line cut by a kill is taken off, a last line that only
    lacks its line break gets one. Complete lines are never touched, and the sequence goes on.
    """

    def __init__(self, path: Path, clock: Callable[[], float] = time.time) -> None:
        self.path = path
        self._clock = clock
        try:
            self._file = ordinary_descriptor(path, os.O_RDWR | os.O_CREAT | os.O_APPEND)
        except OSError as error:
            raise StoreError(_unwritable(path, error)) from error
        try:
            self._seq = _repair(path, self._file)
        except OSError as error:
            os.close(self._file)
            raise StoreError(_unwritable(path, error)) from error
        except BaseException:
            os.close(self._file)
            raise

    @property
    def seq(self) -> int:
        """The number of the last line written; 0 for an empty journal."""
        return self._seq

    def append(self, event: Mapping[str, object]) -> Event:
        """Write `event` as one line now; return it as written, stamped with `v`, `seq` and `time` (epoch s).

        When this returns, a kill of the process loses nothing. Raises StoreError when the disk takes no
        more (a part that was written is taken back, so the journal stays whole), ValueError for an event
        that brings its own stamps.
        """
        if not _STAMPS.isdisjoint(event):
            raise ValueError(f"an event must not bring {sorted(_STAMPS)}")
        stamped: Event = {"v": JOURNAL_VERSION, "seq": self._seq + 1, "time": self._clock(), **event}  # type: ignore[dict-item]  # json_bytes refuses what is not JSON
        self._write(json_bytes(stamped) + b"\n")
        return stamped

    def append_json(self, event: bytes) -> Stamp:
        """`append` for an event that is a JSON object already, not empty and without stamps; its stamp."""
        stamp = Stamp(self._seq + 1, self._clock())
        head = b'{"v":%d,"seq":%d,"time":%s,' % (JOURNAL_VERSION, stamp.seq, json_bytes(stamp.time))
        self._write(head + event[1:] + b"\n")
        return stamp

    def _write(self, line: bytes) -> None:
        try:
            written = os.write(self._file, line)
            if written < len(line):
                self._write_rest(line, written)
        except OSError as error:
            raise StoreError(_unwritable(self.path, error)) from error
        self._seq += 1

    def _write_rest(self, line: bytes, written: int) -> None:
        start = os.fstat(self._file).st_size - written
        try:
            while written < len(line):
                written += os.write(self._file, line[written:])
        except OSError:
            os.ftruncate(self._file, start)
            raise

    def close(self) -> None:
        """Sync and close. A disk that fails only now raises StoreError."""
        if self._file < 0:
            return
        file, self._file = self._file, -1
        try:
            os.fsync(file)
        except OSError as error:
            raise StoreError(_unwritable(self.path, error)) from error
        finally:
            os.close(file)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def read(path: Path, offset: int = 0, *, skip_damaged: bool = False) -> Iterator[JournalLine]:
    """The events from `offset` (0 or an `offset_after`) on, in the order they were written.

    A last line that is still being written, or was cut by a kill, is not yielded. Damage elsewhere raises
    JournalDamaged naming file and line; with `skip_damaged` such lines are passed over. A line of a newer
    vlbench raises StoreError. A journal that does not exist yet is empty.
    """
    end = offset
    for line in _lines(path, offset):
        start, end = end, end + len(line)
        event = parse_line(line)
        if event is not None and event.get("v") == JOURNAL_VERSION:
            yield JournalLine(event, end)
        elif line.isspace() or not line.endswith(b"\n") or skip_damaged:
            continue
        else:
            raise damage_at(path, start, event)


def _lines(path: Path, offset: int) -> Iterator[bytes]:
    try:
        with open_ordinary(path, buffering=_READ_BUFFER) as file:
            file.seek(offset)
            yield from file
    except FileNotFoundError:
        return
    except OSError as error:
        raise StoreError(f"Cannot read {path}: {error.strerror or error}.") from error


def parse_line(line: bytes) -> Event | None:
    """The JSON object that is one line; None when there is none."""
    try:
        event = orjson.loads(line)
    except orjson.JSONDecodeError:
        return None
    return event if isinstance(event, dict) else None


def _repair(path: Path, file: int) -> int:
    """Make the file end with a complete line and return that line's sequence number; 0 when there is none."""
    size = os.fstat(file).st_size
    start = _last_break(file, size)
    tail = os.pread(file, size - start, start)
    if tail and parse_line(tail) is not None:
        # Only its line break was cut off: a prefix of a JSON object is never one itself.
        os.write(file, b"\n")
        size += 1
    elif tail:
        os.ftruncate(file, start)
        size = start
    return _last_seq(path, file, size)


def _last_seq(path: Path, file: int, size: int) -> int:
    end = size
    while end > 0:
        start = _last_break(file, end - 1)
        line = os.pread(file, end - start, start)
        event = parse_line(line)
        seq = event.get("seq") if event is not None else None
        if isinstance(seq, int) and event is not None and event.get("v") == JOURNAL_VERSION:
            return seq
        if not line.isspace():
            raise damage_at(path, start, event)
        end = start
    return 0


def _last_break(file: int, end: int) -> int:
    """The offset just after the last line break before `end`; 0 when there is none."""
    while end > 0:
        start = max(0, end - _BLOCK)
        found = os.pread(file, end - start, start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        end = start
    return 0


def damage_at(path: Path, start: int, event: Event | None) -> StoreError:
    """The error for the line that begins at `start`, where `event` (None: no JSON object) stands."""
    with open(path, "rb") as file:
        number = 1
        while start > 0 and (block := file.read(min(start, _BLOCK))):
            number += block.count(b"\n")
            start -= len(block)
    if event is not None and is_newer(event):
        return StoreError(
            f"{path}, line {number}: written by a newer vlbench (journal version {event['v']}). "
            "Update vlbench."
        )
    return JournalDamaged(
        f"{path}, line {number} is damaged: it is not an event of a run. Go on with "
        f"`vlbench resume {path.parent.name}`, which sets the line aside (a reply in it comes from the "
        "cache, or is asked for again), or start the run anew with --fresh."
    )


def is_newer(event: Event) -> bool:
    """Whether a later version of vlbench wrote this."""
    return isinstance(version := event.get("v"), int) and version > JOURNAL_VERSION


def _unwritable(path: Path, error: OSError) -> str:
    return (
        f"Cannot write the journal {path}: {error.strerror or error}. Nothing more is sent, because "
        "replies could not be kept. Free some space or mend the directory, then resume the run."
    )
