"""The rate of one account, sign by sign; whole lanes are in `test_limits`."""

from __future__ import annotations

import pytest

from vlbench.engine.pace import SAFETY, SLACK_S
from vlbench.engine.request_rate import RequestRate
from vlbench.types import Allowance


def test_without_any_sign_of_a_limit_nothing_is_held_back() -> None:
    rate = RequestRate(None)
    for _ in range(1000):
        assert rate.wait(0.0) == 0
        rate.take(0.0)

    assert rate.per_minute is None


def test_a_wait_the_server_names_holds_everybody_for_exactly_that() -> None:
    rate = RequestRate(None)
    rate.take(0.0)
    rate.refused(0.1, 0.0, 75.0)

    assert rate.wait(0.1) == pytest.approx(75.0)


def test_after_a_refusal_one_request_goes_ahead_alone() -> None:
    rate = RequestRate(None)
    rate.take(0.0)
    rate.refused(0.1, 0.0, 1.0)
    assert rate.wait(1.1) == 0
    rate.take(1.1)

    assert rate.wait(1.11) > 0.2


def test_waits_without_a_name_double_up_to_a_minute() -> None:
    rate = RequestRate(None)
    now, waits = 0.0, []
    for _ in range(14):
        rate.take(now)
        rate.refused(now, now, None)
        waits.append(rate.wait(now))
        now += waits[-1]

    assert waits[:4] == pytest.approx([0.2, 0.4, 0.8, 1.6])
    assert max(waits) == 60


def test_what_got_in_before_a_long_refusal_is_the_limit_of_a_minute() -> None:
    rate = RequestRate(None)
    for number in range(30):
        rate.take(number * 0.01)
    rate.take(0.3)
    rate.refused(0.31, 0.3, 59.7)
    rate.take(60.1)
    rate.accepted(61.0, 60.1)

    assert rate.per_minute == pytest.approx(30)


def test_a_known_limit_is_a_bound_whatever_headers_say() -> None:
    rate = RequestRate(60)
    rate.told(Allowance(limit=600), 0.0)

    assert rate.per_minute == pytest.approx(60)


def test_a_limit_in_headers_is_followed_when_it_changes() -> None:
    rate = RequestRate(None)
    rate.told(Allowance(limit=600), 0.0)
    rate.told(Allowance(limit=60), 0.0)
    rate.take(0.0)

    assert rate.per_minute == pytest.approx(60)
    assert rate.wait(0.0) == pytest.approx(1 / SAFETY, abs=SLACK_S)


def test_a_minute_that_others_have_used_up_is_waited_for() -> None:
    rate = RequestRate(None)
    rate.told(Allowance(limit=100, remaining=0, reset_s=20.0), 1.0)

    assert rate.wait(1.0) == pytest.approx(20.0)


def test_a_second_that_is_used_up_is_not_waited_for() -> None:
    rate = RequestRate(None)
    rate.told(Allowance(limit=600, remaining=0, reset_s=0.99), 1.0)

    assert rate.wait(1.0) == 0


def test_an_empty_bucket_is_not_waited_for_until_it_would_be_full() -> None:
    rate = RequestRate(None)
    rate.told(Allowance(limit=100, remaining=0, reset_s=60.0), 1.0)

    assert rate.wait(1.0) == 0


def test_an_outage_of_minutes_is_no_limit() -> None:
    rate = RequestRate(None)
    for number in range(20):
        rate.take(number * 0.1)
    rate.take(2.0)
    rate.refused(2.1, 2.0, None)
    rate.take(302.0)
    rate.accepted(303.0, 302.0)

    assert rate.per_minute is None
    assert rate.wait(303.0) == 0
