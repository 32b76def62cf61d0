"""The samples of a run on disk, with only their light facts in memory."""

from __future__ import annotations

import os
from array import array
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

import orjson
from pydantic import ValidationError

from vlbench.errors import StoreError
from vlbench.store.atomic import write_atomically
from vlbench.store.canonical import json_bytes
from vlbench.store.ordinary import ordinary_descriptor
from vlbench.types import Sample


def write_samples(path: Path, samples: Iterable[Sample]) -> None:
    """Write `samples`, one JSON line each, in the order of the run; all of them or none.

    Raises StoreError when the file cannot be written.
    """
    write_atomically(path, map(_line, samples))


def append_samples(path: Path, samples: Iterable[Sample]) -> int:
    """Add the samples whose ids are not there yet, after the others, and return how many those were.

    An extension that was killed can so be done again: a cut last line is taken off, whole ones are not
    repeated. Raises StoreError when the file cannot be read or written.
    """
    with SampleIndex.open(path) as index:
        known, end = set(index.ids), index.end
    fresh = [sample for sample in samples if sample.id not in known]
    try:
        with open(path, "r+b") as file:
            file.truncate(end)
            file.seek(end)
            file.writelines(map(_line, fresh))
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise StoreError(f"Cannot add samples to {path}: {error.strerror or error}.") from error
    return len(fresh)


class SampleIndex:
    """What scoring and views need of every sample, and where the rest of it stands.

    The sequences are parallel, by ordinal. `option_counts` are numbers of options; `groups` hold the
    sample's own id where it shares no pictures; `roles`, `null_labels` and `sources` hold "" where a sample
    has none; `problems` maps the ordinals of broken rows to what is
    wrong with them; `starts` are byte offsets, `end` is the offset after the last complete line.
    """

    def __init__(self, path: Path, descriptor: int) -> None:
        self.path = path
        self.ids: list[str] = []
        self.golds: list[str] = []
        self.categories: list[tuple[str, ...]] = []
        self.groups: list[str] = []
        self.roles: list[str] = []
        self.null_labels: list[str] = []
        self.sources: list[str] = []
        self.option_counts = array("L")
        self.problems: dict[int, str] = {}
        self.starts = array("Q")
        self.end = 0
        self._descriptor = descriptor

    @classmethod
    def open(cls, path: Path) -> SampleIndex:
        """Read the facts of every complete line; a last line cut by a kill is left out.

        Raises StoreError naming file and line when a line is no sample or an id appears twice.
        """
        try:
            index = cls(path, ordinary_descriptor(path, os.O_RDONLY))
        except OSError as error:
            raise StoreError(
                f"Cannot read the samples of the run, {path}: {error.strerror or error}. "
                "Start it anew with --fresh."
            ) from error
        try:
            index._read()
        except BaseException:
            index.close()
            raise
        return index

    def _read(self) -> None:
        seen: set[str] = set()
        # A few texts stand in very many rows: each is kept once.
        texts: dict[str, str] = {}
        levels: dict[tuple[str, ...], tuple[str, ...]] = {}
        with open(self._descriptor, "rb", buffering=1 << 20, closefd=False) as file:
            for number, line in enumerate(file, start=1):
                if not line.endswith(b"\n"):
                    break
                try:
                    facts = _facts(line)
                except (orjson.JSONDecodeError, KeyError, TypeError) as error:
                    raise StoreError(_broken(self.path, number)) from error
                if facts.id in seen:
                    raise StoreError(f"{self.path}, line {number}: the sample {facts.id!r} is there twice.")
                seen.add(facts.id)
                if facts.problem is not None:
                    self.problems[len(self.ids)] = facts.problem
                self.ids.append(facts.id)
                self.golds.append(texts.setdefault(facts.gold, facts.gold))
                self.categories.append(levels.setdefault(facts.categories, facts.categories))
                group = facts.group
                self.groups.append(facts.id if group in ("", facts.id) else texts.setdefault(group, group))
                self.roles.append(texts.setdefault(facts.role, facts.role))
                self.null_labels.append(texts.setdefault(facts.null_label, facts.null_label))
                self.sources.append(texts.setdefault(facts.source, facts.source))
                self.option_counts.append(facts.options)
                self.starts.append(self.end)
                self.end += len(line)

    def __len__(self) -> int:
        return len(self.ids)

    def get(self, ordinal: int) -> Sample:
        """The whole sample, read from its line (safe from any thread).

        Raises IndexError for an ordinal the run does not have, StoreError when the line is no sample any
        more.
        """
        if not 0 <= ordinal < len(self.ids):
            raise IndexError(ordinal)
        start = self.starts[ordinal]
        stop = self.starts[ordinal + 1] if ordinal + 1 < len(self.starts) else self.end
        try:
            return Sample.model_validate_json(os.pread(self._descriptor, stop - start, start))
        except (ValidationError, OSError) as error:
            raise StoreError(_broken(self.path, ordinal + 1)) from error

    def samples(self) -> Iterator[Sample]:
        """Every sample in order, one at a time."""
        return map(self.get, range(len(self.ids)))

    def close(self) -> None:
        """Close the file; `get` no longer works."""
        os.close(self._descriptor)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class _Facts(NamedTuple):
    id: str
    gold: str
    group: str
    role: str
    null_label: str
    source: str
    categories: tuple[str, ...]
    problem: str | None
    options: int


def _facts(line: bytes) -> _Facts:
    """Read one line without checking more of it than is kept: `get` checks the whole sample."""
    row = orjson.loads(line)
    if not isinstance(row, dict):
        raise TypeError
    # Runs of the first version have neither role nor label of nothing.
    role, null_label = row.get("role", ""), row.get("null_label", "")
    named = (row["id"], row["gold"], row["group"], role, null_label, row["source"])
    if not all(isinstance(text, str) for text in (*named, *row["categories"], row["problem"] or "")):
        raise TypeError
    return _Facts(*named, tuple(row["categories"]), row["problem"], len(row["options"]))


def _line(sample: Sample) -> bytes:
    return json_bytes(sample.model_dump()) + b"\n"


def _broken(path: Path, number: int) -> str:
    return f"{path}, line {number} is no sample: the file was changed. Start the run anew with --fresh."
