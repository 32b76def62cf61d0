"""Pictures that a data file names by path: found inside the set's own folder, and nowhere else."""

from __future__ import annotations

import stat
from pathlib import Path

from vlbench.types import Span

_SUFFIXES = frozenset(
    (".png", ".jpg", ".jpeg", ".jpe", ".webp", ".gif", ".bmp", ".tif", ".tiff", ".avif", ".ico", ".ppm")
)
LONGEST_PATH = 1024
# VLMEvalKit keeps the pictures of a table in a folder of this name beside it.
_PLACES = ("", "images")


class PictureFolder:
    """Finds pictures below `root`, by paths from it, from `beside` (where the table is) or their `images`.

    A data file is not trusted: a path that is absolute, climbs with `..` or passes a symbolic link is taken
    only when the file it ends at lies below `root`.
    """

    def __init__(self, root: Path, beside: Path | None = None) -> None:
        self.root = root.resolve()
        starts = dict.fromkeys((root, beside or root))
        self._places = tuple(start / place for start in starts for place in _PLACES)

    def names_one(self, text: str) -> bool:
        """Whether `text` is meant as a path: by its ending, or because there is such a file."""
        if not 0 < len(text) <= LONGEST_PATH or not text.isprintable():
            return False
        return Path(text).suffix.lower() in _SUFFIXES or self._found(text) is not None

    def span(self, text: str) -> Span:
        """The whole file that `text` names; ValueError saying why it cannot be used."""
        if text.startswith(("http://", "https://")):
            raise ValueError("its picture is a web address: download the pictures and name the files")
        found = self._found(text)
        if found is None:
            raise ValueError(f"its picture {text[:80]!r} is not in {self.root}")
        if not found.is_relative_to(self.root):
            raise ValueError(f"its picture {text[:80]!r} lies outside of {self.root}: copy it there")
        state = found.stat()
        if not stat.S_ISREG(state.st_mode):
            raise ValueError(f"its picture {text[:80]!r} is not a file")
        return Span(path=str(found), offset=0, length=state.st_size)

    def _found(self, text: str) -> Path | None:
        """Where the path really ends; None when there is nothing."""
        for spelt in dict.fromkeys((text, text.replace("\\", "/"))):
            for place in self._places:
                try:
                    return (place / spelt).resolve(strict=True)
                except (OSError, ValueError, RuntimeError):
                    continue  # ValueError: a NUL; RuntimeError: links in a circle
        return None
