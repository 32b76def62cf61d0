"""Our own HTTP beneath a vendor's SDK, as the httpx2 client that it is given.

So an SDK gets the same pools, proxies, certificates, replicas and faults as everything else, and nothing
that it reads from the environment (an organisation, a project, headers) leaves the machine. Imports httpx2:
to be imported in the `open` of an adapter, not before.
"""

from __future__ import annotations

from collections.abc import Set

import httpx2

from vlbench.adapters.http import Http

# What an SDK may say of itself. The key, the content type and the entry's headers come from `Http`.
_OWN_WORDS = ("accept", "user-agent")
_OWN_PREFIX = "x-stainless-"
# `Http` hands on the decoded body.
_OF_THE_TRANSFER = frozenset({"content-encoding", "content-length", "transfer-encoding", "connection"})


def client_over(
    http: Http, base_url: str, *, keep: Set[str] = frozenset(), add: Set[str] = frozenset()
) -> httpx2.AsyncClient:
    """An httpx2 client whose requests below `base_url` go through `http` (open, and closed by its owner).

    Headers named in `keep` (lower case) stay as `http` sends them; those in `add` are let through beside what
    every SDK may say of itself. Faults of the network are raised by `http`, and an SDK raises them on or has
    them as the cause of its own; no time-out of the client applies.
    """
    base_path = httpx2.URL(base_url).raw_path.decode("ascii").rstrip("/")
    transport = _Transport(http, base_path, keep, frozenset({*_OWN_WORDS, *add}))
    return httpx2.AsyncClient(transport=transport, trust_env=False, follow_redirects=False)


class _Transport(httpx2.AsyncBaseTransport):
    def __init__(self, http: Http, base_path: str, keep: Set[str], passed: Set[str]) -> None:
        self._http = http
        self._base_path = base_path
        self._keep = keep
        self._passed = passed

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        headers = {
            name: value
            for name, value in request.headers.items()
            if (name in self._passed or name.startswith(_OWN_PREFIX)) and name not in self._keep
        }
        path = request.url.raw_path.decode("ascii").removeprefix(self._base_path)
        reply = await self._http.post(path, await request.aread(), headers)
        kept = [(name, value) for name, value in reply.headers.items() if name not in _OF_THE_TRANSFER]
        return httpx2.Response(reply.status, headers=kept, content=reply.body, request=request)
