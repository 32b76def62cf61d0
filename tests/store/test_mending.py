"""Damaged lines are set aside, and nothing else is touched."""

from __future__ import annotations

from pathlib import Path

import pytest

from vlbench.errors import StoreError
from vlbench.store.journal import Journal, JournalDamaged, read
from vlbench.store.mending import set_damaged_aside

JUNK = (b"\xff\x00 garbage\n", b"[1, 2]\n", b'{"seq": 3}\n', b'{"v":1,"seq"\n')


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "journal.jsonl"
    with Journal(path) as journal:
        for n in range(6):
            journal.append({"n": n})
    return path


def numbers(path: Path, offset: int = 0) -> list[object]:
    return [line.event["n"] for line in read(path, offset)]


def damage(path: Path, *places: int) -> bytes:
    """Put junk in place of the lines with these indexes; all of the junk."""
    lines = path.read_bytes().splitlines(keepends=True)
    for at, place in enumerate(places):
        lines[place] = JUNK[at]
    path.write_bytes(b"".join(lines))
    return b"".join(JUNK[: len(places)])


def test_a_damaged_journal_reads_on_once_its_lines_are_set_aside(path: Path) -> None:
    junk = damage(path, 1, 2, 4)
    with pytest.raises(JournalDamaged, match=r"line 2 is damaged.*vlbench resume"):
        list(read(path))

    assert set_damaged_aside(path) == (2, 3, 5)

    assert numbers(path) == [0, 3, 5]
    assert path.with_name("journal.jsonl.damaged").read_bytes() == junk
    with Journal(path) as journal:
        assert journal.append({"n": "next"})["seq"] == 7


def test_a_reader_in_another_process_keeps_its_place(path: Path) -> None:
    places = [line.offset_after for line in read(path)]
    size = path.stat().st_size
    lines = path.read_bytes().splitlines(keepends=True)
    lines[1] = b"?" * (len(lines[1]) - 1) + b"\n"
    path.write_bytes(b"".join(lines))

    set_damaged_aside(path)

    assert path.stat().st_size == size
    assert numbers(path, places[2]) == [3, 4, 5]


def test_damage_at_the_end_is_set_aside_too(path: Path) -> None:
    damage(path, 5)
    set_damaged_aside(path)
    with Journal(path) as journal:
        assert journal.seq == 5


def test_a_second_damage_keeps_what_was_set_aside_before(path: Path) -> None:
    junk = damage(path, 1)
    set_damaged_aside(path)
    junk += damage(path, 3)
    assert set_damaged_aside(path) == (4,)
    assert path.with_name("journal.jsonl.damaged").read_bytes() == junk


def test_a_line_of_a_newer_vlbench_is_left_alone(path: Path) -> None:
    damage(path, 1)
    with open(path, "ab") as file:
        file.write(b'{"v":2,"seq":7,"time":0}\n')
    before = path.read_bytes()
    with pytest.raises(StoreError, match=r"line 7: written by a newer vlbench"):
        set_damaged_aside(path)
    assert path.read_bytes() == before


def test_a_journal_that_cannot_be_written_is_a_store_error(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="cannot be mended"):
        set_damaged_aside(tmp_path / "missing" / "journal.jsonl")
