"""Rows of an .xlsx, TSV or CSV file as texts by column.

An empty cell is left out; `nan` and `None` are texts like any other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING
from zipfile import BadZipFile

from vlbench.benchmarks.delimited import scanned
from vlbench.errors import DatasetError

if TYPE_CHECKING:
    from openpyxl import Workbook

Cells = Mapping[str, str]


def rows_of(path: Path) -> Iterator[tuple[int, Cells]]:
    """The rows under the header with their line numbers in a spreadsheet (the header is 1).

    The first sheet of a workbook is taken. Raises DatasetError naming the file when it is no such file.
    """
    with path.open("rb") as file:
        is_workbook = file.read(2) == b"PK"
    yield from _workbook_rows(path) if is_workbook else _delimited_rows(path)


def _workbook_rows(path: Path) -> Iterator[tuple[int, Cells]]:
    workbook = _opened(path)
    try:
        records = workbook.worksheets[0].iter_rows(values_only=True)
        header = [_text(cell).strip() for cell in next(records, ())]
        for number, record in enumerate(records, start=2):
            cells = {name: text for name, cell in zip(header, record, strict=False) if (text := _text(cell))}
            if cells:
                yield number, cells
    finally:
        workbook.close()


def _opened(path: Path) -> Workbook:
    from openpyxl import load_workbook
    from openpyxl.utils.exceptions import InvalidFileException

    try:
        # Read-only mode streams the rows, and formulas stay the texts that were predicted.
        workbook = load_workbook(path, read_only=True)
    except (BadZipFile, InvalidFileException, KeyError, ValueError, SyntaxError) as error:
        raise DatasetError(
            f"{path} cannot be read as an Excel workbook ({error}). Save it again as .xlsx, TSV or CSV."
        ) from error
    if not workbook.worksheets:
        raise DatasetError(
            f"{path} has no sheet with cells. Save the predictions again as .xlsx, TSV or CSV."
        )
    return workbook


def _text(cell: object) -> str:
    """A cell as it was written: whole numbers without the `.0` that a spreadsheet may give them."""
    if cell is None:
        return ""
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return str(cell)


def _delimited_rows(path: Path) -> Iterator[tuple[int, Cells]]:
    with scanned(path) as scanner:
        records = scanner.records()
        try:
            header = [scanner.text(cell).strip() for cell in next(records, [])]
            for number, record in enumerate(records, start=2):
                cells = {
                    # Pictures are not needed and may be megabytes.
                    name: text
                    for name, cell in zip(header, record, strict=False)
                    if name != "image" and (text := scanner.text(cell))
                }
                yield number, cells
        except UnicodeDecodeError as error:
            raise DatasetError(f"{path} is not UTF-8 text ({error.reason}). Save it as UTF-8.") from error
