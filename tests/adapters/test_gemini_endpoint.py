"""What Google's client is made to do, and not to do, on the wire."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson
import pytest

from vlbench.errors import AuthFailed, BadRequest, Fault, QuotaGone, RateLimited
from vlbench.simulator.exchange import Failed
from vlbench.types import Completion, Decoding, ImagePart, ImageRef, Message, Request, TextPart

pytestmark = pytest.mark.anyio

if TYPE_CHECKING:
    Asker = Any  # a class of conftest.py, which cannot be imported from here

AMBIENT = {
    "GOOGLE_API_KEY": "ambient-999999",
    "GEMINI_API_KEY": "ambient-999999",
    "GOOGLE_GENAI_USE_VERTEXAI": "true",
    "GOOGLE_GENAI_USE_ENTERPRISE": "true",
    "GOOGLE_GEMINI_BASE_URL": "http://127.0.0.1:9/stolen",
    "GOOGLE_VERTEX_BASE_URL": "http://127.0.0.1:9/stolen",
    "GOOGLE_GENAI_API_VERSION": "ambient",
    "GOOGLE_GENAI_CLIENT_MODE": "replay",
    "GOOGLE_GENAI_HTTP_CLIENT": "httpx",
    "GOOGLE_CLOUD_PROJECT": "ambient",
    "GOOGLE_CLOUD_LOCATION": "ambient",
    "HTTP_PROXY": "http://127.0.0.1:9",
}
GEMINI = {"wire": "gemini", "api_version": "v1beta"}


async def test_nothing_of_the_environment_reaches_the_wire(
    ask: Asker, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in AMBIENT.items():
        monkeypatch.setenv(name, value)
    exchange = await ask({"wire": "gemini"})
    assert isinstance(exchange.result, Completion), exchange.result
    assert exchange.heard.path == "/v1/models/some-model:generateContent"
    headers = exchange.heard.headers
    assert headers["x-goog-api-key"] == "sk-canary-0123456789"
    assert "authorization" not in headers
    assert not any("ambient" in value for value in headers.values())


@pytest.mark.parametrize("suffix", ["", "/", "/v1", "/v1beta/", "/v1alpha", "/v1beta1"])
async def test_the_entry_decides_the_version_whatever_the_address_ends_with(ask: Asker, suffix: str) -> None:
    exchange = await ask(GEMINI, urls=lambda url: (url.removesuffix("/v1") + suffix,))
    assert exchange.heard.path == "/v1beta/models/some-model:generateContent"


async def test_without_a_key_none_is_sent(ask: Asker) -> None:
    assert "x-goog-api-key" not in (await ask(GEMINI, key=None)).heard.headers


async def test_the_client_sends_our_body_and_nothing_of_its_own(ask: Asker, picture: ImageRef) -> None:
    parts = (ImagePart(picture), TextPart("Q"))
    turns = (Message("system", (TextPart("S"),)), Message("user", parts))
    exchange = await ask(GEMINI, request=Request("m", turns, Decoding(max_output_tokens=9)))
    assert orjson.loads(exchange.heard.body) == {
        "contents": [
            {
                "role": "user",
                "parts": [
                    {"inlineData": {"mimeType": "image/png", "data": "+//+IHBpY3R1cmU="}},
                    {"text": "Q"},
                ],
            }
        ],
        "generationConfig": {"maxOutputTokens": 9},
        "systemInstruction": {"parts": [{"text": "S"}]},
    }


def _error(status: int, *details: dict[str, object]) -> Failed:
    error = {"code": status, "message": "m", "status": "X", "details": details}
    return Failed(status, body=orjson.dumps({"error": error}))


def _violation(quota_id: str) -> dict[str, object]:
    return {"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [{"quotaId": quota_id}]}


@pytest.mark.parametrize(
    ("failed", "kind", "wait"),
    [
        (_error(400, {"reason": "API_KEY_INVALID"}), AuthFailed, None),
        (_error(400, {"reason": "SOMETHING_ELSE"}), BadRequest, None),
        (_error(429, {"retryDelay": "58.9s"}), RateLimited, 58.9),
        (
            _error(429, _violation("GenerateRequestsPerMinutePerProject"), {"retryDelay": "21s"}),
            RateLimited,
            21,
        ),
        (
            _error(429, _violation("GenerateRequestsPerDayPerProjectPerModel"), {"retryDelay": "21s"}),
            QuotaGone,
            21,
        ),
        (Failed(400, body=b'[{"error": {"code": 400, "message": "in a list"}}]'), BadRequest, None),
        (Failed(400, body=b"\xff\xfe not even text"), BadRequest, None),
    ],
)
async def test_what_stands_in_the_body_of_an_error_decides(
    ask: Asker, failed: Failed, kind: type[Fault], wait: float | None
) -> None:
    fault = (await ask(GEMINI, failed)).result
    assert type(fault) is kind
    assert fault.retry_after == wait
