"""What the view derives from a run."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tui.fake_run import TEXT, fake_run, variant
from vlbench.state.tail import LiveRun
from vlbench.tui.tally import tally
from vlbench.tui.watched import Watched, totals_of
from vlbench.types import Price


def test_time_goes_on_between_events_by_the_views_own_clock(tmp_path: Path) -> None:
    now = 50.0
    with fake_run(tmp_path) as run, run.directory.lock(), LiveRun.open(run.directory) as live:
        watched = Watched(live, clock=lambda: now)
        assert watched.elapsed_s is None
        run.start()
        run.reply(0)
        watched.look()
        assert watched.elapsed_s == pytest.approx(0.1, abs=0.01)
        now += 7
        assert watched.elapsed_s == pytest.approx(7.1, abs=0.01)
        run.end()
        watched.look()
        now += 7
        watched.look()
        assert watched.elapsed_s == pytest.approx(0.2, abs=0.01)


def test_the_eta_counts_what_is_left_at_the_pace_of_the_last_minute(tmp_path: Path) -> None:
    with fake_run(tmp_path, count=1000, conditions=(TEXT,)) as run, LiveRun.open(run.directory) as live:
        run.start()
        for number in range(200):
            run.reply(number, condition=TEXT, cached=True)
        run.now[0] += 100
        run.lane()
        with run.directory.lock():
            watched = Watched(live, clock=lambda: 0.0)
            watched.look()
            # 800 are left and 600 a minute are sent.
            assert watched.eta_s == pytest.approx(80.0, abs=0.1)
            run.lane(waiting_s=12.0)
            watched.look()
            assert watched.eta_s == pytest.approx(92.0, abs=0.1)


def test_there_is_no_eta_before_anything_was_sent(tmp_path: Path) -> None:
    with fake_run(tmp_path) as run, run.directory.lock(), LiveRun.open(run.directory) as live:
        run.start()
        watched = Watched(live, clock=lambda: 0.0)
        watched.look()
        assert watched.standing == "running"
        assert watched.eta_s is None


def test_damage_is_told_and_the_view_goes_on_with_what_it_has(tmp_path: Path) -> None:
    with fake_run(tmp_path) as run, LiveRun.open(run.directory) as live:
        run.start()
        run.reply(0)
        with open(run.directory.journal_path, "ab") as file:
            file.write(b"[]\n")
        watched = Watched(live)
        watched.look()
        assert "line 3" in watched.problem
        assert totals_of(watched.state).done == 1


def test_scores_are_not_made_again_while_nothing_has_changed(tmp_path: Path) -> None:
    now = 0.0
    with fake_run(tmp_path) as run, LiveRun.open(run.directory) as live:
        run.start()
        run.reply(0)
        watched = Watched(live, clock=lambda: now)
        watched.look()
        order = watched.order()
        assert order is not None
        watched.tally = tally(order)
        now += 10
        assert watched.order() is None
        run.reply(1)
        watched.look()
        assert watched.order() is not None
        assert watched.order() is None, "the next one is not due yet"


def test_what_is_not_priced_is_not_spent(tmp_path: Path) -> None:
    priced = variant("gpt:gpt-5").model_copy(update={"price": Price(input=1.25, output=10.0)})
    with (
        fake_run(tmp_path, variants=(priced, variant("local:m"))) as run,
        LiveRun.open(run.directory) as live,
    ):
        run.start()
        for number in range(4):
            run.reply(number)
            run.reply(number, who=1)
        run.reply(4, cached=True)
        watched = Watched(live)
        watched.look()
        order = watched.order()
        assert order is not None
        made = tally(order)
    assert made.spent == {"gpt:gpt-5": pytest.approx(4 * (100 * 1.25 + 10 * 10) / 1e6)}
    assert made.spend(2) is None, "the other one's price is not known"
    assert made.spend(1) == made.spent["gpt:gpt-5"]
