"""A vendor's client on top of our own HTTP, opened and closed with it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

import anyio.to_thread

from vlbench.adapters.http import Http

Client = TypeVar("Client")


class SdkClient(Generic[Client]):
    """What `make` gives, over `http`; `leave` closes it.

    `make` is called in a thread, as importing an SDK takes seconds.
    """

    def __init__(
        self, http: Http, make: Callable[[], Client], leave: Callable[[Client], Awaitable[None]]
    ) -> None:
        self._http = http
        self._make = make
        self._leave = leave
        self._opened: Client | None = None

    async def open(self) -> None:
        """Make the client. Raises `UsageError` for what can never work, and leaves nothing open then."""
        await self._http.open()
        try:
            self._opened = await anyio.to_thread.run_sync(self._make)
        except BaseException:
            await self._http.close()
            raise

    @property
    def opened(self) -> Client:
        """The client, between `open` and `close`."""
        if self._opened is None:
            raise RuntimeError("post() before open()")
        return self._opened

    async def close(self) -> None:
        """Close the client, then the connections."""
        if self._opened is not None:
            await self._leave(self._opened)
        await self._http.close()
