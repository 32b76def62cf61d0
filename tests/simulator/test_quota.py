from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vlbench.simulator.quota import QuotaGate
from vlbench.simulator.scenario import Quota


class Clock:
    def __init__(self) -> None:
        self.now = 50.0

    def __call__(self) -> float:
        return self.now


@given(st.lists(st.floats(min_value=0, max_value=30), max_size=80), st.integers(min_value=1, max_value=9))
def test_no_window_ever_holds_more_than_the_limit(gaps: list[float], rpm: int) -> None:
    clock = Clock()
    gate = QuotaGate(Quota(rpm=rpm), clock)
    passed: list[float] = []
    for gap in gaps:
        clock.now += gap
        if gate.enter(1) == 0:
            passed.append(clock.now)
    for start in passed:
        assert sum(start <= moment < start + 60 for moment in passed) <= rpm


@given(st.lists(st.tuples(st.floats(min_value=0, max_value=20), st.integers(1, 150)), max_size=40))
def test_waiting_as_told_is_enough(requests: list[tuple[float, int]]) -> None:
    clock = Clock()
    gate = QuotaGate(Quota(rpm=5, tpm=100), clock)
    for gap, tokens in requests:
        clock.now += gap
        wait = gate.enter(tokens)
        if wait:
            clock.now += wait + 1e-6
            assert gate.enter(tokens) == 0


def test_a_limit_per_second_lets_no_minute_through_at_once() -> None:
    clock = Clock()
    gate = QuotaGate(Quota(rpm=120, window_s=1), clock)
    assert [gate.enter(1) > 0 for _ in range(3)] == [False, False, True]
    clock.now += 1
    assert gate.enter(1) == 0


def test_a_burst_is_on_top() -> None:
    gate = QuotaGate(Quota(rpm=60, window_s=1, burst=2), Clock())
    assert [gate.enter(1) > 0 for _ in range(4)] == [False, False, False, True]


def test_headers_tell_what_is_left() -> None:
    clock = Clock()
    gate = QuotaGate(Quota(rpm=10, tpm=1000), clock)
    gate.enter(400)
    clock.now += 15
    assert dict(gate.headers()) == {
        "x-ratelimit-limit-requests": "10",
        "x-ratelimit-remaining-requests": "9",
        "x-ratelimit-reset-requests": "45.000s",
        "x-ratelimit-limit-tokens": "1000",
        "x-ratelimit-remaining-tokens": "600",
        "x-ratelimit-reset-tokens": "45.000s",
    }
    assert QuotaGate(Quota(rpm=10, headers=False), clock).headers() == ()


@pytest.mark.parametrize(
    ("form", "expected"), [("seconds", ("retry-after", "3")), ("milliseconds", ("retry-after-ms", "2100"))]
)
def test_a_wait_is_rounded_up(form: str, expected: tuple[str, str]) -> None:
    gate = QuotaGate(Quota(rpm=1, wait=form), Clock())  # type: ignore[arg-type] # a literal of the table above
    assert gate.wait_headers(2.1) == (expected,)
