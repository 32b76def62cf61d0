"""Picture cells of a TSV or CSV file: base64 text, the index of another row, a path, or a list of such."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from vlbench.benchmarks.own.pictures import LONGEST_PATH, PictureFolder
from vlbench.benchmarks.pack import Pack
from vlbench.benchmarks.tables.delimited import Cell, Scanner
from vlbench.benchmarks.tables.literals import parsed_list
from vlbench.benchmarks.tables.table import INDEX_COLUMN
from vlbench.types import Span

# A picture cell as short as this names the row that holds the picture.
LONGEST_REFERENCE = 64
# A longer list holds the pictures themselves; a shorter one is parsed, so that its paths may hold anything.
_LONGEST_PARSED = 16_384
_LISTED = re.compile(rb"""["']+([^"'\s,\[\]][^"']*)["']""")


@dataclass(slots=True)
class PictureCells:
    """Reads the picture cells of one file; `places` are the picture columns' numbers.

    `folder` is where pictures may be named by path; None takes no paths. What cannot stay in the file goes
    to `pack`.
    """

    path: Path
    scanner: Scanner
    pack: Pack
    places: tuple[int, ...]
    folder: PictureFolder | None = None
    _referenced: dict[tuple[str, int], Cell] = field(default_factory=dict)

    def look_ahead(self, columns: tuple[str, ...]) -> None:
        """Remember every picture cell when any cell of the file may name another row."""
        if INDEX_COLUMN not in columns or not any(
            place < len(record) and _is_short(record[place])
            for number, record in enumerate(self.scanner.again().records())
            for place in self.places
            if number > 0
        ):
            return
        index = columns.index(INDEX_COLUMN)
        for record in self.scanner.again().records():
            if index < len(record):
                name = self.scanner.content(record[index]).decode(errors="replace")
                for place in self.places:
                    if place < len(record):
                        self._referenced.setdefault((name, place), record[place])

    def spans(self, cell: Cell, place: int) -> tuple[Span, ...]:
        """The pictures of a cell that is not empty; ValueError saying what is wrong with it."""
        cell = self._followed(cell, place)
        if self.folder is None:
            return (base64_span(self.path, self.scanner, cell, self.pack),)
        if self._is_list(cell):
            return self._listed(cell, self.folder)
        return (self._single(cell, self.folder),)

    def _followed(self, cell: Cell, place: int) -> Cell:
        """The cell itself, or the one of the row it names."""
        seen: list[str] = []
        while _is_short(cell):
            target = self.scanner.text(cell).strip()
            if target in seen:
                raise ValueError(f"its image refers to row {' → '.join([*seen, target])}, a circle")
            found = self._referenced.get((target, place))
            if found is None and self.folder is not None:
                return cell  # a path, then
            seen.append(target)
            if found is None or found.start == found.end:
                lack = "does not exist" if found is None else "has no image"
                raise ValueError(f"its image refers to row {target!r}, which {lack}")
            cell = found
        return cell

    def _is_list(self, cell: Cell) -> bool:
        ends = Cell(cell.start, min(cell.start + 1, cell.end)), Cell(max(cell.end - 1, cell.start), cell.end)
        return [self.scanner.content(end) for end in ends] == [b"[", b"]"]

    def _listed(self, cell: Cell, folder: PictureFolder) -> tuple[Span, ...]:
        if cell.end - cell.start <= _LONGEST_PARSED:
            texts = parsed_list(self.scanner.text(cell))
            if texts is None or not all(isinstance(text, str) for text in texts):
                raise ValueError("its image cell is no list of texts")
            return tuple(text_span(str(text), folder, self.pack) for text in texts)
        # As the bytes stand in the file, so that each picture can be read where it is.
        stored = self.scanner.content(Cell(cell.start, cell.end))
        found = [
            Cell(cell.start + match.start(1), cell.start + match.end(1)) for match in _LISTED.finditer(stored)
        ]
        if not found:
            raise ValueError("its image cell is no list of texts")
        return tuple(self._single(one, folder) for one in found)

    def _single(self, cell: Cell, folder: PictureFolder) -> Span:
        length = cell.end - cell.start
        if length <= LONGEST_PATH:
            text = self.scanner.text(cell).strip()
            if folder.names_one(text):
                return folder.span(text)
            if length <= LONGEST_REFERENCE:
                raise ValueError(f"its image {text!r} is neither a row's index nor a file of {folder.root}")
        return base64_span(self.path, self.scanner, cell, self.pack)


def _is_short(cell: Cell) -> bool:
    return 0 < cell.end - cell.start <= LONGEST_REFERENCE


def text_span(text: str, folder: PictureFolder, pack: Pack) -> Span:
    """A picture given as a text of its own, a path or base64; ValueError saying what is wrong with it."""
    text = text.strip()
    if folder.names_one(text):
        return folder.span(text)
    if len(text) <= LONGEST_REFERENCE:
        raise ValueError(f"its picture {text!r} is not in {folder.root}")
    return pack.add(_decoded(text.encode()))


def base64_span(path: Path, scanner: Scanner, cell: Cell, pack: Pack) -> Span:
    """Where the base64 text of `cell` stands; text that no server would take is decoded into the pack."""
    from pybase64 import b64decode  # here: listing benchmarks reads no pictures

    text = scanner.content(cell)
    prefix = _data_prefix(text)
    try:
        if cell.plain:
            b64decode(memoryview(text)[prefix:], validate=True)
            start = cell.start + prefix
            return Span(path=str(path), offset=start, length=cell.end - start, encoding="base64")
    except ValueError:
        pass  # line breaks, the URL alphabet or missing padding: mended below
    return pack.add(_decoded(text))


def _data_prefix(text: bytes) -> int:
    found = re.match(rb"\s*data:[^,]{0,100},", text)
    return found.end() if found else 0


def _decoded(text: bytes) -> bytes:
    """The bytes behind base64 text of any of its forms; ValueError when it is none."""
    from pybase64 import b64decode  # here: listing benchmarks reads no pictures

    spaceless = re.sub(rb"\s+", b"", text[_data_prefix(text) :])
    mended = spaceless.translate(bytes.maketrans(b"-_", b"+/")).rstrip(b"=")
    try:
        data: bytes = b64decode(mended + b"=" * (-len(mended) % 4), validate=True)
    except ValueError:
        raise ValueError("its image cell is not base64") from None
    return data
