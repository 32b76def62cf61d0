"""Rows of an .xlsx, TSV or CSV file as texts by column.

An empty cell is left out; `nan` and `None` are texts like any other.
"""

from __future__ import annotations

import warnings
import zlib
from collections.abc import Generator, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from zipfile import BadZipFile

from vlbench.benchmarks.tables.delimited import scanned
from vlbench.errors import DatasetError

Cells = Mapping[str, str]
PICTURES = "image"
"""A column that is passed over: pictures are not needed, and may be megabytes."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A file's columns, and its rows as a stream that can be read once.

    Rows come with their number in the file as a spreadsheet counts them: the header is row 1.
    """

    columns: tuple[str, ...]
    rows: Iterator[tuple[int, Cells]]


@contextmanager
def opened_sheet(path: Path) -> Iterator[Sheet]:
    """Open the file, whose kind is told by its content; of a workbook the first sheet is taken.

    Raises DatasetError naming the file when it cannot be read as any of them, also while rows are read.
    """
    with path.open("rb") as file:
        is_workbook = file.read(2) == b"PK"
    with closing(_workbook(path) if is_workbook else _delimited(path)) as records:
        columns = tuple(name.strip() for name in next(records, ()))
        yield Sheet(columns, _rows(columns, records))


def _rows(columns: tuple[str, ...], records: Iterator[tuple[str, ...]]) -> Iterator[tuple[int, Cells]]:
    for number, record in enumerate(records, start=2):
        cells = {name: text for name, text in zip(columns, record, strict=False) if name and text}
        if cells:
            yield number, cells


def _workbook(path: Path) -> Generator[tuple[str, ...], None, None]:
    from openpyxl import load_workbook
    from openpyxl.utils.exceptions import InvalidFileException

    try:
        with warnings.catch_warnings():
            # About styles and extensions that the cells' texts do not need.
            warnings.simplefilter("ignore", UserWarning)
            # Read-only mode streams the rows, and formulas stay the texts that were predicted.
            workbook = load_workbook(path, read_only=True)
        try:
            for record in workbook.worksheets[0].iter_rows(values_only=True):
                yield tuple(map(_text, record))
        finally:
            workbook.close()
    except (
        BadZipFile, InvalidFileException, KeyError, ValueError, SyntaxError, IndexError, EOFError, zlib.error,
    ) as error:  # fmt: skip  # a workbook is XML in a ZIP file: it can be broken in as many ways
        raise DatasetError(
            f"{path} cannot be read as an Excel workbook ({error}). Save it again as .xlsx, TSV or CSV."
        ) from error


def _text(cell: object) -> str:
    """A cell as it was written: whole numbers without the `.0` that a spreadsheet may give them."""
    if cell is None:
        return ""
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return str(cell)


def _delimited(path: Path) -> Generator[tuple[str, ...], None, None]:
    with scanned(path) as scanner:
        skipped: set[int] = set()
        try:
            for number, record in enumerate(scanner.records()):
                texts = tuple("" if at in skipped else scanner.text(cell) for at, cell in enumerate(record))
                if number == 0:
                    skipped = {at for at, name in enumerate(texts) if name.strip() == PICTURES}
                yield texts
        except UnicodeDecodeError as error:
            raise DatasetError(f"{path} is not UTF-8 text ({error.reason}). Save it as UTF-8.") from error
