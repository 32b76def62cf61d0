"""A run followed from outside while it goes on: what `watch` looks at. Reads only, and never waits."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Final, Literal, Self

import orjson

from vlbench.errors import StoreError
from vlbench.state.events import AnyEvent, parse_event
from vlbench.state.fold import RunState
from vlbench.state.places import Places
from vlbench.state.replay import Intake
from vlbench.state.snapshot import NAME, Snapshot, load, packed, size_of
from vlbench.store import journal
from vlbench.store.atomic import write_atomically
from vlbench.store.ordinary import ordinary_descriptor
from vlbench.store.run_dir import RunDir
from vlbench.store.samples import SampleIndex

Standing = Literal["starting", "running", "ended", "dead"]
"""Not begun; somebody works on it; came to its end; its process is gone without having ended it."""

LINES_PER_LOOK: Final = 32
WORTH_SAVING: Final = 16 << 20
"""Bytes of journal that take long enough to read (about a third of a second) to keep the result."""

_BLOCK: Final = 1 << 16
_LONGEST_LINE: Final = 1 << 28


class LiveRun:
    """One run folded as far as its journal has been read; `poll` goes on from there.

    `offset` is the byte up to which it was read. Use it from one thread at a time; `event_at` and
    `state.samples.get` may be called from any.
    """

    def __init__(self, directory: RunDir, samples: SampleIndex, snapshot: Snapshot | None) -> None:
        self.directory = directory
        self.manifest = directory.manifest()
        self._intake = (
            Intake(snapshot.state, snapshot.places) if snapshot else Intake(RunState(samples), Places())
        )
        self.offset = snapshot.offset if snapshot else 0
        self._saved = self.offset
        # Readers in other threads may still hold an earlier one, so all are closed at the end.
        self._indexes = [samples]
        self._file = -1

    @classmethod
    def open(cls, directory: RunDir) -> Self:
        """Begin to follow the run, from its snapshot where there is a good one. The journal is not read yet.

        Raises StoreError when the manifest or the samples cannot be used.
        """
        samples = SampleIndex.open(directory.samples_path)
        try:
            return cls(directory, samples, load(directory.path / NAME, directory.journal_path, samples))
        except BaseException:
            samples.close()
            raise

    @property
    def state(self) -> RunState:
        return self._intake.state

    @property
    def places(self) -> Places:
        return self._intake.places

    @property
    def snapshot_path(self) -> Path:
        return self.directory.path / NAME

    @property
    def unread(self) -> int:
        """Bytes of the journal that were not read yet."""
        return max(0, size_of(self.directory.journal_path) - self.offset)

    def poll(self, seconds: float = 0.01, clock: Callable[[], float] = time.monotonic) -> bool:
        """Read on for about `seconds`. True when more lines wait.

        A journal that became shorter, because another one was put in its place, is read anew. Raises
        StoreError naming file and line when it is damaged.
        """
        path, stop = self.directory.journal_path, clock() + seconds
        if size_of(path) < self.offset:
            self._begin_anew()
        take_plain = self._intake.take_plain
        for number, (event, offset_after) in enumerate(journal.read(path, self.offset), start=1):
            if not take_plain(event, self.offset):
                self._take(event)
            self.offset = offset_after
            if number % LINES_PER_LOOK == 0 and clock() >= stop:
                return True
        return False

    def _take(self, event: journal.Event) -> None:
        kind = event.get("event")
        if kind == "run_started":
            self._meet(event)
        elif kind == "control":
            self.manifest = self.directory.manifest()
        self._intake.take(event, self.offset)

    def _meet(self, started: journal.Event) -> None:
        """Take up what was added to the run before it was started again."""
        self.manifest = self.directory.manifest()
        samples = started.get("samples")
        if isinstance(samples, int) and samples > len(self.state.samples):
            self._indexes.append(SampleIndex.open(self.directory.samples_path))
            self.state.adopt(self._indexes[-1])

    def _begin_anew(self) -> None:
        self._indexes.append(SampleIndex.open(self.directory.samples_path))
        self._intake = Intake(RunState(self._indexes[-1]), Places())
        self.offset = self._saved = 0
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def standing(self) -> Standing:
        """How the run stands, as far as it was read; asks the lock whether its process lives."""
        if self.state.ended is not None:
            return "ended"
        if self.directory.alive() is not None:
            return "running"
        return "starting" if self.state.started is None else "dead"

    def event_at(self, offset: int) -> AnyEvent:
        """The event whose line begins at `offset`. Raises StoreError when there is none."""
        try:
            if self._file < 0:
                self._file = ordinary_descriptor(self.directory.journal_path, os.O_RDONLY)
            return parse_event(orjson.loads(_line_at(self._file, offset)))
        except (OSError, orjson.JSONDecodeError) as error:
            path = self.directory.journal_path
            raise StoreError(f"{path} holds no event at byte {offset}; the file was changed.") from error

    def worth_saving(self) -> bool:
        """Whether so much was read since the last snapshot that reading it again would be felt."""
        return self.offset - self._saved >= WORTH_SAVING

    def pack(self) -> list[bytes]:
        """The snapshot of this moment, for `write_snapshot` in a thread. Raises StoreError."""
        self._saved = self.offset
        return packed(self.directory.journal_path, Snapshot(self.state, self.places, self.offset))

    def write_snapshot(self, parts: list[bytes]) -> bool:
        """Keep a packed snapshot beside the journal. False where that is not allowed: it is not needed."""
        try:
            write_atomically(self.snapshot_path, parts)
        except StoreError:
            return False
        return True

    def close(self) -> None:
        """Close all files."""
        for index in self._indexes:
            index.close()
        self._indexes.clear()
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _line_at(file: int, offset: int) -> bytes:
    parts: list[bytes] = []
    size = 0
    while size < _LONGEST_LINE:
        block = os.pread(file, _BLOCK, offset + size)
        head, found, _ = block.partition(b"\n")
        parts.append(head)
        size += len(head)
        if found or not block:
            break
    return b"".join(parts)
