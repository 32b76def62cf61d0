"""One deadline for many requests: cheaper than a timer each, as all of them are given the same time."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

import anyio


class Deadline:
    """Cuts off whatever takes longer than `seconds`, as long as `watch` is running."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        # In the order they began, which is the order in which their time is up.
        self._running: dict[anyio.CancelScope, float] = {}

    @contextmanager
    def limit(self) -> Iterator[None]:
        """Give the block its time. Raises TimeoutError when that was not enough."""
        with anyio.CancelScope() as scope:
            self._running[scope] = time.monotonic() + self._seconds
            try:
                yield
            finally:
                del self._running[scope]
        if scope.cancelled_caught:
            raise TimeoutError

    @property
    def oldest_s(self) -> float | None:
        """How long the first of those that are running has taken; None when there is none."""
        due = next(iter(self._running.values()), None)
        return None if due is None else self._seconds - (due - time.monotonic())

    async def watch(self) -> None:
        """Cut off what is over its time, until cancelled."""
        while True:
            now = time.monotonic()
            # A request that begins while this sleeps is not due before it wakes.
            first = next(iter(self._running.values()), now + self._seconds)
            await anyio.sleep(max(0.0, first - now))
            now = time.monotonic()
            for scope in [scope for scope, due in self._running.items() if due <= now]:
                scope.cancel("took longer than the deadline of an attempt")
