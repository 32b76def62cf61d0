"""Rows of a JSONL file: one object a line, whose values may be texts, numbers, lists and tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import orjson

from vlbench.benchmarks.own.pictures import PictureFolder
from vlbench.benchmarks.pack import Pack
from vlbench.benchmarks.tables.literals import as_text
from vlbench.benchmarks.tables.picture_cells import text_span
from vlbench.benchmarks.tables.table import TableRow
from vlbench.errors import DatasetError
from vlbench.types import Span

# Optional fields may be missing in the first lines.
_LINES_LOOKED_AT = 100
_BOM = b"\xef\xbb\xbf"


def looks_like_jsonl(start: bytes) -> bool:
    """Whether a file that begins so holds JSON objects, or a JSON list of them."""
    return start.removeprefix(_BOM).lstrip()[:1] in (b"{", b"[")


def jsonl_columns(path: Path) -> tuple[str, ...]:
    """The fields of the first lines, in the order they appear; DatasetError when there is no object."""
    columns: dict[str, None] = {}
    with path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            if number > _LINES_LOOKED_AT:
                break
            try:
                columns |= dict.fromkeys(_object(line) if line.strip() else ())
            except ValueError as error:
                if not columns and b"\r" in line.rstrip(b"\r\n"):
                    raise DatasetError(
                        f"{path}: its lines end with a carriage return alone, as on old Macs. Save it with "
                        "the line ends of Unix or Windows."
                    ) from None
                if not columns:
                    raise DatasetError(
                        f"{path}, line {number}: {error}. A JSONL file holds one object a line, such as "
                        '{"question": "…", "options": ["…", "…"], "answer": "A", "image": "1.png"}.'
                    ) from None
    if not columns:
        raise DatasetError(f"{path} holds no objects. Write one a line.")
    return tuple(columns)


def jsonl_rows(
    path: Path, pack: Pack, is_picture: Callable[[str], bool], folder: PictureFolder
) -> Iterator[TableRow]:
    """The rows, numbered by the lines they stand in; blank lines are left out."""
    with path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            if line.strip(b"\r\n\t " + _BOM):
                yield _row(number, line, pack, is_picture, folder)


def _row(
    number: int, line: bytes, pack: Pack, is_picture: Callable[[str], bool], folder: PictureFolder
) -> TableRow:
    try:
        fields = _object(line)
    except ValueError as error:
        return TableRow(number, {}, {}, str(error))
    cells = {
        name: text for name, value in fields.items() if not is_picture(name) and (text := as_text(value))
    }
    try:
        pictures = {
            name: spans
            for name, value in fields.items()
            if is_picture(name) and (spans := _spans(value, folder, pack))
        }
    except ValueError as error:
        return TableRow(number, cells, {}, str(error))
    return TableRow(number, cells, pictures)


def _object(line: bytes) -> Mapping[str, object]:
    try:
        found = orjson.loads(line.removeprefix(_BOM))
    except orjson.JSONDecodeError as error:
        raise ValueError(f"it is not JSON ({error.msg} at character {error.pos + 1})") from None
    if not isinstance(found, dict):
        raise ValueError("it is not an object")
    return found


def _spans(value: object, folder: PictureFolder, pack: Pack) -> tuple[Span, ...]:
    """The pictures of one field: a path or base64 text, or a list of such."""
    found = []
    for one in value if isinstance(value, list) else [value]:
        # The data sets library writes a picture it does not embed as {"path": …}.
        text = one.get("path") if isinstance(one, dict) else one
        if text is None or text == "":
            continue
        if not isinstance(text, str):
            raise ValueError("its picture is neither a path nor base64 text")
        found.append(text_span(text, folder, pack))
    return tuple(found)
