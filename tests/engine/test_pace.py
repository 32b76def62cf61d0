"""The limits as pure functions of time."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vlbench.engine.pace import SAFETY, SLACK_S, Pace, SendLog, Window


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
    sent = send_all(Pace(per_minute * SAFETY), 2 * per_minute)

    first_minute = sum(time < 60 for time in sent)
    assert 0.97 * per_minute - 1 <= first_minute <= per_minute
    for start in sent[:: max(1, per_minute // 20)]:
        assert sum(start <= time < start + 60 for time in sent) <= per_minute


@given(st.integers(60, 6000))
def test_requests_are_spread_evenly_so_that_a_second_never_sees_a_burst(per_minute: int) -> None:
    sent = send_all(Pace(per_minute * SAFETY), 200)

    gaps = [later - earlier for earlier, later in itertools.pairwise(sent)]
    even = 60 / (per_minute * SAFETY)
    assert gaps[0] >= even - SLACK_S
    assert gaps[1:] == pytest.approx([even] * (len(gaps) - 1))


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

    assert pace.wait(0.0) == pytest.approx(10 * (early + SLACK_S) - SLACK_S)


def test_a_new_rate_holds_at_once_also_for_the_wait_that_was_begun() -> None:
    pace = Pace(6)
    pace.take(0.0)
    pace.set_rate(60)

    assert pace.wait(0.0) == pytest.approx(1.0, abs=SLACK_S * 1.01)
    assert pace.per_minute == pytest.approx(60)


def test_a_late_timer_is_caught_up_with() -> None:
    pace = Pace(6000)
    now = 0.0
    for _ in range(100):
        now += pace.wait(now) + 0.002
        pace.take(now)

    assert now == pytest.approx(1.0, abs=0.02)


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), max_size=300))
def test_the_log_of_a_minute_is_that_of_a_plain_list(gaps: list[tuple[float, bool]]) -> None:
    log, plain, now = SendLog(60.0), list[float](), 0.0
    for gap, is_refused in gaps:
        now += gap
        log.add(now)
        plain.append(now)
        if is_refused:
            log.remove(plain[len(plain) // 2])
            del plain[plain.index(plain[len(plain) // 2])]
    recent = [time for time in plain if time > now - 60]

    assert log.count(now - 60, now + 1) == len(recent)
    if recent:
        assert log.nth_last(1) == recent[-1]
        assert log.nth_last_before(now + 1, len(recent)) == recent[0]
    assert log.nth_last(len(gaps) + 1) < 0


def test_a_window_counts_what_happened_in_the_last_minute_only() -> None:
    window = Window()
    for second in range(100):
        window.add(float(second), 2)

    assert window.total(99.0) == 2 * 60
    assert window.total(1000.0) == 0
