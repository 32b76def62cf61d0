"""Parquet and Arrow files, read by a child process that streams their rows."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from pydantic import Field

from vlbench.benchmarks.tables.table import TableRow
from vlbench.errors import DatasetError
from vlbench.types import Record, Span


class _Line(Record):
    """One line of the child's output; which fields are set tells what it is.

    `pictures` are ranges of the pack, `places` ranges of the data file itself.
    """

    columns: tuple[str, ...] = ()
    cells: dict[str, str] = Field(default_factory=dict)
    pictures: dict[str, tuple[tuple[int, int], ...]] = Field(default_factory=dict)
    places: dict[str, tuple[tuple[int, int], ...]] = Field(default_factory=dict)
    error: str | None = None


@contextmanager
def parquet_stream(
    path: Path, pack: Path, pictures: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], Iterator[TableRow]]]:
    """The columns and the rows of a parquet or Arrow file.

    The child writes the bytes of pictures to the new file `pack`, unless they can be named where they stand.
    Struct columns become `name.field`.
    """
    # -P: a file in the current directory must not take the place of a module.
    command = [sys.executable, "-P", "-m", "vlbench.benchmarks.tables.parquet_rows", str(path), str(pack)]
    with (
        tempfile.TemporaryFile() as complaints,
        subprocess.Popen(
            [*command, ",".join(pictures)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=complaints,
        ) as child,
    ):
        try:
            lines = _lines(child, path, complaints)
            first = next(lines)
            yield first.columns, _rows(lines, path, pack)
        finally:
            child.kill()


def _rows(lines: Iterator[_Line], path: Path, pack: Path) -> Iterator[TableRow]:
    for number, line in enumerate(lines, start=1):
        found = {column: _spans(places, pack) for column, places in line.pictures.items()}
        found |= {column: _spans(places, path) for column, places in line.places.items()}
        yield TableRow(number, line.cells, found)


def _spans(places: tuple[tuple[int, int], ...], path: Path) -> tuple[Span, ...]:
    return tuple(Span(path=str(path), offset=offset, length=length) for offset, length in places)


def _lines(child: subprocess.Popen[bytes], path: Path, complaints: IO[bytes]) -> Iterator[_Line]:
    assert child.stdout is not None  # it is a pipe
    for text in child.stdout:
        line = _Line.model_validate(json.loads(text))
        if line.error is not None:
            raise DatasetError(f"{path} cannot be read {line.error}. Fetch or copy it again.")
        yield line
    if child.wait() != 0:
        complaints.seek(0)
        last = complaints.read().decode(errors="replace").strip().rpartition("\n")[2]
        raise DatasetError(
            f"{path} could not be read: the parquet reader stopped with status {child.returncode} ({last}). "
            "Is there memory and disk space left?"
        )
