"""Looking into a cache from outside: nothing is made, written, locked or mended, whatever its state."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import quote

from vlbench.errors import StoreError
from vlbench.store.cache import CachedReply, entry_in
from vlbench.store.cache_opening import database_in


@contextmanager
def look_into(directory: Path, given_up: Callable[[], bool] = lambda: False) -> Iterator[CacheView]:
    """The cache a run with this cache directory uses; `given_up` ends a long look at all keys early.

    Raises StoreError when there is none, or it cannot be read.
    """
    database = database_in(directory)
    if not database.is_file():
        raise StoreError(f"There is no cache in {directory}.")
    try:
        with closing(sqlite3.connect(_address(database), uri=True)) as connection:
            yield CacheView(connection, given_up)
    except sqlite3.Error as error:
        raise StoreError(f"The cache {database} cannot be read: {error}.") from error


def _address(database: Path) -> str:
    """How SQLite opens the file without making or changing one of the two that stand beside it.

    Both are there while somebody has the cache open, and after a kill. Without them, plain read-only mode
    would make them; all that was written is then in the database itself.
    """
    beside = [database.with_name(f"{database.name}{suffix}") for suffix in ("-wal", "-shm")]
    how = "readonly_shm=1" if all(path.exists() for path in beside) else "immutable=1"
    return f"file:{quote(str(database))}?mode=ro&{how}"


class CacheView:
    """`StoredReplies` of a database that others may be writing to. Use it from the thread that made it."""

    def __init__(self, connection: sqlite3.Connection, given_up: Callable[[], bool]) -> None:
        self._connection = connection
        self._given_up = given_up

    def get(self, key: str) -> CachedReply | None:
        found = self._connection.execute(
            "SELECT value FROM Cache WHERE key = ? AND raw = 1 AND filename IS NULL", (key,)
        ).fetchone()
        return entry_in(found[0]) if found else None

    def keys(self) -> Iterator[str]:
        for (key,) in self._connection.execute("SELECT key FROM Cache ORDER BY rowid"):
            if self._given_up():
                return
            if isinstance(key, str):
                yield key
