"""Reads a parquet file in a process of its own.

Called as `python -m vlbench.benchmarks.parquet_rows FILE PACK COLUMNS`. pyarrow stays out of the run's
memory that way. Prints one JSON object a line: first the columns, then the rows, or an error as the last
line. The bytes of pictures are appended to PACK and named by offset and length. COLUMNS are the picture
columns, separated by commas.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TextIO

from vlbench.benchmarks.pack import Pack

_BATCH_ROWS = 64


def print_rows(file: Path, pack: Pack, pictures: frozenset[str], out: TextIO) -> None:
    """Write the columns and then every row of `file` to `out`, the pictures to `pack`."""
    import pyarrow
    import pyarrow.parquet

    try:
        with pyarrow.parquet.ParquetFile(file, memory_map=True) as table:
            names: list[str] = []
            for field in table.schema_arrow:
                nested = field.name not in pictures and pyarrow.types.is_struct(field.type)
                names += [f"{field.name}.{part.name}" for part in field.type] if nested else [field.name]
            _print(out, {"columns": names})
            for batch in table.iter_batches(batch_size=_BATCH_ROWS, use_threads=False):
                for row in batch.to_pylist():
                    _print(out, _line(row, pack, pictures))
    except (pyarrow.ArrowException, OSError) as error:
        _print(out, {"error": str(error)})


def _print(out: TextIO, line: Mapping[str, object]) -> None:
    out.write(json.dumps(line) + "\n")


def _line(row: Mapping[str, object], pack: Pack, pictures: frozenset[str]) -> dict[str, object]:
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
    return {"cells": cells, "pictures": spans}


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
