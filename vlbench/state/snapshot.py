"""A run folded up to some byte of its journal, kept beside it: a journal of 500 MB then opens at once.

The snapshot is a convenience and never the truth. It is used only while the journal still holds the very
bytes it was made from; otherwise, or when anything about it is odd, it is as if there were none. The layout
is a line with the SHA-256 of all that follows, a line of JSON, and the arrays it announces.
"""

from __future__ import annotations

import hashlib
import os
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final, get_type_hints

import orjson
from pydantic import TypeAdapter, ValidationError

import vlbench
from vlbench.errors import StoreError
from vlbench.state.fold import RowKey, RunState
from vlbench.state.places import Places
from vlbench.state.rows import Row
from vlbench.store.atomic import write_atomically
from vlbench.store.ordinary import open_ordinary
from vlbench.store.samples import SampleIndex

SNAPSHOT_VERSION: Final = 2
NAME: Final = "view.snapshot"

_TAIL: Final = 1 << 16
_APART: Final = frozenset({"samples", "reader", "rows"})
"""Fields of a state that are not written as JSON: opened anew, never set by a view, written row by row."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A folded run and the offset in its journal up to which it was folded."""

    state: RunState
    places: Places
    offset: int


def save(path: Path, journal: Path, snapshot: Snapshot) -> None:
    """Write `snapshot` of `journal` to `path`, whole or not at all. StoreError when the disk refuses."""
    write_atomically(path, packed(journal, snapshot))


def packed(journal: Path, snapshot: Snapshot) -> list[bytes]:
    """The parts of the file. Copies everything, so that the state may go on changing. StoreError."""
    blobs: list[bytes] = []
    header = {
        "version": SNAPSHOT_VERSION,
        "vlbench": vlbench.__version__,
        "offset": snapshot.offset,
        "tail": _fingerprint(journal, snapshot.offset),
        "samples": len(snapshot.state.samples),
        "samples_sha256": _samples_hash(snapshot.state.samples, len(snapshot.state.samples)),
        "state": {
            name: adapter.dump_python(getattr(snapshot.state, name), mode="json")
            for name, adapter in _plain_fields(RunState).items()
        },
        "rows": [_pack_row(row, snapshot.places.rows.get(key, []), blobs)
                 for key, row in snapshot.state.rows.items()],
    }  # fmt: skip
    body = [orjson.dumps(header, option=orjson.OPT_NON_STR_KEYS), b"\n", *blobs]
    digest = hashlib.sha256()
    for part in body:
        digest.update(part)
    return [digest.hexdigest().encode() + b"\n", *body]


def load(path: Path, journal: Path, samples: SampleIndex) -> Snapshot | None:
    """The snapshot at `path` when it still fits the journal and the samples; None when it does not."""
    try:
        with open_ordinary(path) as file:
            data = file.read()
        first, _, body = data.partition(b"\n")
        if hashlib.sha256(body).hexdigest().encode() != first:
            return None
        end = body.index(b"\n")
        header = orjson.loads(body[:end])
        if not _still_fits(header, journal, samples):
            return None
        state = RunState(samples)
        for name, adapter in _plain_fields(RunState).items():
            setattr(state, name, adapter.validate_json(orjson.dumps(header["state"][name])))
        places, blobs = Places(), _Blobs(memoryview(body)[end + 1 :])
        for packed_row in header["rows"]:
            row, offsets = _unpack_row(packed_row, blobs)
            key: RowKey = (row.variant, row.condition.id)
            state.rows[key], places.rows[key] = row, offsets
        return Snapshot(state, places, int(header["offset"]))
    except (OSError, StoreError, ValueError, KeyError, TypeError, ValidationError):
        return None


def _still_fits(header: dict[str, Any], journal: Path, samples: SampleIndex) -> bool:  # Any: JSON
    return bool(
        header["version"] == SNAPSHOT_VERSION
        and header["vlbench"] == vlbench.__version__
        and header["samples"] <= len(samples)
        and header["samples_sha256"] == _samples_hash(samples, header["samples"])
        and header["tail"] == _fingerprint(journal, header["offset"])
    )


def _fingerprint(journal: Path, offset: int) -> str:
    """A hash of the last bytes before `offset`: a journal is only ever appended to."""
    start = max(0, offset - _TAIL)
    try:
        with open_ordinary(journal) as file:
            file.seek(start)
            tail = file.read(offset - start)
    except OSError as error:
        raise StoreError(f"Cannot read {journal}: {error.strerror or error}.") from error
    if len(tail) < offset - start:
        raise StoreError(f"{journal} is shorter than it was.")
    return hashlib.sha256(tail).hexdigest()


def _samples_hash(samples: SampleIndex, count: int) -> str:
    digest = hashlib.sha256()
    digest.update("\0".join(samples.ids[:count]).encode(errors="surrogatepass"))
    digest.update("\0".join(samples.golds[:count]).encode(errors="surrogatepass"))
    digest.update(repr(sorted(samples.problems)).encode())
    return digest.hexdigest()


# A new field of the state or of a row comes into the snapshot by itself: what is written follows the types.
@cache
def _plain_fields(kind: type[RunState] | type[Row]) -> dict[str, TypeAdapter[Any]]:  # Any: one per field
    """The fields that are written as JSON, each with what checks it when it is read."""
    return {
        name: TypeAdapter(hint)
        for name, hint in get_type_hints(kind).items()
        if not name.startswith("_") and name not in _APART and hint != list[bytearray]
    }


@cache
def _array_fields() -> tuple[str, ...]:
    return tuple(name for name, hint in get_type_hints(Row).items() if hint == list[bytearray])


def _pack_row(row: Row, offsets: list[array[int]], blobs: list[bytes]) -> dict[str, object]:
    sizes: dict[str, list[int]] = {}
    for name in _array_fields():
        arrays = getattr(row, name)
        sizes[name] = [len(one) for one in arrays]
        blobs.extend(map(bytes, arrays))
    sizes["places"] = [8 * len(one) for one in offsets]
    blobs.extend(one.tobytes() for one in offsets)
    plain = {name: adapter.dump_python(getattr(row, name), mode="json")
             for name, adapter in _plain_fields(Row).items()}  # fmt: skip
    return {"plain": plain, "sizes": sizes}


def _unpack_row(packed: dict[str, Any], blobs: _Blobs) -> tuple[Row, list[array[int]]]:  # Any: JSON
    values: dict[str, Any] = {  # Any: one type per field
        name: adapter.validate_json(orjson.dumps(packed["plain"][name]))
        for name, adapter in _plain_fields(Row).items()
    }
    arrays = {name: [bytearray(one) for one in blobs.take(packed["sizes"][name])] for name in _array_fields()}
    lengths = [len(one) for one in arrays["codes"]]
    if any([len(one) for one in same] != lengths for same in arrays.values()):
        raise ValueError("arrays of one row differ in length")
    offsets = [array("Q", bytes(one)) for one in blobs.take(packed["sizes"]["places"])]
    values.update(arrays)
    return Row(**values), offsets


class _Blobs:
    """What follows the header, taken off the front."""

    def __init__(self, data: memoryview) -> None:
        self._data = data

    def take(self, sizes: list[int]) -> Iterator[memoryview]:
        for size in sizes:
            if not 0 <= size <= len(self._data):
                raise ValueError("the snapshot is shorter than it says")
            part, self._data = self._data[:size], self._data[size:]
            yield part


def size_of(path: Path) -> int:
    """The size of a file in bytes; 0 for one that is not there (yet)."""
    try:
        return os.stat(path).st_size
    except OSError:
        return 0
