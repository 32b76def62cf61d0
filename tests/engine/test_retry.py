"""The one retry loop: typed faults, the server's waits, an end."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import anyio
import pytest

from vlbench.engine.retry import RetryPolicy, with_retries
from vlbench.errors import (
    AuthFailed,
    BadRequest,
    Fault,
    NoSuchModel,
    Overloaded,
    QuotaGone,
    RateLimited,
    ServerFailed,
    Unreadable,
)
from vlbench.types import Completion, Reply

pytestmark = pytest.mark.anyio

QUICK = RetryPolicy(attempts=3, item_deadline_s=100, first_wait_s=0.001, longest_wait_s=0.002)
GOOD = Completion(Reply(text="B"))


class Sleeps:
    """Stands in for `anyio.sleep`: remembers, and does not wait."""

    def __init__(self) -> None:
        self.asked: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.asked.append(seconds)
        await anyio.lowlevel.checkpoint()


@pytest.fixture
def sleeps(monkeypatch: pytest.MonkeyPatch) -> Sleeps:
    stand_in = Sleeps()
    monkeypatch.setattr(anyio, "sleep", stand_in)
    return stand_in


def attempts_that(*results: Fault | Completion) -> Callable[[int], Awaitable[Completion]]:
    """An attempt function that gives `results` in turn, the last one for ever."""

    async def attempt(number: int) -> Completion:
        result = results[min(number, len(results)) - 1]
        if isinstance(result, Fault):
            raise result
        return result

    return attempt


async def test_a_server_that_names_a_wait_is_given_exactly_that(sleeps: Sleeps) -> None:
    attempt = attempts_that(RateLimited("slow", retry_after=75.0), Overloaded("busy", retry_after=0.25), GOOD)

    completion = await with_retries(attempt, QUICK, failed=lambda *_: None)

    assert completion is GOOD
    assert sleeps.asked == [75.0, 0.25]


async def test_without_a_named_wait_ours_grows_and_stays_below_its_bound(sleeps: Sleeps) -> None:
    policy = RetryPolicy(attempts=8, first_wait_s=1.0, longest_wait_s=4.0)
    attempt = attempts_that(*[ServerFailed("broken")] * 7, GOOD)

    await with_retries(attempt, policy, failed=lambda *_: None)

    assert len(sleeps.asked) == 7
    assert all(0 <= wait <= min(4.0, 2.0**number) for number, wait in enumerate(sleeps.asked))


@pytest.mark.parametrize("fault", [BadRequest, AuthFailed, NoSuchModel, QuotaGone])
async def test_what_would_fail_again_is_sent_once(fault: type[Fault], sleeps: Sleeps) -> None:
    heard: list[tuple[int, float | None]] = []

    with pytest.raises(fault):
        await with_retries(
            attempts_that(fault("no")), QUICK, failed=lambda number, _, wait: heard.append((number, wait))
        )

    assert heard == [(1, None)]
    assert sleeps.asked == []


async def test_a_request_that_always_fails_is_given_up_after_its_attempts(sleeps: Sleeps) -> None:
    heard: list[tuple[int, bool]] = []

    with pytest.raises(ServerFailed):
        await with_retries(
            attempts_that(ServerFailed("broken")),
            QUICK,
            failed=lambda number, _, wait: heard.append((number, wait is None)),
        )

    assert heard == [(1, False), (2, False), (3, True)]


async def test_a_success_that_cannot_be_read_may_be_billed_so_it_is_asked_for_twice_more_at_most(
    sleeps: Sleeps,
) -> None:
    patient = RetryPolicy(attempts=6, first_wait_s=0.001, longest_wait_s=0.002)
    heard: list[tuple[int, bool]] = []

    with pytest.raises(Unreadable):
        await with_retries(
            attempts_that(
                Unreadable("<html>"), ServerFailed("broken"), Unreadable("<html>"), Unreadable("<html>"), GOOD
            ),
            patient,
            failed=lambda number, _, wait: heard.append((number, wait is None)),
        )

    assert heard == [(1, False), (2, False), (3, False), (4, True)]
    assert (
        await with_retries(attempts_that(Unreadable("<html>"), GOOD), patient, failed=lambda *_: None) is GOOD
    )


async def test_being_told_to_wait_does_not_use_up_attempts(sleeps: Sleeps) -> None:
    attempt = attempts_that(*[RateLimited("slow", retry_after=1.0)] * 20, GOOD)

    assert await with_retries(attempt, QUICK, failed=lambda *_: None) is GOOD


async def test_a_wait_that_would_pass_the_deadline_of_the_item_is_not_begun(sleeps: Sleeps) -> None:
    with pytest.raises(RateLimited):
        await with_retries(
            attempts_that(RateLimited("slow", retry_after=101.0)), QUICK, failed=lambda *_: None
        )

    assert sleeps.asked == []


async def test_a_wait_of_hours_ends_the_loop_at_once(sleeps: Sleeps) -> None:
    policy = RetryPolicy(item_deadline_s=1e9)

    with pytest.raises(RateLimited):
        await with_retries(
            attempts_that(RateLimited("tomorrow", retry_after=40_000)), policy, failed=lambda *_: None
        )

    assert sleeps.asked == []


async def test_a_defect_of_ours_is_neither_retried_nor_hidden(sleeps: Sleeps) -> None:
    async def attempt(number: int) -> Completion:
        raise KeyError("ours")

    with pytest.raises(KeyError):
        await with_retries(attempt, QUICK, failed=lambda *_: None)
