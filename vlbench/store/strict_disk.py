"""How diskcache keeps keys and values here: text keys, bytes values, inside the database, never unpickled.

diskcache's own `Disk` unpickles keys and values by what a row says, and reads and deletes the files a row
names, so whoever can write to the cache directory can run code or remove files (CVE-2025-69872, without a
fixed release). Imported only by what opens a cache, because importing diskcache takes time.
"""

from __future__ import annotations

import sqlite3
from typing import Final

from diskcache.core import MODE_RAW, UNKNOWN, Disk

REFUSED: Final = ""
"""What a key or value reads as that was not stored by this class; no key and no value of ours is empty."""


class StrictDisk(Disk):  # type: ignore[misc]  # diskcache has no types
    """Keys are str, values are bytes; everything else found in a row reads as `REFUSED`."""

    def put(self, key: object) -> tuple[str, bool]:
        if type(key) is not str:
            raise TypeError(f"a cache key is text, not {type(key).__name__}")
        return key, True

    def get(self, key: object, raw: object) -> str:
        return key if raw == 1 and isinstance(key, str) else REFUSED

    def store(
        self, value: object, read: bool, key: object = UNKNOWN
    ) -> tuple[int, int, None, sqlite3.Binary]:
        if read or type(value) is not bytes:
            raise TypeError(f"a cached value is bytes, not {type(value).__name__}")
        return 0, MODE_RAW, None, sqlite3.Binary(value)

    def fetch(self, mode: object, filename: object, value: object, read: bool) -> bytes | str:
        if mode == MODE_RAW and filename is None and isinstance(value, bytes):
            return value
        return REFUSED

    def remove(self, file_path: object) -> None:
        """Nothing: a row of ours never names a file, so one that does is not ours to obey."""
