"""Opens a data file, TSV, CSV or parquet, as one kind of table."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from vlbench.benchmarks.delimited import Cell, Scanner, scanned
from vlbench.benchmarks.pack import Pack
from vlbench.benchmarks.parquet import parquet_stream
from vlbench.benchmarks.table import INDEX_COLUMN, Table, TableRow
from vlbench.errors import DatasetError
from vlbench.types import Span

# A picture cell as short as this names the row that holds the picture.
LONGEST_REFERENCE = 64


@contextmanager
def opened_table(path: Path, pack: Pack, pictures: tuple[str, ...] = ("image",)) -> Iterator[Table]:
    """Open the file, whose layout is told by its content.

    `pictures` are the columns that hold pictures; what cannot stay in the file goes to `pack`.
    """
    try:
        with path.open("rb") as file:
            is_parquet = file.read(4) == b"PAR1"
    except OSError as error:
        raise DatasetError(
            f"The data file {path} cannot be read ({error.strerror}). Check the path and its permissions."
        ) from error
    if is_parquet:
        with parquet_stream(path, pack.path.with_suffix(".parquet-pack"), pictures) as (columns, rows):
            yield Table(path, columns, rows)
        return
    with scanned(path) as scanner:
        records = scanner.records()
        header = next(records, [])
        try:
            columns = tuple(scanner.text(cell).strip() for cell in header)
        except UnicodeDecodeError:
            raise DatasetError(
                f"{path} is neither a parquet file nor UTF-8 text. Unpack it if it is packed, "
                "or save it as UTF-8."
            ) from None
        yield Table(path, columns, _rows(path, scanner, records, columns, pack, pictures))


def _rows(
    path: Path,
    scanner: Scanner,
    records: Iterator[list[Cell]],
    columns: tuple[str, ...],
    pack: Pack,
    pictures: tuple[str, ...],
) -> Iterator[TableRow]:
    places = {column: columns.index(column) for column in pictures if column in columns}
    referenced = _referenced(scanner, columns, tuple(places.values()))
    for number, record in enumerate(records, start=1):
        try:
            texts = {
                column: text
                for place, (column, cell) in enumerate(zip(columns, record, strict=False))
                if place not in places.values() and (text := scanner.text(cell))
            }
            if len(record) > len(columns):
                raise ValueError(f"it has {len(record)} cells, the header has {len(columns)}")
            spans = {
                column: (_picture(path, scanner, record[place], place, referenced, pack),)
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


def _is_reference(cell: Cell) -> bool:
    return 0 < cell.end - cell.start <= LONGEST_REFERENCE


def _referenced(
    scanner: Scanner, columns: tuple[str, ...], places: tuple[int, ...]
) -> dict[tuple[str, int], Cell]:
    """Picture cells by (index, place), when any cell of the file names another row; else nothing is kept."""
    if INDEX_COLUMN not in columns or not any(
        place < len(record) and _is_reference(record[place])
        for number, record in enumerate(scanner.again().records())
        for place in places
        if number > 0
    ):
        return {}
    index = columns.index(INDEX_COLUMN)
    found: dict[tuple[str, int], Cell] = {}
    for record in scanner.again().records():
        if index < len(record):
            name = scanner.content(record[index]).decode(errors="replace")
            for place in places:
                if place < len(record):
                    found.setdefault((name, place), record[place])
    return found


def _picture(
    path: Path,
    scanner: Scanner,
    cell: Cell,
    place: int,
    referenced: dict[tuple[str, int], Cell],
    pack: Pack,
) -> Span:
    """The picture of a cell, or of the row it names; ValueError saying what is wrong with it."""
    seen: list[str] = []
    while _is_reference(cell):
        target = scanner.text(cell).strip()
        if target in seen:
            raise ValueError(f"its image refers to row {' → '.join([*seen, target])}, a circle")
        seen.append(target)
        found = referenced.get((target, place))
        if found is None or found.start == found.end:
            lack = "does not exist" if found is None else "has no image"
            raise ValueError(f"its image refers to row {target!r}, which {lack}")
        cell = found
    return base64_span(path, scanner, cell, pack)


def base64_span(path: Path, scanner: Scanner, cell: Cell, pack: Pack) -> Span:
    """Where the base64 text of `cell` stands; text that no server would take is decoded into the pack."""
    from pybase64 import b64decode  # here: listing benchmarks reads no pictures

    text = scanner.content(cell)
    prefix = re.match(rb"\s*data:[^,]{0,100},", text)
    skipped = prefix.end() if prefix else 0
    try:
        if cell.plain:
            b64decode(memoryview(text)[skipped:], validate=True)
            start = cell.start + skipped
            return Span(path=str(path), offset=start, length=cell.end - start, encoding="base64")
    except ValueError:
        pass  # line breaks, the URL alphabet or missing padding: mended below
    mended = re.sub(rb"\s+", b"", text[skipped:]).translate(bytes.maketrans(b"-_", b"+/")).rstrip(b"=")
    try:
        return pack.add(b64decode(mended + b"=" * (-len(mended) % 4), validate=True))
    except ValueError:
        raise ValueError("its image cell is not base64") from None
