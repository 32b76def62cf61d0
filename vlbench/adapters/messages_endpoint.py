"""Anthropic's client as the way a body takes to the provider and back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import SecretStr

from vlbench.adapters.base_urls import without_version
from vlbench.adapters.clouds import AUTH_HEADERS, anthropic_client
from vlbench.adapters.google_auth import auth_errors, fault_of_auth
from vlbench.adapters.http import Http, HttpReply
from vlbench.adapters.sdk_client import SdkClient
from vlbench.catalog.entry import ProviderEntry
from vlbench.errors import Fault

if TYPE_CHECKING:
    from vlbench.adapters.clouds import AnthropicClient

PATH = "/v1/messages"
API_VERSION = "2026-10-21"
"""Sent where the entry names no other. What is said of a refusal or a large picture depends on it."""


class MessagesEndpoint:
    """Bodies that are ready go through the client's `post`, its way in for a complete request.

    Its typed method would serialise the pictures again and build a model of every reply. Beneath the client
    is our own HTTP, see `sdk_transport`.
    """

    def __init__(self, entry: ProviderEntry, urls: tuple[str, ...], key: str | None) -> None:
        self._entry = entry
        # Vertex's address names its version itself.
        self._urls = urls if entry.cloud == "vertex" else tuple(without_version(url) for url in urls)
        # Anthropic's own API takes the key as `Http` sends it; a cloud's client signs in its own way.
        self._http = Http.of(entry, self._urls, key, sends_key=entry.cloud is None)
        self._key = SecretStr(key or "")
        self._headers = {"content-type": "application/json"}
        if entry.cloud is None:
            self._headers["anthropic-version"] = entry.api_version or API_VERSION
        self._client = SdkClient(self._http, self._make_client, lambda client: client.close())
        self._auth_errors: tuple[type[Exception], ...] = ()

    async def open(self) -> None:
        """Import the client and make it. Raises `UsageError` for what can never work."""
        await self._client.open()

    def _make_client(self) -> AnthropicClient:
        from vlbench.adapters.sdk_transport import client_over

        self._auth_errors = auth_errors(self._entry)
        added = self._headers.keys() | (AUTH_HEADERS if self._entry.cloud else frozenset())
        http_client = client_over(self._http, self._urls[0], add=added)
        key = self._key.get_secret_value() or None
        return anthropic_client(self._entry, self._urls[0], key, http_client)

    async def post(self, path: str, body: bytes) -> HttpReply:
        """Send `body` once; a status the client raises for becomes a reply again."""
        from anthropic import APIConnectionError, APIStatusError

        from vlbench.adapters.sdk_transport import post_ready

        client, is_cloud = self._client.opened, self._entry.cloud is not None
        try:
            response = await post_ready(client, path, body, self._headers, is_cloud=is_cloud)
        except APIStatusError as error:
            response = error.response
        except APIConnectionError as error:
            if isinstance(error.__cause__, Fault):
                raise error.__cause__ from None
            raise
        except self._auth_errors as error:
            raise fault_of_auth(error, self._entry.name) from error
        headers = dict(response.headers)
        headers.setdefault("x-request-id", headers.get("request-id", ""))
        return HttpReply(response.status_code, headers, without_events(response.content))

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()


def without_events(body: bytes) -> bytes:
    """The data of the last event where a gateway answers with a stream (an error often comes so)."""
    if not body.startswith((b"event:", b"data:")):
        return body
    data = [line.removeprefix(b"data:").strip() for line in body.splitlines() if line.startswith(b"data:")]
    return next((line for line in reversed(data) if line.startswith(b"{")), body)
