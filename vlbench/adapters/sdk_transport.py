"""Our own HTTP beneath a vendor's SDK, as the httpx2 client that it is given.

So an SDK gets the same pools, proxies, certificates, replicas and faults as everything else, and nothing
that it reads from the environment (an organisation, a project, headers) leaves the machine. Imports httpx2:
to be imported in the `open` of an adapter, not before.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import TYPE_CHECKING

import httpx2
import orjson

from vlbench.adapters.http import Http

if TYPE_CHECKING:
    from openai import AsyncOpenAI

    from vlbench.adapters.clouds import AnthropicClient

# What an SDK may say of itself. The key, the content type and the entry's headers come from `Http`.
_OWN_WORDS = ("accept", "user-agent")
_OWN_PREFIX = "x-stainless-"
# `Http` hands on the decoded body.
_OF_THE_TRANSFER = frozenset({"content-encoding", "content-length", "transfer-encoding", "connection"})


def client_over(http: Http, base_url: str, *, add: Set[str] = frozenset()) -> httpx2.AsyncClient:
    """An httpx2 client whose requests below `base_url` go through `http` (open, and closed by its owner).

    Headers named in `add` (lower case) are let through beside what every SDK may say of itself, except those
    that the entry gives. Faults of the network are raised by `http`, and an SDK raises them on or has them as
    the cause of its own; no time-out of the client applies.
    """
    base_path = httpx2.URL(base_url).raw_path.decode("ascii").rstrip("/")
    transport = _Transport(http, base_path, frozenset({*_OWN_WORDS, *add}))
    return httpx2.AsyncClient(transport=transport, trust_env=False, follow_redirects=False)


async def post_ready(
    client: AsyncOpenAI | AnthropicClient,
    path: str,
    body: bytes,
    headers: Mapping[str, str],
    *,
    is_cloud: bool,
) -> httpx2.Response:
    """Send a body that is ready as it stands, past the SDK's typed methods.

    The clients for clouds take the model out of the body into the address, so they must be able to read it.
    """
    return await client.post(
        path,
        cast_to=httpx2.Response,
        content=None if is_cloud else body,
        body=orjson.loads(body) if is_cloud else None,
        options={"headers": headers},
    )


class _Transport(httpx2.AsyncBaseTransport):
    def __init__(self, http: Http, base_path: str, passed: Set[str]) -> None:
        self._http = http
        self._base_path = base_path
        self._passed = passed
        self._kept = http.own_headers

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        headers = {
            name: value
            for name, value in request.headers.items()
            if (name in self._passed or name.startswith(_OWN_PREFIX)) and name not in self._kept
        }
        path = request.url.raw_path.decode("ascii").removeprefix(self._base_path)
        reply = await self._http.post(path, await request.aread(), headers)
        # As bytes: httpx2 takes no text outside ASCII, and the reply must not be lost for it.
        kept = [
            (name.encode("latin-1"), value.encode("latin-1"))
            for name, value in reply.headers.items()
            if name not in _OF_THE_TRANSFER
        ]
        return httpx2.Response(reply.status, headers=kept, content=reply.body, request=request)
