from __future__ import annotations

import errno
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vlbench.errors import StoreError
from vlbench.store.journal import Journal, read


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.jsonl"


def numbers(path: Path, offset: int = 0) -> list[object]:
    return [line.event["n"] for line in read(path, offset)]


def filled(path: Path, count: int) -> bytes:
    with Journal(path) as journal:
        for n in range(count):
            journal.append({"type": "reply", "n": n, "text": f"Zeile\n{n} – ✓"})
    return path.read_bytes()


def test_events_come_back_stamped_and_in_order(path: Path) -> None:
    with Journal(path, clock=lambda: 12.5) as journal:
        written = [journal.append({"type": "reply", "n": n}) for n in range(3)]
    assert [line.event for line in read(path)] == written
    assert written[2] == {"v": 1, "seq": 3, "time": 12.5, "type": "reply", "n": 2}


def test_an_event_is_in_the_file_when_append_returns(path: Path) -> None:
    with Journal(path) as journal:
        journal.append({"n": 0})
        assert numbers(path) == [0]


def test_the_sequence_goes_on_after_reopening_even_when_the_clock_went_back(path: Path) -> None:
    with Journal(path, clock=lambda: 100.0) as journal:
        journal.append({"n": 0})
    with Journal(path, clock=lambda: 5.0) as journal:
        assert journal.append({"n": 1})["seq"] == 2
    assert [line.event["time"] for line in read(path)] == [100.0, 5.0]


def test_reading_goes_on_from_an_offset(path: Path) -> None:
    filled(path, 5)
    second = list(read(path))[1]
    assert numbers(path, second.offset_after) == [2, 3, 4]


@settings(max_examples=60, deadline=None)
@given(cut=st.integers(min_value=0, max_value=400))
def test_a_journal_cut_anywhere_keeps_its_complete_lines(
    cut: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("cut") / "journal.jsonl"
    whole = filled(path, 4)
    cut = min(cut, len(whole))
    path.write_bytes(whole[:cut])
    complete = whole[:cut].count(b"\n")
    assert numbers(path)[:complete] == list(range(complete))
    with Journal(path) as journal:
        kept = journal.seq
        assert kept in (complete, complete + 1)
        assert journal.append({"n": "new"})["seq"] == kept + 1
    assert numbers(path) == [*range(kept), "new"]


def test_a_last_line_that_only_lacks_its_break_is_kept(path: Path) -> None:
    path.write_bytes(filled(path, 2)[:-1])
    assert numbers(path) == [0, 1]
    end = list(read(path))[-1].offset_after
    with Journal(path) as journal:
        journal.append({"n": 2})
    assert numbers(path, end) == [2]
    assert numbers(path) == [0, 1, 2]


def test_zeros_left_by_a_power_cut_are_taken_off(path: Path) -> None:
    path.write_bytes(filled(path, 2) + bytes(200_000))
    with Journal(path) as journal:
        journal.append({"n": 2})
    assert numbers(path) == [0, 1, 2]


def test_damage_in_the_middle_names_the_line(path: Path) -> None:
    lines = filled(path, 4).splitlines(keepends=True)
    lines[2] = b"\x00garbage\n"
    path.write_bytes(b"".join(lines))
    with pytest.raises(StoreError, match=r"journal\.jsonl, line 3 is damaged"):
        list(read(path))
    with pytest.raises(StoreError, match="line 3 "):
        list(read(path, len(lines[0])))
    assert [line.event["n"] for line in read(path, skip_damaged=True)] == [0, 1, 3]


def test_a_damaged_last_line_is_not_written_after(path: Path) -> None:
    path.write_bytes(filled(path, 2) + b"[1, 2]\n")
    with pytest.raises(StoreError, match="line 3 is damaged"):
        Journal(path)


def test_a_journal_of_a_newer_vlbench_says_so(path: Path) -> None:
    path.write_bytes(b'{"v":2,"seq":1,"time":0}\n')
    with pytest.raises(StoreError, match="newer vlbench"):
        list(read(path))


def test_a_missing_journal_is_empty(path: Path) -> None:
    assert list(read(path)) == []


def test_an_event_with_its_own_stamps_is_a_defect(path: Path) -> None:
    with Journal(path) as journal, pytest.raises(ValueError, match="seq"):
        journal.append({"seq": 1})


def test_half_a_surrogate_pair_does_not_lose_the_reply(path: Path) -> None:
    with Journal(path) as journal:
        journal.append({"n": "yes \ud83d B"})
    assert numbers(path) == ["yes \N{REPLACEMENT CHARACTER} B"]


def test_a_full_disk_takes_the_half_line_back_and_says_what_to_do(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.write
    room = 10

    def full(file: int, data: bytes) -> int:
        nonlocal room
        if room == 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        taken, room = real(file, data[:room]), 0
        return taken

    with Journal(path) as journal:
        journal.append({"n": 0})
        before = path.read_bytes()
        with monkeypatch.context() as patch:
            patch.setattr(os, "write", full)
            with pytest.raises(StoreError, match=r"No space left.*then resume"):
                journal.append({"n": 1})
        assert path.read_bytes() == before
        assert journal.append({"n": 1})["seq"] == 2


def test_a_directory_that_cannot_be_written_is_a_store_error(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="Cannot write the journal"):
        Journal(tmp_path / "missing" / "journal.jsonl")


WRITER = """
import sys
from pathlib import Path
from vlbench.store.journal import Journal
journal = Journal(Path(sys.argv[1]))
while True:
    event = journal.append({"type": "reply", "text": "x" * 5000})
    print(event["seq"], flush=True)
"""


def test_a_killed_writer_loses_no_acknowledged_line(path: Path) -> None:
    chance = random.Random(7)
    for _ in range(4):
        with subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE) as writer:
            assert writer.stdout is not None
            writer.stdout.readline()
            time.sleep(chance.uniform(0, 0.1))
            writer.send_signal(signal.SIGKILL)
            acknowledged = [int(line) for line in writer.stdout.read().splitlines() if line]
        seqs = [line.event["seq"] for line in read(path)]
        assert seqs == list(range(1, len(seqs) + 1))
        assert len(seqs) >= max(acknowledged, default=1)
