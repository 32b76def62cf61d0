"""Rows of a TSV or CSV file of any size, with the place of every cell in the file.

The csv module knows no positions and keeps whole rows as text. Here a cell is found by its borders in a
memory-mapped file, so that a row with a 10 MB picture costs nothing until the picture is wanted.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from vlbench.errors import DatasetError

_BOM = b"\xef\xbb\xbf"
_LONGEST_HEADER = 2**20
_FORGET_BYTES = 16 * 2**20  # a multiple of every page size


@dataclass(frozen=True, slots=True)
class Cell:
    """Where a cell's content stands, quotes left out.

    `plain` says that the bytes there are the content as it is: no doubled quotes, nothing after the quote.
    """

    start: int
    end: int
    plain: bool = True


class Scanner:
    """Walks over the cells of one memory-mapped file; quotes are `"`.

    `delimiter` and `newline` are one byte each; a `\\r` before a newline belongs to it.
    """

    def __init__(self, content: mmap.mmap, delimiter: bytes, newline: bytes, name: str) -> None:
        self._content = content
        self._delimiter = delimiter
        self._newline = newline
        self._name = name
        self._size = len(content)
        self._next_delimiter = -1
        self._next_newline = -1
        self._forgotten = 0

    def again(self) -> Scanner:
        """A second scanner over the same file, from its start."""
        return Scanner(self._content, self._delimiter, self._newline, self._name)

    def records(self) -> Iterator[list[Cell]]:
        """Every row's cells, the header's first. Empty lines are left out."""
        position = len(_BOM) if self._content[: len(_BOM)] == _BOM else 0
        number = 0
        while position < self._size:
            cells: list[Cell] = []
            ended = False
            while not ended:
                cell, position, ended = self._cell(position, number)
                cells.append(cell)
            if len(cells) == 1 and cells[0].start == cells[0].end:
                continue
            yield cells
            number += 1
            self._forget(position)

    def text(self, cell: Cell) -> str:
        """The cell's content; UnicodeDecodeError when it is not UTF-8."""
        return self.content(cell).decode()

    def content(self, cell: Cell) -> bytes:
        """The cell's content in bytes."""
        stored = self._content[cell.start : cell.end]
        if cell.plain:
            return stored
        # The cell was quoted and its first quote is left out: `a ""b"" c` or `a "b` (text after the quote).
        inside, quote, after = _closed(stored)
        return inside.replace(b'""', b'"') + after if quote else stored.replace(b'""', b'"')

    def _forget(self, position: int) -> None:
        """Let go of the pages before `position`: mapped pages count as memory of the process."""
        while position - self._forgotten >= _FORGET_BYTES:
            self._content.madvise(mmap.MADV_DONTNEED, self._forgotten, _FORGET_BYTES)
            self._forgotten += _FORGET_BYTES

    def _cell(self, start: int, number: int) -> tuple[Cell, int, bool]:
        """The cell that begins at `start`, where the next one begins, whether the row ends with it."""
        plain, border = True, start
        quoted = self._content[start : start + 1] == b'"'
        if quoted:
            start += 1
            end, plain = self._closing_quote(start, number)
            border = end + 1
        stop, ended = self._border(border)
        after = stop + 1
        if ended and self._content[stop - 1 : stop] == b"\r" and stop > border:
            stop -= 1
        if not quoted:
            return Cell(start, stop), after, ended
        if stop > border:
            return Cell(start, stop, plain=False), after, ended
        return Cell(start, end, plain), after, ended

    def _closing_quote(self, position: int, number: int) -> tuple[int, bool]:
        """Where the quoted text from `position` on ends, and whether it has no doubled quotes inside."""
        first, plain = position, True
        while True:
            quote = self._content.find(b'"', position)
            if quote < 0:
                where = f"row {number}" if number else "the header"
                raise DatasetError(
                    f"{self._name}: in {where} a quote opens at byte {first - 1} and is never closed. "
                    "Is the file complete? Fetch or copy it again."
                )
            if self._content[quote + 1 : quote + 2] != b'"':
                return quote, plain
            position, plain = quote + 2, False

    def _border(self, position: int) -> tuple[int, bool]:
        """The next delimiter or line end at or after `position`, and whether it ends the row.

        Both are remembered: the search for the far one would otherwise run through a picture once a cell.
        """
        if self._next_delimiter < position:
            found = self._content.find(self._delimiter, position)
            self._next_delimiter = found if found >= 0 else self._size
        if self._next_newline < position:
            found = self._content.find(self._newline, position)
            self._next_newline = found if found >= 0 else self._size
        if self._next_delimiter < self._next_newline:
            return self._next_delimiter, False
        return self._next_newline, True


def _closed(stored: bytes) -> tuple[bytes, bytes, bytes]:
    """Split at the first quote that is not doubled."""
    position = 0
    while (quote := stored.find(b'"', position)) >= 0:
        if stored[quote + 1 : quote + 2] != b'"':
            return stored[:quote], b'"', stored[quote + 1 :]
        position = quote + 2
    return stored, b"", b""


@contextmanager
def scanned(path: Path) -> Iterator[Scanner]:
    """A scanner over the file. Its first line tells how it is written; see `_delimiter_of`.

    Lines end with LF or CR LF, or with CR alone where the first one does (a table program of old Macs).
    """
    with path.open("rb") as file:
        start = file.read(4)
        if not start.strip(_BOM + b"\r\n\t "):
            raise DatasetError(f"{path} is empty. Fetch or copy it again.")
        if start[:2] in (b"\xff\xfe", b"\xfe\xff"):
            raise DatasetError(f"{path} is UTF-16 text; save it as UTF-8.")
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            newline, header = _first_line(content)
            yield Scanner(content, _delimiter_of(header), newline, str(path))


def _first_line(content: mmap.mmap) -> tuple[bytes, bytes]:
    """What ends the lines, and the first of them."""
    end = content.find(b"\n", 0, _LONGEST_HEADER)
    header = content[: end if end >= 0 else _LONGEST_HEADER]
    line, cr, _ = header.removesuffix(b"\r").partition(b"\r")
    is_quoted = line.count(b'"') % 2 == 1
    return (b"\r", line) if cr and not is_quoted else (b"\n", header)


def _delimiter_of(header: bytes) -> bytes:
    """A tab where the header has one, else a comma or, where that is the commoner one, a semicolon.

    Where the comma is part of numbers, table programs write "CSV" with semicolons.
    """
    if b"\t" in header:
        return b"\t"
    return b";" if header.count(b";") > header.count(b",") else b","
