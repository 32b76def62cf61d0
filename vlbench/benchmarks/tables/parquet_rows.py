"""Reads a parquet or Arrow file in a process of its own.

Called as `python -m vlbench.benchmarks.tables.parquet_rows FILE PACK COLUMNS`. pyarrow stays out of the run's
memory that way. Prints one JSON object a line: first the columns, then the rows, or an error as the last
line. The bytes of pictures are appended to PACK and named by offset and length. COLUMNS are the picture
columns, separated by commas.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from vlbench.benchmarks.pack import Pack

_BATCH_ROWS = 4


def print_rows(file: Path, pack: Pack, pictures: frozenset[str], out: TextIO) -> None:
    """Write the columns and then every row of `file`, parquet or Arrow, to `out`, the pictures to `pack`.

    Pictures of an Arrow file stay where they are, and are named by their place in it.
    """
    import pyarrow

    from vlbench.benchmarks.tables.arrow_file import is_arrow

    kind = "a table"
    try:
        with file.open("rb") as opened:
            kind = "Arrow" if is_arrow(opened.read(8)) else "parquet"
        (_print_arrow if kind == "Arrow" else _print_parquet)(file, pack, pictures, out)
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        _print(out, {"error": f"as {kind} ({error})"})


def _print_parquet(file: Path, pack: Pack, pictures: frozenset[str], out: TextIO) -> None:
    """One row group after the other, and in it one picture column: a page of pictures may be very large."""
    import pyarrow.parquet

    with pyarrow.parquet.ParquetFile(file, buffer_size=1 << 20, pre_buffer=False) as table:
        names = table.schema_arrow.names
        _print(out, {"columns": _columns(table.schema_arrow, pictures)})
        for group in range(table.num_row_groups):
            shown = [
                [_line(row, pack, pictures) for row in _group_rows(table, group, [name])]
                for name in names
                if name in pictures
            ]
            others = _group_rows(table, group, [name for name in names if name not in pictures])
            for row, *parts in zip(others, *shown, strict=True):
                line = _line(row, pack, pictures)
                for part in parts:
                    line.cells.update(part.cells)
                    line.pictures.update(part.pictures)
                _print(out, line._asdict())


def _group_rows(table: Any, group: int, columns: list[str]) -> Iterator[dict[str, object]]:
    """The rows of one row group, some columns of them. `table` is a pyarrow ParquetFile."""
    if not columns:
        yield from ({} for _ in range(table.metadata.row_group(group).num_rows))
        return
    for batch in table.iter_batches(_BATCH_ROWS, row_groups=[group], columns=columns, use_threads=False):
        for number in range(batch.num_rows):
            yield from batch.slice(number, 1).to_pylist()


def _print_arrow(file: Path, pack: Pack, pictures: frozenset[str], out: TextIO) -> None:
    from vlbench.benchmarks.tables.arrow_file import open_arrow

    arrow = open_arrow(file)
    named = pictures.intersection(arrow.schema.names)
    _print(out, {"columns": _columns(arrow.schema, pictures)})
    for batch in arrow.batches:
        for number in range(batch.num_rows):
            found = {name: arrow.place(batch.column(name), number) for name in named}
            places = {name: [(place.offset, place.length)] for name, place in found.items() if place}
            others = [name for name in arrow.schema.names if name not in places]
            (row,) = batch.select(others).slice(number, 1).to_pylist()
            _print(out, _line(row, pack, pictures)._asdict() | {"places": places})


def _columns(schema: Any, pictures: frozenset[str]) -> list[str]:  # Any: pyarrow has no types
    """The names of the columns, the parts of a struct on their own."""
    import pyarrow

    names: list[str] = []
    for field in schema:
        nested = field.name not in pictures and pyarrow.types.is_struct(field.type)
        names += [f"{field.name}.{part.name}" for part in field.type] if nested else [field.name]
    return names


def _print(out: TextIO, line: Mapping[str, object]) -> None:
    out.write(json.dumps(line) + "\n")


class _Line(NamedTuple):
    """One row, or a part of it: texts, and the places of pictures in the pack."""

    cells: dict[str, str]
    pictures: dict[str, list[tuple[int, int]]]


def _line(row: Mapping[str, object], pack: Pack, pictures: frozenset[str]) -> _Line:
    cells: dict[str, str] = {}
    spans: dict[str, list[tuple[int, int]]] = {}
    for column, value in row.items():
        if column in pictures:
            found = [data for data in map(_bytes, value if isinstance(value, list) else [value]) if data]
            if found:
                spans[column] = [(span.offset, span.length) for span in map(pack.add, found)]
            elif text := _named(value):
                cells[column] = text
        elif isinstance(value, dict):
            cells |= {f"{column}.{name}": text for name, part in value.items() if (text := _text(part))}
        elif text := _text(value):
            cells[column] = text
    return _Line(cells, spans)


def _bytes(value: object) -> bytes | None:
    """The picture of one cell: bytes, or a struct with the bytes in it (the data sets library's form)."""
    inner = value.get("bytes") if isinstance(value, dict) else value
    return inner if isinstance(inner, bytes) else None


def _named(value: object) -> str:
    """A picture cell without bytes as text: the path or base64 text it holds, or a list of them."""
    if isinstance(value, list):
        named = [text for text in map(_named, value) if text]
        return json.dumps(named, ensure_ascii=False) if named else ""
    inner = value.get("path") if isinstance(value, dict) else value
    return inner if isinstance(inner, str) else ""


def _text(value: object) -> str:
    """A cell as text; "" for an empty one."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, (list, dict, bool)):
        return json.dumps(value, ensure_ascii=False, default=str)
    return str(value)


def main() -> None:
    file, pack_path, columns = sys.argv[1:]
    with Pack(Path(pack_path)) as pack:
        print_rows(Path(file), pack, frozenset(columns.split(",")), sys.stdout)


if __name__ == "__main__":
    main()
