"""Arrow files, as the data sets library saves them to disk, read row by row in place.

Such a file is not compressed, so a picture in it is a range of its bytes: it is named and not copied. pyarrow
is imported here, so this module is for the process that reads (`parquet_rows`) alone.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pyarrow
import pyarrow.ipc

FILE_MARK: Final = b"ARROW1"
STREAM_MARK: Final = b"\xff\xff\xff\xff"

_OFFSETS: Final = {"binary": "<ii", "large_binary": "<qq"}
"""Two neighbouring offsets of a column of bytes, little-endian as Arrow has them on disk."""

# pyarrow has no types of its own.
Batch = Any
Schema = Any


@dataclass(frozen=True, slots=True)
class Place:
    """A range of bytes of the file."""

    offset: int
    length: int


@dataclass(frozen=True, slots=True)
class ArrowFile:
    """An open file: its schema, its batches as a stream, and where its bytes are in memory."""

    schema: Schema
    batches: Iterator[Batch]
    base: int
    size: int

    def place(self, column: Any, row: int) -> Place | None:
        """Where the picture of one cell stands; None when it is not plain bytes of this file.

        `column` is a pyarrow array of bytes, or of structs with the field `bytes`.
        """
        if pyarrow.types.is_struct(column.type):
            if column.type.get_field_index("bytes") < 0 or _is_null(column, row):
                return None
            column = column.field("bytes")
        form = _OFFSETS.get(str(column.type))
        if form is None or _is_null(column, row):
            return None
        # Taking the value itself would read and copy it; its place is read off the offsets.
        _, offsets, data = column.buffers()
        start, end = struct.unpack_from(form, offsets, (column.offset + row) * struct.calcsize(form) // 2)
        offset = data.address + start - self.base
        inside = 0 <= offset <= self.size - (end - start)
        return Place(offset, end - start) if inside and end > start else None


def _is_null(column: Any, row: int) -> bool:
    return bool(column.slice(row, 1).null_count)


def is_arrow(start: bytes) -> bool:
    """Whether a file that begins like this is an Arrow file or stream."""
    return start.startswith((FILE_MARK, STREAM_MARK))


def open_arrow(path: Path) -> ArrowFile:
    """Map the file into memory, for as long as anything points into it.

    Raises pyarrow's exceptions, OSError, and ValueError for an empty file.
    """
    with path.open("rb") as file:
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    buffer = pyarrow.py_buffer(mapped)
    if mapped[: len(FILE_MARK)] == FILE_MARK:
        reader = pyarrow.ipc.open_file(buffer)
        batches: Iterator[Batch] = map(reader.get_batch, range(reader.num_record_batches))
    else:
        reader = pyarrow.ipc.open_stream(buffer)
        batches = iter(reader)
    return ArrowFile(reader.schema, _forgetting(batches, mapped), buffer.address, buffer.size)


def _forgetting(batches: Iterator[Batch], mapped: mmap.mmap) -> Iterator[Batch]:
    """The batches; the pages that were read of one are given back after it, so that memory stays flat."""
    for batch in batches:
        yield batch
        mapped.madvise(mmap.MADV_DONTNEED)
