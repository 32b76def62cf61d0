"""OpenAI's SDK as the way a body takes to the provider and back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import SecretStr

from vlbench.adapters.clouds import openai_client
from vlbench.adapters.http import Http, HttpReply
from vlbench.adapters.sdk_client import SdkClient
from vlbench.catalog.entry import ProviderEntry

if TYPE_CHECKING:
    from openai import AsyncOpenAI

_AZURE_HEADERS = frozenset({"api-key"})
_JSON = {"Content-Type": "application/json"}


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
        self._client = SdkClient(self._http, self._make_client, lambda client: client.close())

    async def open(self) -> None:
        """Import the SDK and make its client. Raises `UsageError` for what can never work."""
        await self._client.open()

    def _make_client(self) -> AsyncOpenAI:
        from vlbench.adapters.sdk_transport import client_over

        # What the SDK takes from OPENAI_* variables beside the key and the address is not let through.
        added = _AZURE_HEADERS if self._entry.cloud else frozenset()
        http_client = client_over(self._http, self._base_url, add=added)
        return openai_client(self._entry, self._base_url, self._key.get_secret_value() or None, http_client)

    async def post(self, path: str, body: bytes) -> HttpReply:
        """Send `body` once; a status the SDK raises for becomes a reply again."""
        from openai import APIStatusError

        from vlbench.adapters.sdk_transport import post_ready

        client, is_cloud = self._client.opened, self._entry.cloud is not None
        try:
            response = await post_ready(client, path, body, _JSON, is_cloud=is_cloud)
        except APIStatusError as error:
            response = error.response
        return HttpReply(response.status_code, dict(response.headers), response.content)

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()
