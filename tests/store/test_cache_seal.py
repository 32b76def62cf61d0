"""A reply that changed on disk is asked for again, not believed."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from vlbench.store.cache import CachedReply, DiskCache
from vlbench.store.canonical import json_bytes

Make = Callable[[int], tuple[str, CachedReply]]


@pytest.fixture
def stored(opened: Callable[[], DiskCache], make_entry: Make, tmp_path: Path) -> Callable[[], bytes]:
    """Writes entry 0 and closes the cache; its value as it stands in the database."""

    def write() -> bytes:
        cache = opened()
        cache.put(*make_entry(0))
        cache.close()
        with closing(sqlite3.connect(tmp_path / "replies" / "cache.db")) as connection:
            ((value,),) = connection.execute("SELECT value FROM Cache").fetchall()
        return bytes(value)

    return write


def replace_value(folder: Path, value: bytes) -> None:
    with closing(sqlite3.connect(folder / "replies" / "cache.db")) as connection, connection:
        connection.execute("UPDATE Cache SET value = ?", (value,))


def test_another_letter_in_a_reply_is_a_miss(
    stored: Callable[[], bytes], opened: Callable[[], DiskCache], make_entry: Make, tmp_path: Path
) -> None:
    value = stored()
    replace_value(tmp_path, value.replace(b"The answer is B", b"The answer is A"))
    assert opened().get(make_entry(0)[0]) is None


@pytest.mark.parametrize("at", [0, 7, 15, 16, 200, -1])
def test_a_bit_that_turned_over_anywhere_is_a_miss(
    at: int, stored: Callable[[], bytes], opened: Callable[[], DiskCache], make_entry: Make, tmp_path: Path
) -> None:
    damaged = bytearray(stored())
    damaged[at] ^= 1
    replace_value(tmp_path, bytes(damaged))
    assert opened().get(make_entry(0)[0]) is None


def test_an_entry_of_an_earlier_version_without_a_seal_is_still_read(
    stored: Callable[[], bytes], opened: Callable[[], DiskCache], make_entry: Make, tmp_path: Path
) -> None:
    stored()
    key, entry = make_entry(0)
    replace_value(tmp_path, json_bytes(entry.model_dump()))
    assert opened().get(key) == entry
