"""The quick way into the state gives what the careful one gives."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import JsonValue

from tests.tui.fake_run import TEXT, FakeRun, fake_run
from vlbench.errors import StoreError
from vlbench.state.events import Control, parse_event
from vlbench.state.fold import RunState
from vlbench.state.replay import take_in
from vlbench.store import journal
from vlbench.store.samples import SampleIndex
from vlbench.types import Outcome


@pytest.fixture
def run(tmp_path: Path) -> Iterator[FakeRun]:
    with fake_run(tmp_path) as made:
        made.start(repeats=2)
        yield made


@pytest.fixture
def samples(run: FakeRun) -> Iterator[SampleIndex]:
    with SampleIndex.open(run.directory.samples_path) as index:
        yield index


def test_both_ways_lead_to_the_same_state(run: FakeRun, samples: SampleIndex) -> None:
    run.reply(0)
    run.reply(0, repeat=1, label="C")
    run.reply(1, condition=TEXT, outcome=Outcome.REFUSED, cached=True)
    run.reply(0, label="B")
    run.fail(2)
    run.fail(2, final=False, kind="timeout", status=None)
    run.lane()
    run.write(Control(action="pause"))
    run.end("partial")
    quick, careful = RunState(samples), RunState(samples)
    for line in journal.read(run.directory.journal_path):
        take_in(quick, line.event)
        careful.apply(parse_event(line.event))
    assert quick == careful
    assert quick.rows["gemini:flash", "image"].right == 0


@pytest.mark.parametrize(
    "damage",
    [
        {"answer": {"outcome": "answered", "labels": "A"}},
        {"answer": None},
        {"reply": "text"},
        {"reply": {"text": "A", "usage": {"input_tokens": "many"}}},
        {"repeat": "first"},
        {"repeat": 2},
        {"repeat": -1},
        {"sample": "another"},
        {"condition": "grey"},
    ],
)
def test_a_line_that_is_no_reply_changes_nothing_and_is_named(
    run: FakeRun, samples: SampleIndex, damage: dict[str, JsonValue]
) -> None:
    run.reply(0)
    started, reply = (line.event for line in journal.read(run.directory.journal_path))
    state = RunState(samples)
    take_in(state, started)
    with pytest.raises(StoreError):
        take_in(state, {**reply, **damage})
    assert all(row.done == 0 for row in state.rows.values())
