"""The cache as JSON lines: to carry it to another machine, or to read it with other tools."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import orjson
from pydantic import ValidationError

from vlbench.errors import StoreError, UsageError
from vlbench.store.atomic import write_atomically
from vlbench.store.cache import CachedReply, ResponseCache
from vlbench.store.canonical import json_bytes
from vlbench.store.key import request_key
from vlbench.store.ordinary import open_ordinary

_LONGEST_LINE: Final = 1 << 27
"""Bytes. The largest response that is read at all is half of that."""


@dataclass(frozen=True, slots=True)
class Imported:
    """How many entries were added, and how many were there before."""

    added: int
    known: int


def export_lines(cache: ResponseCache, path: Path) -> int:
    """Write every readable entry to `path`, one JSON object a line with its `key`; how many there were.

    Raises StoreError when the file cannot be written.
    """
    count = 0

    def lines() -> Iterator[bytes]:
        nonlocal count
        for key in cache.keys():  # noqa: SIM118  # a cache is no mapping
            if (entry := cache.get(key)) is not None:
                count += 1
                yield json_bytes({"key": key, **entry.model_dump()}) + b"\n"

    write_atomically(path, lines())
    return count


def import_lines(cache: ResponseCache, path: Path) -> Imported:
    """Add the entries of an export; those the cache has already stay as they are.

    The whole file is checked before the first entry is added. Raises StoreError naming the line that is no
    entry, or whose key is not the hash of its ingredients.
    """
    for _ in _entries(path):
        pass
    added = known = 0
    for key, entry in _entries(path):
        if cache.get(key) is None:
            cache.put(key, entry)
            added += 1
        else:
            known += 1
    cache.flush()
    return Imported(added, known)


def _entries(path: Path) -> Iterator[tuple[str, CachedReply]]:
    try:
        with open_ordinary(path) as file:
            number = 0
            while line := file.readline(_LONGEST_LINE):
                number += 1
                if not line.isspace():
                    yield _entry(line, f"{path}, line {number}")
    except OSError as error:
        raise StoreError(f"Cannot read {path}: {error.strerror or error}.") from error


def _entry(line: bytes, where: str) -> tuple[str, CachedReply]:
    try:
        row = orjson.loads(line)
        key = row.pop("key")
        entry = CachedReply.model_validate(row)
        expected = request_key(entry.ingredients)
    except (
        orjson.JSONDecodeError,
        ValidationError,
        AttributeError,
        KeyError,
        TypeError,
        UsageError,
    ) as error:
        raise StoreError(f"{where} is no entry of a cache. Nothing was imported.") from error
    if key != expected:
        raise StoreError(f"{where}: the key does not belong to this request. Nothing was imported.")
    return expected, entry
