"""Picture files that a table names by path, remembered with the index: a changed one is noticed."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from vlbench.types import Sample, Span

FILE_NAME = "pictures.tsv"


class NamedPictures:
    """Collects the files that pictures are read from, but `tables` and what lies in the `index` folder."""

    def __init__(self, tables: Iterable[Path], index: Path) -> None:
        self._tables = {str(path) for path in tables}
        self._index = f"{index}{os.sep}"
        self.paths: dict[str, None] = {}

    def add(self, sample: Sample) -> None:
        for image in sample.images:
            if not isinstance(image.source, Span):
                continue
            path = image.source.path
            if path not in self._tables and not path.startswith(self._index):
                self.paths[path] = None

    def save(self, folder: Path) -> None:
        """Write what the files are like now, when there are any. Raises OSError."""
        if self.paths:
            lines = [f"{_state(path)}\t{path}\n" for path in self.paths]
            (folder / FILE_NAME).write_text("".join(lines), encoding="utf-8", errors="surrogateescape")


def are_unchanged(folder: Path) -> bool:
    """Whether every picture file is as it was when the index in `folder` was made."""
    try:
        with (folder / FILE_NAME).open(encoding="utf-8", errors="surrogateescape") as lines:
            fields = (line.rstrip("\n").split("\t", 1) for line in lines)
            return all(_state(path) == state for state, path in fields)
    except FileNotFoundError:
        return not (folder / FILE_NAME).exists()
    except (OSError, ValueError):
        return False


def _state(path: str) -> str:
    state = os.stat(path)
    return f"{state.st_size}:{state.st_mtime_ns}"
