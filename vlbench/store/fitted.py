"""Pictures that were made to fit a provider's rules, kept so that each is made once.

Every process that makes some appends them to a pack of its own, `<recipe>-<random>.pack`, and then a line to
the `.jsonl` beside it: a kill leaves bytes that no line names, and two processes never write to one file.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Final, Self
from uuid import uuid4

import orjson

from vlbench.catalog.entry import ImageRules
from vlbench.errors import StoreError
from vlbench.media.fit import Refitted
from vlbench.store.canonical import json_bytes
from vlbench.types import Fitted, ImageRef, Record, Span

# Raised whenever the same rules make other pictures.
_RECIPE_VERSION: Final = 1
_LONGEST_LINE: Final = 4096


class _Line(Record):
    """One picture: of which original it was made, and what it is."""

    original: str
    picture: ImageRef


class FittedPictures:
    """What `rules` made of pictures, found by the SHA-256 of the original. Lives in `folder`.

    In memory are only the places of lines. Raises StoreError when the folder cannot be used.
    """

    def __init__(self, folder: Path, rules: ImageRules) -> None:
        self._folder = folder.absolute()
        self._recipe = _recipe(rules)
        self._places: dict[bytes, tuple[int, int]] = {}
        self._lines: list[BinaryIO] = []
        self._stack = ExitStack()
        self._pack: BinaryIO | None = None
        self._index: BinaryIO | None = None
        try:
            for path in sorted(self._folder.glob(f"{self._recipe}-*.jsonl")):
                self._read(path)
        except OSError as error:
            raise self._unusable(error) from error

    def get(self, original: ImageRef) -> ImageRef | None:
        """What was made of `original`; None when nothing was yet."""
        place = self._places.get(bytes.fromhex(original.sha256))
        if place is None:
            return None
        number, offset = place
        line = os.pread(self._lines[number].fileno(), _LONGEST_LINE, offset).partition(b"\n")[0]
        return _Line.model_validate_json(line).picture

    def add(self, original: ImageRef, made: Refitted) -> ImageRef:
        """Keep what was made of `original`."""
        try:
            return self._append(original, made)
        except OSError as error:
            raise self._unusable(error) from error

    def close(self) -> None:
        """Close the files."""
        self._stack.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _append(self, original: ImageRef, made: Refitted) -> ImageRef:
        if self._pack is None or self._index is None:
            self._folder.mkdir(parents=True, exist_ok=True)
            name = self._folder / f"{self._recipe}-{uuid4().hex[:8]}"
            self._pack = self._stack.enter_context(name.with_suffix(".pack").open("xb"))
            self._index = self._stack.enter_context(name.with_suffix(".jsonl").open("xb+"))
            self._lines.append(self._index)
        offset = self._pack.tell()
        self._pack.write(made.data)
        self._pack.flush()
        span = Span(path=self._pack.name, offset=offset, length=len(made.data))
        picture = ImageRef(
            sha256=hashlib.sha256(made.data).hexdigest(),
            media_type=made.media_type,
            width=made.width,
            height=made.height,
            size=len(made.data),
            source=Fitted(original=original.sha256, steps=made.steps, made=span),
        )
        start = self._index.tell()
        line = _Line(original=original.sha256, picture=picture)
        self._index.write(json_bytes(line.model_dump()) + b"\n")
        self._index.flush()
        self._places[bytes.fromhex(original.sha256)] = (len(self._lines) - 1, start)
        return picture

    def _read(self, path: Path) -> None:
        file = self._stack.enter_context(path.open("rb"))
        pack = path.with_suffix(".pack")
        size = pack.stat().st_size if pack.exists() else 0
        self._lines.append(file)
        # A workspace that was moved or copied has its packs elsewhere: pictures are made again there.
        here = str(pack)
        for offset, line in _complete_lines(file):
            try:
                row = orjson.loads(line)
                made = row["picture"]["source"]["made"]
                if made["path"] == here and made["offset"] + made["length"] <= size:
                    self._places[bytes.fromhex(row["original"])] = (len(self._lines) - 1, offset)
            except (orjson.JSONDecodeError, KeyError, TypeError, ValueError):
                continue  # cut by a kill or a full disk: the picture is made again

    def _unusable(self, error: OSError) -> StoreError:
        return StoreError(
            f"Pictures made for a provider cannot be kept in {self._folder}: {error.strerror or error}. "
            "Nothing was sent. Free some space, or name another place with --cache-dir."
        )


def _recipe(rules: ImageRules) -> str:
    """A name for everything that decides what is made of a picture."""
    fields = {"media_types", "max_bytes", "max_side", "max_pixels"}
    parts = {"version": _RECIPE_VERSION, **rules.model_dump(include=fields)}
    parts["media_types"] = sorted(rules.media_types)
    return hashlib.sha256(json_bytes(parts)).hexdigest()[:16]


def _complete_lines(file: BinaryIO) -> Iterator[tuple[int, bytes]]:
    offset = 0
    for line in file:
        if line.endswith(b"\n"):
            yield offset, line
        offset += len(line)
