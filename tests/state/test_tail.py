"""Following a run from outside."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tui.fake_run import TEXT, FakeRun, fake_run, samples
from vlbench.errors import StoreError
from vlbench.scoring.codes import Code
from vlbench.state.events import AttemptFailed, ReplyArrived
from vlbench.state.tail import LiveRun
from vlbench.store.samples import append_samples
from vlbench.types import Outcome


@pytest.fixture
def run(tmp_path: Path) -> Iterator[FakeRun]:
    with fake_run(tmp_path) as made:
        yield made


def test_a_poll_takes_in_what_was_written_since_the_last_one(run: FakeRun) -> None:
    run.start()
    run.reply(0)
    with LiveRun.open(run.directory) as live:
        live.poll()
        assert live.state.rows["gemini:flash", "image"].right == 1
        run.reply(1, label="D")
        assert not live.poll()
        assert live.state.rows["gemini:flash", "image"].counts[Code.WRONG] == 1
        assert live.unread == 0


def test_a_line_that_is_still_being_written_waits_for_its_end(run: FakeRun) -> None:
    run.start()
    run.reply(0)
    whole = run.directory.journal_path.read_bytes()
    with LiveRun.open(run.directory) as live:
        run.directory.journal_path.write_bytes(whole[:-40])
        live.poll()
        assert live.state.rows["gemini:flash", "image"].done == 0
        run.directory.journal_path.write_bytes(whole)
        live.poll()
        assert live.state.rows["gemini:flash", "image"].done == 1


def test_reading_stops_when_its_time_is_up_and_goes_on_later(run: FakeRun) -> None:
    run.start()
    for _ in range(20):
        for number in range(8):
            run.reply(number)
    ticks = iter(range(100_000))
    with LiveRun.open(run.directory) as live:
        assert live.poll(1.5, clock=lambda: next(ticks))
        assert 0 < live.state.last_seq < 161
        while live.poll(1.5, clock=lambda: next(ticks)):
            pass
        assert live.state.last_seq == 161


def test_the_last_word_on_a_slot_is_found_by_its_place(run: FakeRun) -> None:
    run.start()
    run.fail(2)
    run.reply(3, text="first")
    run.reply(3, text="second")
    with LiveRun.open(run.directory) as live:
        live.poll()
        failed = live.places.find(("gemini:flash", "image"), 0, 2)
        replied = live.places.find(("gemini:flash", "image"), 0, 3)
        assert failed is not None
        assert replied is not None
        assert isinstance(live.event_at(failed), AttemptFailed)
        reply = live.event_at(replied)
        assert isinstance(reply, ReplyArrived)
        assert reply.reply.text == "second"
        assert live.places.find(("gemini:flash", "image"), 0, 4) is None
        assert live.places.find(("nobody", "image"), 0, 4) is None


def test_a_reply_of_a_megabyte_is_read_back_whole(run: FakeRun) -> None:
    run.start()
    run.reply(0, text="[/]" * 400_000)
    with LiveRun.open(run.directory) as live:
        live.poll()
        place = live.places.find(("gemini:flash", "image"), 0, 0)
        assert place is not None
        event = live.event_at(place)
        assert isinstance(event, ReplyArrived)
        assert len(event.reply.text) == 1_200_000


def test_a_place_that_is_no_line_is_refused(run: FakeRun) -> None:
    run.start()
    with LiveRun.open(run.directory) as live, pytest.raises(StoreError, match="at byte 3"):
        live.event_at(3)


def test_a_run_that_was_extended_is_followed_without_opening_it_again(run: FakeRun) -> None:
    run.start()
    run.reply(0)
    with LiveRun.open(run.directory) as live:
        live.poll()
        append_samples(run.directory.samples_path, samples(12))
        run.samples[:] = samples(12)
        run.start()
        run.reply(11)
        live.poll()
        row = live.state.rows["gemini:flash", "image"]
        assert (row.total, row.right) == (12, 2)
        assert live.state.samples.get(11).id == "s00011"


def test_another_journal_in_the_same_place_is_read_anew(run: FakeRun) -> None:
    run.start()
    run.reply(0)
    run.reply(1)
    with LiveRun.open(run.directory) as live:
        live.poll()
        lines = run.directory.journal_path.read_bytes().splitlines(keepends=True)
        run.directory.journal_path.write_bytes(b"".join(lines[:2]))
        live.poll()
        assert live.state.rows["gemini:flash", "image"].done == 1


def test_damage_is_named_by_file_and_line(run: FakeRun) -> None:
    run.start()
    with open(run.directory.journal_path, "ab") as file:
        file.write(b"{}\n")
    with LiveRun.open(run.directory) as live, pytest.raises(StoreError, match="line 2"):
        live.poll()


def test_how_a_run_stands_follows_its_events_and_its_lock(run: FakeRun) -> None:
    with LiveRun.open(run.directory) as live:
        assert live.standing() == "starting"
        run.start()
        live.poll()
        assert live.standing() == "dead"
        with run.directory.lock():
            assert live.standing() == "running"
        run.end()
        live.poll()
        assert live.standing() == "ended"


def test_a_snapshot_goes_on_where_it_was_taken(run: FakeRun) -> None:
    run.start(repeats=2)
    run.reply(0, outcome=Outcome.REFUSED, repeat=1)
    run.reply(1, condition=TEXT, cached=True)
    run.fail(2, final=False)
    run.lane()
    with LiveRun.open(run.directory) as live:
        live.poll()
        assert live.write_snapshot(live.pack())
        run.reply(2)
        live.poll()
        with LiveRun.open(run.directory) as again:
            assert 0 < again.offset < live.offset
            again.poll()
            _assert_same(again, live)


def _assert_same(one: LiveRun, other: LiveRun) -> None:
    assert one.offset == other.offset
    for name in type(one.state).__dataclass_fields__:
        if name != "samples":
            assert getattr(one.state, name) == getattr(other.state, name), name
    for key, repeats in other.places.rows.items():
        for repeat, offsets in enumerate(repeats):
            for ordinal in range(len(offsets)):
                assert one.places.find(key, repeat, ordinal) == other.places.find(key, repeat, ordinal)


@pytest.mark.parametrize("damage", ["cut", "flipped", "other journal", "other samples", "no file", "pipe"])
def test_a_snapshot_that_does_not_fit_is_as_if_there_were_none(run: FakeRun, damage: str) -> None:
    run.start()
    run.reply(0)
    with LiveRun.open(run.directory) as live:
        live.poll()
        live.write_snapshot(live.pack())
        path, kept = live.snapshot_path, live.snapshot_path.read_bytes()
    match damage:
        case "cut":
            path.write_bytes(kept[:-1])
        case "flipped":
            path.write_bytes(kept[:-1] + bytes([kept[-1] ^ 1]))
        case "other journal":
            lines = run.directory.journal_path.read_bytes()
            run.directory.journal_path.write_bytes(lines.replace(b"I think", b"I thimk"))
        case "other samples":
            text = run.directory.samples_path.read_bytes()
            run.directory.samples_path.write_bytes(text.replace(b'"gold":"A"', b'"gold":"B"', 1))
        case "pipe":
            path.unlink()
            os.mkfifo(path)
        case _:
            path.unlink()
    with LiveRun.open(run.directory) as again:
        assert again.offset == 0
        again.poll()
        assert again.state.rows["gemini:flash", "image"].done == 1


def test_a_directory_that_cannot_be_written_to_only_lacks_a_snapshot(run: FakeRun) -> None:
    run.start()
    with LiveRun.open(run.directory) as live:
        live.poll()
        os.makedirs(live.snapshot_path)
        assert not live.write_snapshot(live.pack())
