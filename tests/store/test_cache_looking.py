"""Looking into a cache from outside leaves no trace, whoever else uses it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from vlbench.errors import StoreError
from vlbench.store.cache import CachedReply, DiskCache
from vlbench.store.cache_looking import look_into
from vlbench.store.cache_opening import database_in, open_cache

Entry = tuple[str, CachedReply]
MakeEntry = Callable[[int], Entry]

WRITER = """
import sys
from pathlib import Path
from vlbench.store.cache import CachedReply
from vlbench.store.cache_opening import open_cache
cache = open_cache(Path(sys.argv[1]), on_warning=print).cache
for line in sys.stdin:
    key, _, entry = line.partition(" ")
    cache.put(key, CachedReply.model_validate_json(entry))
    cache.flush()
    print(key, flush=True)
cache.close()
"""


@contextmanager
def _other_process(directory: Path) -> Iterator[Callable[[Entry], None]]:
    """A process that has the cache open, and what makes it write an entry."""
    command = [sys.executable, "-c", WRITER, str(directory)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdin is not None
        assert other.stdout is not None
        to, said = other.stdin, other.stdout

        def write(entry: Entry) -> None:
            key, value = entry
            to.write(f"{key} {value.model_dump_json()}\n")
            to.flush()
            assert said.readline().strip() == key

        yield write
        to.close()


def _traces(directory: Path) -> dict[str, tuple[bytes, int]]:
    """Every file with its bytes and when it was changed, and when the directories were."""
    paths = [directory, *directory.rglob("*")]
    return {
        str(path): (path.read_bytes() if path.is_file() else b"", path.stat().st_mtime_ns) for path in paths
    }


def _keys(directory: Path) -> list[str]:
    with look_into(directory) as stored:
        return list(stored.keys())  # a cache is no mapping


def _kept(directory: Path, *entries: Entry) -> None:
    cache: DiskCache = open_cache(directory, on_warning=pytest.fail).cache
    for key, entry in entries:
        cache.put(key, entry)
    cache.close()


@pytest.mark.parametrize("name", ["cache", "100% of a?b#c"])
def test_a_closed_cache_is_read_without_a_trace(tmp_path: Path, make_entry: MakeEntry, name: str) -> None:
    entries = [make_entry(number) for number in range(3)]
    _kept(tmp_path / name, *entries)
    before = _traces(tmp_path)
    with look_into(tmp_path / name) as stored:
        assert list(stored.keys()) == [key for key, _ in entries]
        assert [stored.get(key) for key, _ in entries] == [entry for _, entry in entries]
        assert stored.get("0" * 64) is None
    assert _traces(tmp_path) == before


def test_a_cache_is_read_while_another_process_writes_to_it(tmp_path: Path, make_entry: MakeEntry) -> None:
    entries = [make_entry(number) for number in range(4)]
    with _other_process(tmp_path) as write:
        write(entries[0])
        write(entries[1])
        before = _traces(tmp_path)
        with look_into(tmp_path) as stored:
            keys = stored.keys()
            assert next(keys) == entries[0][0]
            assert stored.get(entries[1][0]) == entries[1][1]
            assert _traces(tmp_path) == before
            write(entries[2])
            assert list(keys) == [entries[1][0]], "a look at all keys is at one moment"
            assert stored.get(entries[2][0]) == entries[2][1]
        write(entries[3])
    assert _keys(tmp_path) == [key for key, _ in entries]


def test_what_a_killed_process_wrote_is_read_without_mending_it(
    tmp_path: Path, make_entry: MakeEntry
) -> None:
    cache, left = tmp_path / "cache", tmp_path / "left"
    _kept(cache, make_entry(0))
    with _other_process(cache) as write:
        write(make_entry(1))
        # A copy of it is what a kill at this moment would leave behind.
        shutil.copytree(cache, left)
    before = _traces(left)
    assert _keys(left) == [make_entry(0)[0], make_entry(1)[0]]
    assert _traces(left) == before


def test_a_look_that_is_given_up_ends_early(tmp_path: Path, make_entry: MakeEntry) -> None:
    _kept(tmp_path, *(make_entry(number) for number in range(5)))
    asked = iter([False, False, True])
    with look_into(tmp_path, lambda: next(asked)) as stored:
        assert len(list(stored.keys())) == 2


def test_a_cache_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="There is no cache in"), look_into(tmp_path / "none"):
        pass
    assert not (tmp_path / "none").exists()


def test_a_damaged_cache_is_named_and_left_as_it_is(tmp_path: Path, make_entry: MakeEntry) -> None:
    _kept(tmp_path, make_entry(0))
    database = database_in(tmp_path)
    database.write_bytes(b"no database at all" * 1000)
    before = _traces(tmp_path)
    with pytest.raises(StoreError, match="cannot be read"):
        _keys(tmp_path)
    assert _traces(tmp_path) == before


def test_an_entry_that_turned_over_is_as_if_it_were_not_there(tmp_path: Path, make_entry: MakeEntry) -> None:
    key, entry = make_entry(0)
    _kept(tmp_path, (key, entry))
    database = database_in(tmp_path)
    stored = database.read_bytes()
    assert stored.count(b"The answer is B.") == 1
    database.write_bytes(stored.replace(b"The answer is B.", b"The answer is C."))
    with look_into(tmp_path) as view:
        assert view.get(key) is None


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_cache_one_may_not_read_is_named(tmp_path: Path, make_entry: MakeEntry) -> None:
    _kept(tmp_path, make_entry(0))
    database_in(tmp_path).chmod(0)
    with pytest.raises(StoreError, match="cannot be read"):
        _keys(tmp_path)
