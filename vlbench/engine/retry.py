"""The one retry loop. It looks at typed faults alone; a wait the server names wins over ours."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

import anyio
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, wait_random_exponential
from tenacity.stop import stop_base
from tenacity.wait import wait_base

from vlbench.engine.limiter import LONGEST_WAIT_S
from vlbench.errors import Fault


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How long a request is tried for.

    `attempts` counts faults of the request itself; being told to wait (congestion) is not one and is
    bounded by `item_deadline_s` alone. A kind of fault may allow fewer (`Fault.most_attempts`). One attempt
    may take `attempt_deadline_s`. All times in seconds.
    """

    attempts: int = 6
    attempt_deadline_s: float = 600.0
    item_deadline_s: float = 3600.0
    first_wait_s: float = 0.5
    longest_wait_s: float = 60.0


def may_retry(error: BaseException) -> bool:
    """Whether the same request may be sent again after `error`."""
    return isinstance(error, Fault) and error.retryable and (error.retry_after or 0) <= LONGEST_WAIT_S


class _Wait(wait_base):
    """The server's wait when it named one, else exponential with full jitter."""

    def __init__(self, policy: RetryPolicy) -> None:
        self._own = wait_random_exponential(multiplier=policy.first_wait_s, max=policy.longest_wait_s)

    def __call__(self, retry_state: RetryCallState) -> float:
        error = retry_state.outcome.exception() if retry_state.outcome else None
        if isinstance(error, Fault) and error.retry_after is not None:
            return error.retry_after
        return self._own(retry_state)


class _Stop(stop_base):
    """Enough faults of the request's own, or no time left for another attempt after the coming wait."""

    def __init__(self, policy: RetryPolicy) -> None:
        self._policy = policy
        self._own_faults = 0
        self._bounded: Counter[type[Fault]] = Counter()

    def __call__(self, retry_state: RetryCallState) -> bool:
        error = retry_state.outcome.exception() if retry_state.outcome else None
        if not (isinstance(error, Fault) and error.congestion):
            self._own_faults += 1
        if isinstance(error, Fault) and error.most_attempts is not None:
            self._bounded[type(error)] += 1
            if self._bounded[type(error)] >= error.most_attempts:
                return True
        spent = (retry_state.seconds_since_start or 0.0) + retry_state.upcoming_sleep
        return self._own_faults >= self._policy.attempts or spent > self._policy.item_deadline_s


T = TypeVar("T")


async def with_retries(
    attempt: Callable[[int], Awaitable[T]],
    policy: RetryPolicy,
    *,
    failed: Callable[[int, Fault, float | None], None],
    sleep: Callable[[float], Awaitable[None]] | None = None,
) -> T:
    """What the first attempt that succeeds gives.

    `attempt` is given its number from 1. `failed` hears of every fault with the number of the attempt and the
    seconds until the next one, None when there is none. `sleep` waits between attempts. Raises the last
    fault.
    """

    def tell(state: RetryCallState) -> None:
        error = state.outcome.exception() if state.outcome else None
        if isinstance(error, Fault):
            failed(state.attempt_number, error, state.upcoming_sleep)

    try:
        return await attempt(1)
    except Fault as fault:
        # Most requests need no loop, and making one costs as much as everything else around them.
        first = fault
    retrying = AsyncRetrying(
        retry=retry_if_exception(may_retry),
        wait=_Wait(policy),
        stop=_Stop(policy),
        before_sleep=tell,
        sleep=sleep or anyio.sleep,
        reraise=True,
    )
    number = 0
    try:
        async for step in retrying:
            with step:
                number = step.retry_state.attempt_number
                if number == 1:
                    raise first
                return await attempt(number)
    except Fault as fault:
        failed(number, fault, None)
        raise
    raise AssertionError("a retry loop ends with a completion or a fault")
