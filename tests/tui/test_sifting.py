"""Which samples are listed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tui.fake_run import fake_run, variant
from vlbench.state.tail import LiveRun
from vlbench.tui.sifting import Sieve, Slot
from vlbench.types import Outcome


@pytest.fixture
def live(tmp_path: Path) -> Iterator[LiveRun]:
    with fake_run(tmp_path, variants=(variant(), variant("gpt:sol"))) as run:
        run.start(repeats=2)
        run.reply(0)
        run.reply(1, label="A")
        run.reply(2, outcome=Outcome.BLOCKED, text="")
        run.reply(3, label="A", repeat=1)
        run.reply(0, who=1, label="B")
        run.reply(1, who=1, label="C")
        with LiveRun.open(run.directory) as opened:
            opened.poll()
            yield opened


def _found(live: LiveRun, typed: str) -> list[tuple[int, int]]:
    row = live.state.rows["gemini:flash", "image"]
    return [(slot.ordinal, slot.repeat) for slot in Sieve.parse(typed).slots(live.state, row)]


def test_an_outcome_finds_its_samples_in_every_repeat(live: LiveRun) -> None:
    assert _found(live, "wrong") == [(1, 0), (3, 1)]
    assert _found(live, "right") == [(0, 0)]
    assert _found(live, "refused") == [(2, 0)]


def test_words_look_into_category_and_id(live: LiveRun) -> None:
    assert _found(live, "wrong shape") == [(1, 0)]
    assert _found(live, "S00003 wrong") == [(3, 1)]
    assert _found(live, "reasoning order wrong perception") == []


def test_disagreement_is_one_right_and_one_wrong(live: LiveRun) -> None:
    assert _found(live, "disagree") == [(0, 0)]


def test_without_an_outcome_every_sample_is_listed(live: LiveRun) -> None:
    assert len(_found(live, "")) == 16
    assert str(Sieve.parse("colour")) == "all colour"
    assert Slot(0, 0) in Sieve.parse("").slots(live.state, live.state.rows["gemini:flash", "image"])
