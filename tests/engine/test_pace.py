"""The limits as pure functions of time."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vlbench.engine.pace import SAFETY, InFlight, Pace, Window


def send_all(pace: Pace, count: int) -> list[float]:
    """The times at which `count` requests go out when each is sent as soon as it may."""
    now, sent = 0.0, []
    for _ in range(count):
        now += pace.wait(now)
        pace.take(now)
        sent.append(now)
    return sent


@given(st.integers(20, 6000))
def test_no_minute_ever_sees_more_than_the_limit_and_little_of_it_is_wasted(per_minute: int) -> None:
    sent = send_all(Pace(per_minute), 2 * per_minute)

    first_minute = sum(time < 60 for time in sent)
    assert 0.97 * per_minute - 1 <= first_minute <= per_minute
    for start in sent[:: max(1, per_minute // 20)]:
        assert sum(start <= time < start + 60 for time in sent) <= per_minute


@given(st.integers(60, 6000))
def test_requests_are_spread_evenly_so_that_a_second_never_sees_a_burst(per_minute: int) -> None:
    sent = send_all(Pace(per_minute), 200)

    gaps = [later - earlier for earlier, later in itertools.pairwise(sent)]
    assert gaps == pytest.approx([60 / (per_minute * SAFETY)] * len(gaps))


def test_a_pace_that_rested_does_not_save_up_for_a_burst() -> None:
    pace = Pace(60)
    pace.take(0.0)

    assert pace.wait(1000.0) == 0
    pace.take(1000.0)
    assert pace.wait(1000.0) > 0.9


def test_tokens_that_an_estimate_missed_are_waited_for_afterwards() -> None:
    pace = Pace(60_000)
    pace.take(0.0, 100)
    early = pace.wait(0.0)

    pace.correct(900)

    assert pace.wait(0.0) == pytest.approx(10 * early)


def test_a_new_rate_holds_from_the_next_request_on() -> None:
    pace = Pace(60)
    pace.take(0.0)
    pace.set_rate(6000)
    now = pace.wait(0.0)
    pace.take(now)

    assert pace.wait(now) == pytest.approx(0.01 / SAFETY)
    assert pace.per_minute == pytest.approx(6000)


def test_congestion_cuts_once_for_all_requests_of_the_same_episode() -> None:
    allowed = InFlight(start=40, most=64)
    allowed.count = 40

    assert allowed.congested(now=10.0, sent_at=9.0)
    assert not allowed.congested(now=10.1, sent_at=9.5)
    assert allowed.limit == 28


def test_a_lasting_storm_leads_down_to_one_request_and_never_to_none() -> None:
    allowed = InFlight(start=64, most=64)
    for second in range(60):
        allowed.count = allowed.limit
        allowed.congested(now=second + 0.5, sent_at=float(second))

    allowed.count = 0
    assert allowed.limit == 1
    assert allowed.is_free


def test_after_a_cut_the_limit_grows_back_by_one_a_round_while_it_is_used() -> None:
    allowed = InFlight(start=10, most=20)
    allowed.count = 10
    allowed.congested(now=1.0, sent_at=0.5)
    assert allowed.limit == 7

    for _ in range(30):
        for _ in range(allowed.limit):
            allowed.count = allowed.limit
            allowed.succeeded()

    assert allowed.limit == 20


def test_a_limit_that_is_not_used_does_not_grow() -> None:
    allowed = InFlight(start=10, most=20)
    allowed.count = 2
    for _ in range(100):
        allowed.succeeded()

    assert allowed.limit == 10


@given(st.lists(st.sampled_from(["ok", "congested"]), max_size=200), st.integers(1, 50), st.integers(1, 200))
def test_the_limit_stays_within_its_bounds(signs: list[str], start: int, most: int) -> None:
    allowed = InFlight(start, most)
    for at, sign in enumerate(signs):
        allowed.count = allowed.limit
        if sign == "ok":
            allowed.succeeded()
        else:
            allowed.congested(now=at + 0.5, sent_at=float(at))
        assert 1 <= allowed.limit <= most


def test_a_window_counts_what_happened_in_the_last_minute_only() -> None:
    window = Window()
    for second in range(100):
        window.add(float(second), 2)

    assert window.total(99.0) == 2 * 60
    assert window.total(1000.0) == 0
