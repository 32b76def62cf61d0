"""Where a value of a TOML document stands, for messages that name a line. `tomllib` does not tell."""

from __future__ import annotations

import re
import tomllib

Path = tuple[str | int, ...]

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_STRING = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*"{3,5}'
    r"|'''(?:[^']|'(?!''))*'{3,5}"
    r'|"(?:[^"\\\n]|\\.)*"'
    r"|'[^'\n]*'",
    re.DOTALL,
)
_PLAIN_VALUE = re.compile(r"[^,\]}#\n]*")


class LineIndex:
    """The line, counted from 1, on which each key, table and array element of a valid document begins.

    Paths have the form of `tomllib`'s result: names of keys and positions in arrays. For a text that
    `tomllib` refuses the result is undefined.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._line = 1
        self._line_at = 0
        self._sizes: dict[Path, int] = {}
        self.lines: dict[Path, int] = {}
        self._read_document()

    def line(self, path: Path) -> int:
        """The line of `path`, or of the innermost part of it that stands in the document; 1 for none."""
        for end in range(len(path), 0, -1):
            if path[:end] in self.lines:
                return self.lines[path[:end]]
        return 1

    def _read_document(self) -> None:
        table: Path = ()
        while self._skip_blank():
            if self._text[self._at] == "[":
                table = self._read_header()
            else:
                self._read_pair(table)

    def _skip_blank(self) -> bool:
        """Pass white space, line ends and comments; whether anything follows."""
        blank = _BLANK.match(self._text, self._at)
        if blank is not None:
            self._at = blank.end()
        return self._at < len(self._text)

    def _read_header(self) -> Path:
        is_array = self._text.startswith("[[", self._at)
        line = self._here()
        self._at += 2 if is_array else 1
        names = self._read_key()
        self._at += 2 if is_array else 1
        path: Path = ()
        for position, name in enumerate(names, 1):
            path += (name,)
            self.lines.setdefault(path, line)
            if is_array and position == len(names):
                self._sizes[path] = self._sizes.get(path, 0) + 1
            if path in self._sizes:  # a name of an array of tables means its newest table
                path += (self._sizes[path] - 1,)
                self.lines.setdefault(path, line)
        return path

    def _read_pair(self, table: Path) -> None:
        line = self._here()
        path = table
        for name in self._read_key():
            path += (name,)
            self.lines.setdefault(path, line)
        self._at += 1  # "="
        self._read_value(path)

    def _read_key(self) -> list[str]:
        """A dotted key, up to the character that ends it."""
        names = []
        while True:
            self._skip_blank()
            if self._text[self._at] in "\"'":
                names.append(str(tomllib.loads(f"key = {self._take(_STRING)}")["key"]))
            else:
                names.append(self._take(_BARE_KEY))
            self._skip_blank()
            if self._text[self._at] != ".":
                return names
            self._at += 1

    def _read_value(self, path: Path) -> None:
        self._skip_blank()
        first = self._text[self._at]
        if first in "\"'":
            self._take(_STRING)
        elif first == "[":
            self._read_items(path, "]")
        elif first == "{":
            self._read_items(path, "}")
        else:
            self._take(_PLAIN_VALUE)

    def _read_items(self, path: Path, closing: str) -> None:
        """The elements of an array or the pairs of an inline table."""
        self._at += 1
        position = 0
        while self._skip_blank() and self._text[self._at] != closing:
            if closing == "]":
                self.lines[(*path, position)] = self._here()
                self._read_value((*path, position))
            else:
                self._read_pair(path)
            position += 1
            self._skip_blank()
            if self._text[self._at] == ",":
                self._at += 1
        self._at += 1

    def _take(self, pattern: re.Pattern[str]) -> str:
        match = pattern.match(self._text, self._at)
        if match is None:
            raise ValueError(f"no TOML value on line {self._here()}")
        self._at = match.end()
        return match.group()

    def _here(self) -> int:
        self._line += self._text.count("\n", self._line_at, self._at)
        self._line_at = self._at
        return self._line
