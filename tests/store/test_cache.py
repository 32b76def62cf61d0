from __future__ import annotations

import os
import pickle
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from vlbench.errors import StoreError
from vlbench.store import cache_opening, exchange, file_system
from vlbench.store.cache import CachedReply, DiskCache
from vlbench.store.cache_opening import open_cache
from vlbench.store.exchange import Imported, export_lines, import_lines

Entry = tuple[str, CachedReply]
Make = Callable[[int], Entry]
Open = Callable[[], DiskCache]


def database(directory: Path) -> Path:
    return directory / "replies" / "cache.db"


def stored(opened: Open, *entries: Entry) -> None:
    cache = opened()
    for key, entry in entries:
        cache.put(key, entry)
    cache.close()


def edit(directory: Path, statement: str, *values: object) -> None:
    connection = sqlite3.connect(database(directory))
    with connection:
        connection.execute(statement, values)
    connection.close()


def test_a_reply_is_found_at_once_and_after_reopening(opened: Open, make_entry: Make) -> None:
    key, entry = make_entry(0)
    cache = opened()
    cache.put(key, entry)
    assert cache.get(key) == entry
    cache.close()
    assert opened().get(key) == entry


def test_an_unknown_key_is_a_miss(opened: Open) -> None:
    assert opened().get("0" * 64) is None


def test_a_later_reply_replaces_an_earlier_one(opened: Open, make_entry: Make) -> None:
    (key, first), (_, second) = make_entry(0), make_entry(1)
    stored(opened, (key, first))
    stored(opened, (key, second))
    assert opened().get(key) == second


def test_many_replies_are_all_kept(opened: Open, make_entry: Make) -> None:
    entries = [make_entry(n) for n in range(500)]
    stored(opened, *entries)
    cache = opened()
    assert list(cache.keys()) == [key for key, _ in entries]
    assert len(cache) == 500
    assert cache.size_bytes() > 100_000
    assert cache.clear() == 500
    assert len(cache) == 0


def test_what_one_process_wrote_another_finds(opened: Open, make_entry: Make) -> None:
    one, two = opened(), opened()
    key, entry = make_entry(0)
    one.put(key, entry)
    one.flush()
    assert two.get(key) == entry


def test_the_directory_is_closed_to_other_users(opened: Open, tmp_path: Path) -> None:
    opened()
    assert (tmp_path / "replies").stat().st_mode & 0o077 == 0


class Bomb:
    """Unpickling this makes a file."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[object, ...]:
        return Path.touch, (self.mark,)


def test_a_planted_pickle_is_never_run(opened: Open, make_entry: Make, tmp_path: Path) -> None:
    mark = tmp_path / "run"
    bomb = pickle.dumps(Bomb(mark))
    (key, entry), (other, _) = make_entry(0), make_entry(1)
    stored(opened, (key, entry), (other, entry))
    edit(tmp_path, "UPDATE Cache SET mode = 4, value = ? WHERE key = ?", bomb, key)
    edit(tmp_path, "INSERT INTO Cache (key, raw, mode, value) VALUES (?, 0, 1, ?)", bomb, b"x")
    cache = opened()
    assert cache.get(key) is None
    assert list(cache.keys()) == [key, other]
    cache.put(key, entry)
    cache.flush()
    assert cache.get(key) == entry
    cache.clear()
    assert not mark.exists()


@pytest.mark.parametrize("mode", [1, 2, 3, 4])
def test_a_planted_file_name_is_neither_read_nor_removed(
    mode: int, opened: Open, make_entry: Make, tmp_path: Path
) -> None:
    key, entry = make_entry(0)
    stored(opened, (key, entry))
    precious = tmp_path / "precious.json"
    precious.write_bytes(entry.model_dump_json().encode())
    for name in (str(precious), "../precious.json"):
        edit(tmp_path, "UPDATE Cache SET mode = ?, value = NULL, filename = ? WHERE key = ?", mode, name, key)
        cache = opened()
        assert cache.get(key) is None
        cache.put(key, entry)
        cache.close()
        assert opened().get(key) == entry
    edit(tmp_path, "UPDATE Cache SET mode = ?, value = NULL, filename = ?", mode, str(precious))
    opened().clear()
    assert precious.exists()


@pytest.mark.parametrize("value", [b"", b"not json", b"{}", "text", 7, None])
def test_a_row_that_is_no_entry_is_a_miss(
    value: object, opened: Open, make_entry: Make, tmp_path: Path
) -> None:
    key, entry = make_entry(0)
    stored(opened, (key, entry))
    edit(tmp_path, "UPDATE Cache SET value = ? WHERE key = ?", value, key)
    assert opened().get(key) is None


@pytest.mark.parametrize(
    "damage",
    [
        lambda path: path.write_bytes(b"garbage" * 1000),
        lambda path: path.write_bytes(path.read_bytes()[:5000]),
        lambda path: edit(path.parent.parent, "INSERT INTO Settings VALUES ('_disk', 'x')"),
        lambda path: edit(path.parent.parent, "DROP TABLE Settings"),
    ],
    ids=["garbage", "cut", "foreign setting", "foreign file"],
)
def test_a_damaged_database_is_kept_aside_and_begun_anew(
    damage: Callable[[Path], object], opened: Open, make_entry: Make, tmp_path: Path
) -> None:
    key, entry = make_entry(0)
    stored(opened, *(make_entry(n) for n in range(100)))
    damage(database(tmp_path))
    ready = open_cache(tmp_path, on_warning=pytest.fail)
    assert len(ready.warnings) == 1
    assert "could not be read" in ready.warnings[0]
    assert len(list((tmp_path / "replies").glob("cache.db.corrupt-*"))) >= 1
    assert ready.cache.get(key) is None
    ready.cache.put(key, entry)
    ready.cache.close()
    assert opened().get(key) == entry


def test_damage_found_in_use_turns_the_cache_off_and_is_mended_next_time(
    opened: Open, make_entry: Make, tmp_path: Path
) -> None:
    entries = [make_entry(n) for n in range(300)]
    stored(opened, *entries)
    said: list[str] = []
    ready = open_cache(tmp_path, on_warning=said.append)
    size = database(tmp_path).stat().st_size
    with open(database(tmp_path), "r+b") as file:
        file.seek(8192)
        file.write(b"\xff" * (size - 8192))
    assert [ready.cache.get(key) for key, _ in entries][-1] is None
    ready.cache.close()
    assert len(said) == 1
    assert "The run goes on" in said[0]
    again = open_cache(tmp_path, on_warning=pytest.fail)
    assert "found damaged while in use" in again.warnings[0]
    again.cache.close()
    opened()


def test_a_full_disk_turns_the_cache_off_with_one_warning(
    make_entry: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    cache = open_cache(tmp_path, on_warning=said.append).cache

    def full(*_: object, **__: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(cache._store, "set", full)
    for n in range(200):
        cache.put(*make_entry(n))
    cache.flush()
    assert cache.is_off
    cache.put(*make_entry(201))
    assert cache.get(make_entry(201)[0]) is None
    cache.flush()
    cache.close()
    assert len(said) == 1
    assert "disk is full" in said[0]
    assert not (tmp_path / "replies" / "damaged").exists()


def test_a_foreign_lock_in_use_is_waited_for_and_then_given_up(
    make_entry: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache_opening, "_BUSY_S", 0.02)
    said: list[str] = []
    cache = open_cache(tmp_path, on_warning=said.append).cache
    other = sqlite3.connect(database(tmp_path), isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    cache.put(*make_entry(0))
    cache.flush()
    cache.close()
    other.close()
    assert len(said) == 1
    assert "keeps it locked" in said[0]


def test_a_foreign_lock_at_opening_stops_before_paying(
    opened: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened().close()
    monkeypatch.setattr(cache_opening, "_LOCKED_WAIT_S", 0.05)
    other = sqlite3.connect(database(tmp_path), isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreError, match=r"locked by another program.*--cache-dir"):
        open_cache(tmp_path, on_warning=pytest.fail)
    other.close()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_directory_stops_before_paying(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(StoreError, match=r"Nothing was sent.*--cache-dir"):
        open_cache(tmp_path / "cache", on_warning=pytest.fail)
    tmp_path.chmod(0o700)


def test_a_file_in_place_of_the_directory_stops_before_paying(tmp_path: Path) -> None:
    (tmp_path / "cache").write_bytes(b"")
    with pytest.raises(StoreError, match=r"Nothing was sent.*--cache-dir"):
        open_cache(tmp_path / "cache", on_warning=pytest.fail)


def test_on_a_network_file_system_a_local_directory_is_used(
    make_entry: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text(
        f"/dev/sda1 / ext4 rw 0 0\nserver:/home {tmp_path}/home nfs4 rw 0 0\n", encoding="utf-8"
    )
    real = file_system.network_kind
    monkeypatch.setattr(cache_opening, "network_kind", lambda path: real(path, mounts))
    monkeypatch.setattr(cache_opening, "local_directory", lambda: tmp_path / "local")
    ready = open_cache(tmp_path / "home" / "me" / "cache", on_warning=pytest.fail)
    ready.cache.close()
    assert "network file system (nfs4)" in ready.warnings[0]
    assert database(tmp_path / "local").exists()
    assert not (tmp_path / "home").exists()


PROCESS = """
import sys
from pathlib import Path
from vlbench.store.cache import CachedReply
from vlbench.store.cache_opening import open_cache
from vlbench.types import Reply
name = sys.argv[2]
ready = open_cache(Path(sys.argv[1]), on_warning=sys.exit)
assert not ready.warnings
entry = CachedReply(ingredients={}, reply=Reply(text=name), created=0, latency_s=0)
endless = name == "endless"
n = 0
while endless or n < 20:
    ready.cache.put(f"{name}-{n}", entry)
    n += 1
    if endless:
        ready.cache.flush()
        print(n, flush=True)
ready.cache.close()
"""


def test_eight_processes_may_open_one_cache_at_once(opened: Open, tmp_path: Path) -> None:
    command = [sys.executable, "-c", PROCESS, str(tmp_path)]
    running = [subprocess.Popen([*command, str(n)]) for n in range(8)]
    assert [process.wait(60) for process in running] == [0] * 8
    assert len(opened()) == 160


def test_a_killed_writer_leaves_a_cache_that_opens_with_all_it_flushed(opened: Open, tmp_path: Path) -> None:
    chance = random.Random(3)
    for _ in range(3):
        command = [sys.executable, "-c", PROCESS, str(tmp_path), "endless"]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as writer:
            assert writer.stdout is not None
            writer.stdout.readline()
            time.sleep(chance.uniform(0, 0.05))
            writer.send_signal(signal.SIGKILL)
            flushed = 1 + len(writer.stdout.read().splitlines()[:-1])
        cache = opened()
        assert all(cache.get(f"endless-{n}") is not None for n in range(flushed))
        cache.close()


def test_an_export_can_be_imported_elsewhere(opened: Open, make_entry: Make, tmp_path: Path) -> None:
    entries = [make_entry(n) for n in range(5)]
    stored(opened, *entries)
    lines = tmp_path / "out.jsonl"
    assert export_lines(opened(), lines) == 5
    other = open_cache(tmp_path / "other", on_warning=pytest.fail).cache
    other.put(*entries[0])
    assert import_lines(other, lines) == Imported(added=4, known=1)
    assert [other.get(key) for key, _ in entries] == [entry for _, entry in entries]
    other.close()


@pytest.mark.parametrize("line", ['{"key": "x"}', "[]", "?", '{"key": "%s", "reply": 1}'])
def test_a_bad_line_imports_nothing(line: str, opened: Open, make_entry: Make, tmp_path: Path) -> None:
    cache = opened()
    cache.put(*make_entry(0))
    lines = tmp_path / "out.jsonl"
    export_lines(cache, lines)
    lines.write_text(lines.read_text(encoding="utf-8") + line + "\n", encoding="utf-8")
    other = open_cache(tmp_path / "other", on_warning=pytest.fail).cache
    with pytest.raises(StoreError, match=r"line 2.*Nothing was imported"):
        import_lines(other, lines)
    assert len(other) == 0
    other.close()


def test_a_line_longer_than_any_entry_is_not_read_to_its_end(
    opened: Open, make_entry: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = opened()
    cache.put(*make_entry(0))
    lines = tmp_path / "out.jsonl"
    export_lines(cache, lines)
    monkeypatch.setattr(exchange, "_LONGEST_LINE", lines.stat().st_size - 2)
    with pytest.raises(StoreError, match=r"out\.jsonl, line 1 is no entry"):
        import_lines(cache, lines)
    monkeypatch.setattr(exchange, "_LONGEST_LINE", lines.stat().st_size)
    assert import_lines(cache, lines) == Imported(added=0, known=1)


@pytest.mark.parametrize("make", [os.mkfifo, lambda path: path.symlink_to("/dev/zero")])
def test_an_export_must_be_a_file(opened: Open, tmp_path: Path, make: Callable[[Path], None]) -> None:
    make(tmp_path / "out.jsonl")
    with pytest.raises(StoreError, match=r"out\.jsonl is no ordinary file"):
        import_lines(opened(), tmp_path / "out.jsonl")


def test_an_entry_under_a_foreign_key_is_not_imported(opened: Open, make_entry: Make, tmp_path: Path) -> None:
    cache = opened()
    cache.put("0" * 64, make_entry(0)[1])
    export_lines(cache, tmp_path / "out.jsonl")
    with pytest.raises(StoreError, match="the key does not belong"):
        import_lines(cache, tmp_path / "out.jsonl")
