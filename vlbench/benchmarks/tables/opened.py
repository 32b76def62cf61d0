"""Opens a data file, TSV, CSV, JSONL or parquet, as one kind of table."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from itertools import count
from pathlib import Path

from vlbench.benchmarks.own.pictures import PictureFolder
from vlbench.benchmarks.pack import Pack
from vlbench.benchmarks.tables.delimited import Cell, Scanner, scanned
from vlbench.benchmarks.tables.jsonl import jsonl_columns, jsonl_rows, looks_like_jsonl
from vlbench.benchmarks.tables.literals import parsed_list
from vlbench.benchmarks.tables.parquet import parquet_stream
from vlbench.benchmarks.tables.picture_cells import PictureCells, text_span
from vlbench.benchmarks.tables.table import INDEX_COLUMN, Table, TableRow
from vlbench.errors import DatasetError

_LOOKED_AT_BYTES = 4096
# Parquet, an Arrow file, an Arrow stream (what the data sets library saves to disk).
_BINARY_MARKS = (b"PAR1", b"ARROW1", b"\xff\xff\xff\xff")


@contextmanager
def opened_table(
    path: Path,
    pack: Pack,
    pictures: tuple[str, ...] = ("image",),
    folder: PictureFolder | None = None,
) -> Iterator[Table]:
    """Open the file, whose layout is told by its content.

    `pictures` are the columns that hold pictures; what cannot stay in the file goes to `pack`. `folder` is
    where pictures may be named by path, which is how JSONL files do it; None takes no paths.
    """
    start = _start(path)
    if start.startswith(_BINARY_MARKS):
        with parquet_stream(path, _free(pack.path, ".parquet-pack"), pictures) as (columns, rows):
            yield Table(path, columns, _with_named(rows, pictures, folder, pack) if folder else rows)
    elif folder is not None and looks_like_jsonl(start):
        columns = jsonl_columns(path)
        yield Table(path, columns, jsonl_rows(path, pack, pictures.__contains__, folder))
    else:
        with scanned(path) as scanner:
            records = scanner.records()
            columns = _header(path, scanner, records)
            places = {column: columns.index(column) for column in pictures if column in columns}
            cells = PictureCells(path, scanner, pack, tuple(places.values()), folder)
            yield Table(path, columns, _rows(scanner, records, columns, places, cells))


def columns_of(path: Path) -> tuple[str, ...]:
    """The names of a file's columns, without reading its rows."""
    start = _start(path)
    state = path.stat()
    return _columns(path, start, state.st_size, state.st_mtime_ns)


@lru_cache(maxsize=4)  # asked for when a set is named and when it is read; a parquet file costs a process
def _columns(path: Path, start: bytes, size: int, time_ns: int) -> tuple[str, ...]:
    if start.startswith(_BINARY_MARKS):
        # Without picture columns no pack is written.
        with parquet_stream(path, Path(os.devnull), ()) as (columns, _):
            return _without_parts(columns)
    if looks_like_jsonl(start):
        return jsonl_columns(path)
    with scanned(path) as scanner:
        return _header(path, scanner, scanner.records())


def _without_parts(columns: tuple[str, ...]) -> tuple[str, ...]:
    """Column names with a picture of two parts, `image.bytes` and `image.path`, as the one it is."""
    pictures = {name.removesuffix(".bytes") for name in columns if name.endswith(".bytes")}
    parts = {f"{name}.{part}": name for name in pictures for part in ("bytes", "path")}
    return tuple(dict.fromkeys(parts.get(name, name) for name in columns))


def _free(path: Path, suffix: str) -> Path:
    """A name like `path` with another suffix that no file has: one for each shard of a table."""
    names = (path.with_suffix(f"{suffix}{number or ''}") for number in count())
    return next(name for name in names if not name.exists())


def _start(path: Path) -> bytes:
    if path.exists() and not (path.is_file() or path.is_dir()):
        # A pipe would be waited for without end, and cannot be read twice.
        raise DatasetError(f"{path} is no ordinary file. Write its content to one and name that.")
    try:
        with path.open("rb") as file:
            return file.read(_LOOKED_AT_BYTES)
    except OSError as error:
        raise DatasetError(
            f"The data file {path} cannot be read ({error.strerror}). Check the path and its permissions."
        ) from error


def _header(path: Path, scanner: Scanner, records: Iterator[list[Cell]]) -> tuple[str, ...]:
    try:
        return tuple(scanner.text(cell).strip() for cell in next(records, []))
    except UnicodeDecodeError:
        raise DatasetError(
            f"{path} is neither a parquet file nor UTF-8 text. Unpack it if it is packed, "
            "or save it as UTF-8."
        ) from None


def _rows(
    scanner: Scanner,
    records: Iterator[list[Cell]],
    columns: tuple[str, ...],
    places: dict[str, int],
    cells: PictureCells,
) -> Iterator[TableRow]:
    cells.look_ahead(columns)
    for number, record in enumerate(records, start=1):
        texts: dict[str, str] = {}
        try:
            texts = {
                column: text
                for place, (column, cell) in enumerate(zip(columns, record, strict=False))
                if place not in places.values() and (text := scanner.text(cell))
            }
            if len(record) > len(columns):
                raise ValueError(f"it has {len(record)} cells, the header has {len(columns)}")
            spans = {
                column: cells.spans(record[place], place)
                for column, place in places.items()
                if place < len(record) and record[place].start < record[place].end
            }
        except UnicodeDecodeError:
            yield TableRow(number, _readable(scanner, record, columns), {}, "it is not UTF-8 text")
        except ValueError as error:
            yield TableRow(number, texts, {}, str(error))
        else:
            yield TableRow(number, texts, spans)


def _readable(scanner: Scanner, record: list[Cell], columns: tuple[str, ...]) -> dict[str, str]:
    """The index of a row whose text is broken, so that it can be named."""
    return {
        column: scanner.content(cell).decode(errors="replace")
        for column, cell in zip(columns, record, strict=False)
        if column == INDEX_COLUMN
    }


def _with_named(
    rows: Iterator[TableRow], pictures: tuple[str, ...], folder: PictureFolder, pack: Pack
) -> Iterator[TableRow]:
    """Rows of a parquet file with the pictures that it names by path, or holds as base64 text."""
    for row in rows:
        texts = {name: row.cells[name] for name in pictures if name in row.cells}
        if not texts:
            yield row
            continue
        cells = {name: text for name, text in row.cells.items() if name not in texts}
        try:
            found = {
                name: tuple(text_span(str(one), folder, pack) for one in parsed_list(text) or [text])
                for name, text in texts.items()
            }
        except ValueError as error:
            yield TableRow(row.number, cells, row.pictures, row.problem or str(error))
        else:
            yield TableRow(row.number, cells, {**row.pictures, **found}, row.problem)
