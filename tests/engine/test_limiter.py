"""The gate of a lane on a real event loop."""

from __future__ import annotations

import time

import anyio
import anyio.lowlevel
import pytest

from vlbench.catalog.entry import Limits
from vlbench.engine.limiter import LONGEST_WAIT_S, Limiter, Ticket
from vlbench.errors import RateLimited, ServerFailed
from vlbench.types import Allowance, Completion, Reply, Usage

pytestmark = pytest.mark.anyio


def used(tokens: int) -> Completion:
    return Completion(Reply(text="B", usage=Usage(input_tokens=tokens - 1, output_tokens=1)))


async def test_never_more_in_flight_than_allowed_and_every_place_is_used() -> None:
    limiter = Limiter(Limits(concurrency=5, max_concurrency=5))
    most = 0

    async def one() -> None:
        nonlocal most
        async with limiter.pass_through():
            most = max(most, limiter.in_flight.count)
            await anyio.sleep(0.001)

    async with anyio.create_task_group() as group:
        for _ in range(50):
            group.start_soon(one)

    assert most == 5
    assert limiter.in_flight.count == 0


async def test_waiters_pass_in_the_order_they_came() -> None:
    limiter = Limiter(Limits(concurrency=1, max_concurrency=1))
    passed: list[int] = []

    async def one(number: int) -> None:
        async with limiter.pass_through():
            passed.append(number)
            await anyio.lowlevel.checkpoint()

    async with anyio.create_task_group() as group:
        for number in range(20):
            group.start_soon(one, number)
            await anyio.lowlevel.checkpoint()

    assert passed == sorted(passed)


async def test_a_named_wait_holds_the_whole_lane() -> None:
    limiter = Limiter(Limits())
    limiter.failed(Ticket(time.monotonic(), 0), RateLimited("slow", retry_after=0.2))

    started = time.monotonic()
    async with limiter.pass_through():
        pass

    assert time.monotonic() - started >= 0.199


async def test_who_waits_for_the_clock_sleeps() -> None:
    looks = 0

    def clock() -> float:
        nonlocal looks
        looks += 1
        return time.monotonic()

    limiter = Limiter(Limits(rpm=240), clock)
    started = time.monotonic()
    async with anyio.create_task_group() as group:
        for _ in range(3):
            group.start_soon(limiter.enter)

    assert time.monotonic() - started > 0.25
    assert looks < 100


async def test_an_endless_named_wait_is_capped() -> None:
    limiter = Limiter(Limits(), clock=lambda: 100.0)
    limiter.failed(Ticket(100.0, 0), RateLimited("tomorrow", retry_after=1e9))

    assert limiter.wait() == LONGEST_WAIT_S


async def test_a_server_error_is_no_sign_of_congestion() -> None:
    limiter = Limiter(Limits(concurrency=8))
    limiter.failed(Ticket(time.monotonic(), 0), ServerFailed("broken"))

    assert limiter.in_flight.limit == 8


async def test_unknown_limits_are_learnt_from_headers_and_known_ones_are_kept() -> None:
    told = Completion(Reply(text="B"), requests=Allowance(limit=500), tokens=Allowance(limit=9000))
    unknown, known = Limiter(Limits()), Limiter(Limits(rpm=60, tpm=1000))
    for limiter in (unknown, known):
        limiter.succeeded(Ticket(time.monotonic(), 1000), told)

    assert (unknown.rpm, unknown.tpm) == (500, 9000)
    assert (known.rpm, known.tpm) == (60, 1000)


async def test_a_limit_of_tokens_that_one_reply_passes_is_none() -> None:
    limiter = Limiter(Limits())
    reply = Reply(text="B", usage=Usage(input_tokens=900, output_tokens=10))
    limiter.succeeded(Ticket(time.monotonic(), 1000), Completion(reply, tokens=Allowance(limit=1)))

    assert limiter.tpm is None


async def test_the_guess_of_tokens_follows_what_requests_really_use() -> None:
    now = 0.0
    limiter = Limiter(Limits(tpm=60_000), clock=lambda: now)
    for _ in range(100):
        now += limiter.wait()
        async with limiter.pass_through() as ticket:
            limiter.succeeded(ticket, used(100))

    begun = now
    for _ in range(50):
        now += limiter.wait()
        async with limiter.pass_through() as ticket:
            limiter.succeeded(ticket, used(100))

    assert 50 * 100 / (now - begun) * 60 == pytest.approx(60_000, rel=0.05)


async def test_a_cancelled_waiter_leaves_the_gate_usable() -> None:
    limiter = Limiter(Limits(concurrency=1, max_concurrency=1))
    async with limiter.pass_through():
        with anyio.move_on_after(0.01):
            async with limiter.pass_through():
                pytest.fail("two in flight")
    with anyio.fail_after(1):
        async with limiter.pass_through():
            assert limiter.in_flight.count == 1
