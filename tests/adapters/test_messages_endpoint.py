"""What Anthropic's client is made to do, and not to do, on the wire."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from vlbench.adapters.messages_endpoint import API_VERSION, without_events
from vlbench.errors import Fault, Overloaded, QuotaGone, RateLimited
from vlbench.simulator.exchange import Failed
from vlbench.types import Completion

pytestmark = pytest.mark.anyio

if TYPE_CHECKING:
    Asker = Any  # a class of conftest.py, which cannot be imported from here

AMBIENT = {
    "ANTHROPIC_API_KEY": "sk-ambient-999999",
    "ANTHROPIC_AUTH_TOKEN": "ambient-999999",
    "ANTHROPIC_BASE_URL": "http://127.0.0.1:9/stolen",
    "ANTHROPIC_CUSTOM_HEADERS": (
        "x-stolen: ambient\nAuthorization: Bearer ambient\nanthropic-version: 1999-01-01\nanthropic-beta: x"
    ),
    "ANTHROPIC_PROFILE": "ambient",
    "ANTHROPIC_WORKSPACE_ID": "ambient",
    "HTTP_PROXY": "http://127.0.0.1:9",
}


async def test_nothing_of_the_environment_reaches_the_wire(
    ask: Asker, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in AMBIENT.items():
        monkeypatch.setenv(name, value)
    exchange = await ask({"wire": "messages"})
    assert isinstance(exchange.result, Completion), exchange.result
    headers = exchange.heard.headers
    assert headers["authorization"] == "Bearer sk-canary-0123456789"
    assert headers["anthropic-version"] == API_VERSION
    assert "anthropic-beta" not in headers
    assert not any("ambient" in value for value in headers.values())


@pytest.mark.parametrize("suffix", ["", "/", "/v1", "/v1/"])
async def test_an_address_with_and_without_its_version_is_the_same(ask: Asker, suffix: str) -> None:
    exchange = await ask({"wire": "messages"}, urls=lambda url: (url.removesuffix("/v1") + suffix,))
    assert exchange.heard.path == "/v1/messages"


async def test_the_entry_names_version_and_headers(ask: Asker) -> None:
    fields = {"wire": "messages", "api_version": "2023-06-01", "headers": {"Anthropic-Beta": "context-1m"}}
    headers = (await ask(fields)).heard.headers
    assert headers["anthropic-version"] == "2023-06-01"
    assert headers["anthropic-beta"] == "context-1m"


async def test_without_a_key_none_is_sent(ask: Asker) -> None:
    assert "authorization" not in (await ask({"wire": "messages"}, key=None)).heard.headers


@pytest.mark.parametrize(
    ("failed", "kind"),
    [
        (Failed(429, "enforced_spend_limit_reached"), QuotaGone),
        (Failed(429, "contract_spend_limit_reached"), QuotaGone),
        (Failed(402, "linked_organization_spend_limit_reached"), QuotaGone),
        (Failed(400, None, "Your credit balance is too low to access the API."), QuotaGone),
        (Failed(429, "ramp_limit_exceeded", headers=(("retry-after", "9"),)), RateLimited),
        (Failed(529), Overloaded),
    ],
)
async def test_a_spent_limit_stops_and_a_ramp_waits(ask: Asker, failed: Failed, kind: type[Fault]) -> None:
    fault = (await ask({"wire": "messages"}, failed)).result
    assert type(fault) is kind
    assert fault.retry_after == (9 if kind is RateLimited else None)


async def test_an_error_event_of_a_stream_inside_a_success_is_read(ask: Asker) -> None:
    stream = b'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"busy"}}\n\n'
    fault = (await ask({"wire": "messages"}, Failed(200, body=stream))).result
    assert isinstance(fault, Overloaded)


def test_only_a_stream_is_unwrapped() -> None:
    assert without_events(b'{"data": 1}') == b'{"data": 1}'
    assert without_events(b"event: ping\n\n") == b"event: ping\n\n"
    assert without_events(b'data: {"a":1}\r\n\r\ndata: {"a":2}\r\n\r\ndata: [DONE]\r\n') == b'{"a":2}'


async def test_limits_with_moments_are_read(ask: Asker) -> None:
    reset = (datetime.now(UTC) + timedelta(seconds=30)).isoformat()
    headers = (
        ("anthropic-ratelimit-requests-limit", "1000"),
        ("anthropic-ratelimit-requests-remaining", "0"),
        ("anthropic-ratelimit-requests-reset", reset),
        ("request-id", "req_7"),
    )
    fault = (await ask({"wire": "messages"}, Failed(429, headers=headers))).result
    assert isinstance(fault, RateLimited)
    assert fault.retry_after == pytest.approx(30, abs=5)
    assert fault.request_id == "req_7"
