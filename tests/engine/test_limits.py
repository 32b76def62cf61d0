"""Whole lanes against model servers on a simulated clock: what is achieved, what is wasted."""

from __future__ import annotations

from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.model_servers import (
    Bucket,
    Calendar,
    Chance,
    Clock,
    Gate,
    Rolling,
    Server,
    Simulation,
    Tokens,
    Traffic,
)
from vlbench.catalog.entry import Limits
from vlbench.engine.limiter import Limiter
from vlbench.types import Allowance

Waits = Literal["not", "exactly", "in whole seconds"]

GATES = ("second", "bucket of a second", "bucket of ten seconds", "bucket of a minute", "minute", "calendar")
some_gate = st.sampled_from(GATES)
some_waits: st.SearchStrategy[Waits] = st.sampled_from(("not", "exactly", "in whole seconds"))
# Every order of magnitude equally often.
some_rate = st.one_of(st.integers(20, 120), st.integers(120, 700), st.integers(700, 6000))
# The same examples each time: one in some hundred rates is learnt to 96 % only by the end of the simulation.
few = settings(max_examples=10, deadline=None, derandomize=True)
fewer = settings(max_examples=4, deadline=None, derandomize=True)


def gate_of(kind: str, rate: int) -> Gate:
    match kind:
        case "second":
            return Rolling(rate // 60, 1.0) if rate % 60 == 0 else Bucket(rate, rate / 60)
        case "bucket of a second":
            return Bucket(rate, rate / 60)
        case "bucket of ten seconds":
            return Bucket(rate, rate / 6)
        case "bucket of a minute":
            return Bucket(rate, rate)
        case "minute":
            return Rolling(rate, 60.0)
        case _:
            return Calendar(rate, 17.0)


def simulate(
    server: Server, limits: Limits, until_s: float, *, seed: int = 0, late_share: float = 0.0
) -> Traffic:
    clock = Clock()
    return Simulation(Limiter(limits, clock), clock, server, seed, late_share).run(until_s)


def warm_up_s(rate: int) -> float:
    """A hundred and fifty requests, or three minutes where that is more."""
    return max(180.0, 150 / rate * 60)


@few
@given(some_rate, some_gate, some_waits)
def test_a_known_rate_is_used_to_97_percent_and_not_one_request_is_wasted(
    rate: int, kind: str, waits: Waits
) -> None:
    server = Server(gate_of(kind, rate), names_waits=waits)
    begin, end = 60.0, 180.0

    traffic = simulate(server, Limits(rpm=rate, concurrency=256, max_concurrency=256), end)

    assert traffic.per_minute(begin, end) >= 0.97 * rate - 1
    assert traffic.refused == []


@few
@given(some_rate, some_gate, some_waits)
def test_a_known_rate_is_used_as_well_where_some_requests_come_late(
    rate: int, kind: str, waits: Waits
) -> None:
    server = Server(gate_of(kind, rate), names_waits=waits)

    traffic = simulate(server, Limits(rpm=rate, concurrency=256, max_concurrency=256), 180, late_share=0.003)

    assert traffic.per_minute(60, 180) >= 0.97 * rate - 1
    assert traffic.wasted(60, 180) <= 0.01


@few
@given(some_rate, some_gate)
def test_a_rate_that_headers_tell_is_as_good_as_known(rate: int, kind: str) -> None:
    server = Server(gate_of(kind, rate), told=Allowance(limit=rate))
    begin = warm_up_s(rate)

    traffic = simulate(server, Limits(max_concurrency=256), begin + 120)

    assert traffic.per_minute(begin, begin + 120) >= 0.97 * rate - 1
    assert traffic.wasted(begin, begin + 120) <= 0.01


@settings(max_examples=12, deadline=None, derandomize=True)
@given(some_rate, some_gate, some_waits)
def test_a_rate_that_only_refusals_tell_is_learnt(rate: int, kind: str, waits: Waits) -> None:
    check_learnt(rate, kind, waits, share=0.97)


@pytest.mark.slow
@settings(max_examples=300, deadline=None, derandomize=True)
@given(some_rate, some_gate, some_waits)
def test_every_rate_from_20_to_6000_is_learnt(rate: int, kind: str, waits: Waits) -> None:
    check_learnt(rate, kind, waits, share=0.96)


def check_learnt(rate: int, kind: str, waits: Waits, share: float) -> None:
    server = Server(gate_of(kind, rate), names_waits=waits)
    begin = warm_up_s(rate)
    end = begin + (240 if rate < 1000 else 90)

    traffic = simulate(server, Limits(max_concurrency=256), end)

    assert traffic.per_minute(begin, end) >= share * rate - 1
    assert traffic.wasted(begin, end) <= 0.03


@fewer
@given(st.integers(100_000, 5_000_000), st.integers(100, 3000), st.integers(0, 9))
def test_known_tokens_a_minute_are_used_whatever_a_request_takes(tpm: int, most: int, seed: int) -> None:
    server = Server(Tokens(tpm, most // 3, most, seed), names_waits="exactly")

    traffic = simulate(server, Limits(tpm=tpm, max_concurrency=256), 240, seed=seed)

    possible = min(tpm, 256 / server.mean_latency_s * 60 * most * 2 / 3)
    assert traffic.tokens_per_minute(120, 240) >= 0.95 * possible
    assert traffic.wasted(0, 240) <= 0.01


@fewer
@given(st.integers(100_000, 2_000_000), st.integers(300, 3000), some_waits, st.integers(0, 9))
def test_unknown_tokens_a_minute_are_learnt_as_a_rate(tpm: int, most: int, waits: Waits, seed: int) -> None:
    server = Server(Tokens(tpm, most // 2, most, seed), names_waits=waits)

    traffic = simulate(server, Limits(max_concurrency=64), 600, seed=seed)

    possible = min(tpm, 64 / server.mean_latency_s * 60 * most * 3 / 4)
    assert traffic.tokens_per_minute(300, 600) >= 0.9 * possible
    assert traffic.wasted(300, 600) <= 0.03


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(n, marks=pytest.mark.slow) for n in range(2, 12))])
def test_refusals_by_chance_do_not_slow_a_lane_down_for_good(seed: int) -> None:
    server = Server(Chance(0.01, seed), names_waits="not", latency_s=0.5)

    traffic = simulate(server, Limits(), 600, seed=seed)

    assert traffic.per_minute(300, 600) >= 0.4 * 64 / server.mean_latency_s * 60


@few
@given(st.integers(100, 600), st.integers(100, 600))
def test_a_rate_that_changes_is_followed(before: int, after: int) -> None:
    class Changing:
        def __init__(self) -> None:
            self._gates = Bucket(before, before / 60), Bucket(after, after / 60)

        def ask(self, now: float) -> float:
            return self._gates[now > 300].ask(now)

    traffic = simulate(Server(Changing()), Limits(max_concurrency=256), 900)

    assert traffic.per_minute(720, 900) >= 0.95 * after


def test_a_server_without_limits_is_never_held_back() -> None:
    traffic = simulate(Server(latency_s=1.0, spread=0.8), Limits(max_concurrency=64), 60)

    assert traffic.allowed[-1][1] == 64
    assert next(time for time, allowed in traffic.allowed if allowed == 64) < 10


@pytest.mark.parametrize("full", [429, 503, "slow"])
@pytest.mark.parametrize("capacity", [5, 20, 50])
@pytest.mark.parametrize("latency_s", [0.2, 1.0])
def test_a_hidden_capacity_is_found_within_30_seconds(
    full: Literal[429, 503, "slow"], capacity: int, latency_s: float
) -> None:
    server = Server(capacity=lambda now: capacity, full=full, latency_s=latency_s)

    traffic = simulate(server, Limits(), 90)

    most = 60 * capacity / server.mean_latency_s
    assert traffic.per_minute(30, 90) >= 0.9 * most
    assert traffic.wasted(30, 90) <= 0.1


@settings(max_examples=10, deadline=None, derandomize=True)
@given(
    st.sampled_from([429, 503]),
    st.tuples(*[st.integers(5, 60)] * 3),
    st.sampled_from([0.1, 0.2, 0.5, 1.0]),
    st.sampled_from([0.0, 0.05, 0.3]),
    st.integers(0, 99),
)
def test_any_capacity_is_followed_from_any_other_within_30_seconds(
    full: Literal[429, 503], places: tuple[int, int, int], latency_s: float, spread: float, seed: int
) -> None:
    server = Server(
        capacity=lambda now: places[min(int(now // 40), 2)], full=full, latency_s=latency_s, spread=spread
    )

    traffic = simulate(server, Limits(), 120, seed=seed)

    for number, capacity in enumerate(places):
        most = 60 * capacity / server.mean_latency_s
        assert traffic.per_minute(40 * number + 30, 40 * number + 40) >= 0.9 * most


@pytest.mark.parametrize("full", [429, 503, "slow"])
def test_a_capacity_that_changes_is_followed_within_30_seconds(full: Literal[429, 503, "slow"]) -> None:
    def capacity(now: float) -> int:
        return 40 if now < 60 else 15 if now < 120 else 50

    server = Server(capacity=capacity, full=full, latency_s=0.5)

    traffic = simulate(server, Limits(), 180)

    for begin, end, places in ((30, 60, 40), (90, 120, 15), (150, 180, 50)):
        most = 60 * places / server.mean_latency_s
        assert traffic.per_minute(begin, end) >= 0.9 * most


@pytest.mark.parametrize("waits", ["not", "exactly"])
def test_a_storm_of_refusals_is_probed_and_never_frozen_in(waits: Waits) -> None:
    class Closed:
        def ask(self, now: float) -> float:
            return 0.0 if now >= 300 else 5.0

    traffic = simulate(Server(Closed(), names_waits=waits), Limits(), 480)

    assert len([time for time in traffic.refused if time < 300]) < 150
    assert min(traffic.let_in) < 365
    assert traffic.per_minute(420, 480) > 60
