"""OpenAI's SDK as the way a body takes to the provider and back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio.to_thread
import orjson
from pydantic import JsonValue, SecretStr

from vlbench.adapters.clouds import NO_KEY, azure_client
from vlbench.adapters.http import Http, HttpReply
from vlbench.catalog.entry import ProviderEntry

if TYPE_CHECKING:
    from openai import AsyncOpenAI

_AZURE_HEADERS = frozenset({"api-key"})


class OpenAiEndpoint:
    """Bodies that are ready go through `AsyncOpenAI.post`, the SDK's way in for a complete request.

    Its typed methods would serialise the pictures again and build a model of every reply, which costs three
    times as much. Beneath the SDK is our own HTTP, see `sdk_transport`.
    """

    def __init__(self, entry: ProviderEntry, urls: tuple[str, ...], key: str | None) -> None:
        self._entry = entry
        # Azure's client sends the key in a header of its own.
        self._http = Http.of(entry, urls, key, sends_key=entry.cloud is None)
        self._base_url = urls[0] if urls else ""
        self._key = SecretStr(key or "")
        self._client: AsyncOpenAI | None = None

    async def open(self) -> None:
        """Import the SDK in a thread and make its client. Raises `UsageError` for what can never work."""
        await self._http.open()
        try:
            self._client = await anyio.to_thread.run_sync(self._make_client)
        except BaseException:
            await self._http.close()
            raise

    def _make_client(self) -> AsyncOpenAI:
        from openai import AsyncOpenAI

        from vlbench.adapters.sdk_transport import client_over

        own = frozenset(name.lower() for name in self._entry.headers)
        key = self._key.get_secret_value()
        if self._entry.cloud is not None:
            http_client = client_over(self._http, self._base_url, keep=own, add=_AZURE_HEADERS)
            return azure_client(self._entry, self._base_url, key or None, http_client)
        # All that the SDK would take from OPENAI_* variables is either given here or not let through.
        # No time-out, as the engine's deadline ends an attempt.
        return AsyncOpenAI(
            api_key=key or NO_KEY,
            base_url=self._base_url,
            max_retries=0,
            timeout=None,
            http_client=client_over(self._http, self._base_url, keep=own),
        )

    async def post(self, path: str, body: bytes) -> HttpReply:
        """Send `body` once; a status the SDK raises for becomes a reply again."""
        import httpx2
        from openai import APIStatusError

        if self._client is None:
            raise RuntimeError("post() before open()")
        # Azure's client puts the model into the address, so it must be able to read it.
        parsed: JsonValue = orjson.loads(body) if self._entry.cloud else None
        try:
            response = await self._client.post(
                path,
                cast_to=httpx2.Response,
                content=None if self._entry.cloud else body,
                body=parsed,
                options={"headers": {"Content-Type": "application/json"}},
            )
        except APIStatusError as error:
            response = error.response
        return HttpReply(response.status_code, dict(response.headers), response.content)

    async def close(self) -> None:
        """Close the connections."""
        if self._client is not None:
            await self._client.close()
        await self._http.close()
