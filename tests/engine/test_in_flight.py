"""How many requests may be in flight, step by step."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from vlbench.engine.in_flight import InFlight


def rounds(allowed: InFlight, count: int, begin: float = 0.0) -> float:
    """So many rounds of replies, one a second, with every place in use; the time after them."""
    now = begin
    for _ in range(count):
        for _ in range(allowed.limit):
            allowed.count = allowed.limit
            allowed.succeeded(now + 1, now)
        now += 1
    return now


def test_congestion_cuts_once_for_all_requests_of_the_same_episode() -> None:
    allowed = InFlight(start=40, most=64)
    allowed.count = 40

    assert allowed.congested(now=10.0, sent_at=9.0, place=40)
    assert not allowed.congested(now=10.1, sent_at=9.5, place=39)
    assert allowed.limit == 38


def test_of_a_wave_that_was_too_wide_the_narrowest_refusal_says_how_wide_it_may_be() -> None:
    allowed = InFlight(start=40, most=64)
    allowed.count = 40
    allowed.congested(now=10.0, sent_at=9.9, place=40)

    allowed.congested(now=10.0, sent_at=9.9, place=36)
    assert allowed.limit == 35

    allowed.congested(now=10.0, sent_at=9.9, place=2)
    assert allowed.limit == 24


def test_a_cut_that_does_not_help_is_followed_by_deeper_ones() -> None:
    allowed = InFlight(start=40, most=64)
    limits = []
    for second in range(3):
        allowed.count = allowed.limit
        allowed.congested(now=second + 0.5, sent_at=float(second) + 0.4, place=allowed.count)
        limits.append(allowed.limit)

    assert limits == [38, 26, 18]


def test_a_lasting_storm_leads_down_to_one_request_and_never_to_none() -> None:
    allowed = InFlight(start=64, most=64)
    for second in range(60):
        allowed.count = allowed.limit
        allowed.congested(now=second + 0.5, sent_at=float(second) + 0.4, place=allowed.count)

    allowed.count = 0
    assert allowed.limit == 1
    assert allowed.is_free


def test_the_limit_grows_while_it_is_used_up_to_its_bound() -> None:
    allowed = InFlight(start=10, most=20)
    rounds(allowed, 5)

    assert allowed.limit == 20


def test_near_the_level_that_failed_growth_waits_and_then_goes_by_ones() -> None:
    allowed = InFlight(start=40, most=64)
    allowed.count = 40
    allowed.congested(now=0.0, sent_at=-1.0, place=40)

    limits = []
    now = 0.0
    for _ in range(4):
        now = rounds(allowed, 1, now)
        limits.append(allowed.limit)

    assert limits[:2] == [38, 38]
    assert 39 <= limits[2] <= limits[3] <= 41


def test_a_limit_that_is_not_used_does_not_grow() -> None:
    allowed = InFlight(start=10, most=20)
    allowed.count = 2
    for second in range(100):
        allowed.succeeded(second + 1.0, float(second))

    assert allowed.limit == 10


def test_more_places_that_only_wait_longer_are_given_back() -> None:
    allowed = InFlight(start=16, most=256)
    now = 0.0
    for _ in range(30):
        latency = max(1.0, allowed.limit / 16)
        for _ in range(allowed.limit):
            allowed.count = allowed.limit
            allowed.succeeded(now + latency, now)
        now += latency

    assert 16 <= allowed.limit < 64


def test_a_bound_that_the_user_sets_is_used_at_once() -> None:
    allowed = InFlight(start=16, most=64)
    allowed.set_most(200)

    assert allowed.limit == 200


@given(st.lists(st.sampled_from(["ok", "congested"]), max_size=200), st.integers(1, 50), st.integers(1, 200))
def test_the_limit_stays_within_its_bounds(signs: list[str], start: int, most: int) -> None:
    allowed = InFlight(start, most)
    for at, sign in enumerate(signs):
        allowed.count = allowed.limit
        if sign == "ok":
            allowed.succeeded(at + 0.5, float(at))
        else:
            allowed.congested(now=at + 0.5, sent_at=float(at), place=allowed.count)
        assert 1 <= allowed.limit <= most
