from __future__ import annotations

import pytest

from vlbench.adapters.http import Http
from vlbench.adapters.sdk_client import SdkClient
from vlbench.errors import UsageError

pytestmark = pytest.mark.anyio


class Connections(Http):
    def __init__(self, told: list[str]) -> None:
        super().__init__(("http://127.0.0.1:9/v1",))
        self._told = told

    async def open(self) -> None:
        self._told.append("connected")

    async def close(self) -> None:
        self._told.append("disconnected")


async def test_the_client_is_made_over_open_connections_and_closed_before_them() -> None:
    told: list[str] = []

    def make() -> str:
        told.append("made")
        return "client"

    async def leave(made: str) -> None:
        told.append(f"left {made}")

    client = SdkClient(Connections(told), make, leave)
    with pytest.raises(RuntimeError, match="before open"):
        _ = client.opened
    await client.open()
    assert client.opened == "client"
    await client.close()
    assert told == ["connected", "made", "left client", "disconnected"]


async def test_a_client_that_cannot_be_made_leaves_no_connection_open() -> None:
    told: list[str] = []

    def refuse() -> str:
        raise UsageError("no such cloud")

    async def leave(made: str) -> None:
        told.append("left")

    with pytest.raises(UsageError, match="no such cloud"):
        await SdkClient(Connections(told), refuse, leave).open()
    assert told == ["connected", "disconnected"]
