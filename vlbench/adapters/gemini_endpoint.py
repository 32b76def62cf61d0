"""Google's client as the way a body takes to the provider and back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson
from pydantic import SecretStr

from vlbench.adapters.base_urls import without_version
from vlbench.adapters.clouds import AUTH_HEADERS, gemini_client
from vlbench.adapters.google_auth import auth_errors, fault_of_auth
from vlbench.adapters.http import Http, HttpReply
from vlbench.adapters.sdk_client import SdkClient
from vlbench.catalog.entry import ProviderEntry

if TYPE_CHECKING:
    from google.genai import Client

# The fields of the body take its place.
_NOTHING = "-"


class GeminiEndpoint:
    """Bodies that are ready go through `generate_content` as its `extra_body`.

    So the client serialises no picture a second time and builds no model of a reply: the response is asked
    for as it came. Beneath the client is our own HTTP, see `sdk_transport`.
    """

    def __init__(self, entry: ProviderEntry, urls: tuple[str, ...], key: str | None) -> None:
        self._entry = entry
        self._urls = tuple(without_version(url) for url in urls)
        self._http = Http.of(entry, self._urls, key, sends_key=False)
        self._key = SecretStr(key or "")
        self._client = SdkClient(self._http, self._make_client, lambda client: client.aio.aclose())
        self._auth_errors: tuple[type[Exception], ...] = ()

    async def open(self) -> None:
        """Import the client and make it. Raises `UsageError` for what can never work."""
        await self._client.open()

    def _make_client(self) -> Client:
        from vlbench.adapters.sdk_transport import client_over

        self._auth_errors = auth_errors(self._entry)
        key = self._key.get_secret_value() or None
        added = AUTH_HEADERS if key or self._entry.cloud else frozenset()
        http_client = client_over(self._http, self._urls[0], add=added | {"x-goog-api-client"})
        return gemini_client(self._entry, self._urls[0], key, http_client)

    async def post(self, path: str, body: bytes) -> HttpReply:
        """Send `body` once; a status the client raises for becomes a reply again."""
        from google.genai.errors import APIError
        from google.genai.types import (
            AutomaticFunctionCallingConfig,
            GenerateContentConfig,
            HttpOptions,
        )

        client = self._client.opened
        fields = orjson.loads(body)
        model = fields.pop("model")
        config = GenerateContentConfig(
            http_options=HttpOptions(extra_body=fields),
            should_return_http_response=True,
            automatic_function_calling=AutomaticFunctionCallingConfig(disable=True),
        )
        try:
            answer = await client.aio.models.generate_content(model=model, contents=_NOTHING, config=config)
        except APIError as error:
            response = error.response
            return HttpReply(response.status_code, dict(response.headers), response.content)
        except self._auth_errors as error:
            raise fault_of_auth(error, self._entry.name) from error
        raw = answer.sdk_http_response
        headers, text = (raw.headers, raw.body) if raw else ({}, "")
        return HttpReply(200, headers or {}, (text or "").encode())

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()
