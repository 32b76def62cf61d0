from __future__ import annotations

import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest

from vlbench.adapters.openai_endpoint import OpenAiEndpoint
from vlbench.catalog.entry import ProviderEntry, Wire
from vlbench.errors import UsageError
from vlbench.simulator.http_server import HttpAnswer, HttpRequest, listening

pytestmark = pytest.mark.anyio

KEY = "sk-canary-0123456789"
AMBIENT = {
    "OPENAI_API_KEY": "sk-ambient-999999",
    "OPENAI_ADMIN_KEY": "sk-admin-999999",
    "OPENAI_BASE_URL": "http://127.0.0.1:9/stolen",
    "OPENAI_ORG_ID": "org-ambient",
    "OPENAI_PROJECT_ID": "proj-ambient",
    "OPENAI_CUSTOM_HEADERS": "X-Stolen: ambient\napi-key: ambient\nAuthorization: Bearer sk-ambient-999999",
}


@dataclass
class Listener:
    """A server that keeps what it was sent and gives one answer."""

    answer: HttpAnswer
    url: str = ""
    seen: list[HttpRequest] = field(default_factory=list)

    async def take(self, request: HttpRequest) -> HttpAnswer:
        self.seen.append(request)
        return self.answer


@asynccontextmanager
async def _listening(answer: HttpAnswer | None = None) -> AsyncIterator[Listener]:
    listener = Listener(answer or HttpAnswer(200, b"{}"))
    async with listening(listener.take) as listener.url:
        yield listener


@asynccontextmanager
async def _opened(entry: ProviderEntry, *urls: str, key: str | None = KEY) -> AsyncIterator[OpenAiEndpoint]:
    endpoint = OpenAiEndpoint(entry, urls, key)
    await endpoint.open()
    try:
        yield endpoint
    finally:
        await endpoint.close()


def _entry(**more: object) -> ProviderEntry:
    return ProviderEntry.model_validate({"id": "gpt", "name": "OpenAI", "wire": "responses", **more})


async def test_the_sdk_carries_the_body_as_it_is_with_our_key() -> None:
    async with _listening() as server, _opened(_entry(), f"{server.url}/v1/") as endpoint:
        reply = await endpoint.post("/responses", b'{"model":"m"}')
    (seen,) = server.seen
    assert (reply.status, reply.body) == (200, b"{}")
    assert (seen.method, seen.path, seen.body) == ("POST", "/v1/responses", b'{"model":"m"}')
    assert seen.headers["authorization"] == f"Bearer {KEY}"
    assert seen.headers["content-type"] == "application/json"
    assert seen.headers["user-agent"].startswith("AsyncOpenAI/")


async def test_nothing_of_the_environment_is_sent_or_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in AMBIENT.items():
        monkeypatch.setenv(name, value)
    async with _listening() as server, _opened(_entry(), f"{server.url}/v1") as endpoint:
        await endpoint.post("/responses", b"{}")
    (seen,) = server.seen
    assert seen.headers["authorization"] == f"Bearer {KEY}"
    assert not [v for v in seen.headers.values() if "ambient" in v or "admin" in v]
    assert not {"openai-organization", "openai-project", "x-stolen"} & seen.headers.keys()


async def test_an_ambient_key_does_not_stand_in_for_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", AMBIENT["OPENAI_API_KEY"])
    async with _listening() as server, _opened(_entry(), f"{server.url}/v1", key=None) as endpoint:
        await endpoint.post("/responses", b"{}")
    assert "authorization" not in server.seen[0].headers


async def test_headers_of_the_entry_are_sent_and_win() -> None:
    entry = _entry(headers={"OpenAI-Organization": "org-mine", "User-Agent": "mine"})
    async with _listening() as server, _opened(entry, f"{server.url}/v1") as endpoint:
        await endpoint.post("/responses", b"{}")
    assert server.seen[0].headers["openai-organization"] == "org-mine"
    assert server.seen[0].headers["user-agent"] == "mine"


@pytest.mark.parametrize("status", [301, 400, 401, 408, 409, 429, 500, 503])
async def test_an_error_is_a_reply_after_one_request(status: int) -> None:
    answer = HttpAnswer(status, b'{"error":{}}', (("x-should-retry", "true"), ("retry-after", "0")))
    async with _listening(answer) as server, _opened(_entry(), f"{server.url}/v1") as endpoint:
        reply = await endpoint.post("/responses", b"{}")
    assert (reply.status, reply.body, reply.headers["retry-after"]) == (status, b'{"error":{}}', "0")
    assert len(server.seen) == 1


async def test_replicas_share_the_requests() -> None:
    async with (
        _listening() as one,
        _listening() as two,
        _opened(_entry(), f"{one.url}/v1", f"{two.url}/v1") as endpoint,
    ):
        for _ in range(4):
            await endpoint.post("/responses", b"{}")
    assert (len(one.seen), len(two.seen)) == (2, 2)


async def test_azures_client_names_the_deployment_and_the_key_in_its_own_way(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, value in AMBIENT.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("AZURE_OPENAI_AD_TOKEN", "ambient-token")
    entry = _entry(wire="openai-chat", cloud="azure", api_version="2026-10-01")
    async with _listening() as server, _opened(entry, f"{server.url}/openai") as endpoint:
        await endpoint.post("/chat/completions", b'{"model":"eye","messages":[]}')
    (seen,) = server.seen
    assert seen.path.startswith("/openai/deployments/eye/chat/completions")
    assert seen.headers["api-key"] == KEY
    assert "authorization" not in seen.headers


async def test_a_cloud_that_serves_other_formats_is_refused() -> None:
    endpoint = OpenAiEndpoint(_entry(cloud="bedrock"), ("http://127.0.0.1:9",), KEY)
    with pytest.raises(UsageError, match="bedrock"):
        await endpoint.open()


@pytest.mark.parametrize("wire", ["openai-chat", "responses", "completions"])
def test_an_adapter_loads_no_sdk_before_it_is_opened(wire: Wire) -> None:
    program = f"""
import sys
from vlbench.adapters.registry import adapter_for
from vlbench.catalog.entry import ProviderEntry
adapter_for(ProviderEntry(id="x", name="X", wire={wire!r}), ("http://127.0.0.1:1",), None)
print([m for m in ("openai", "anthropic", "google.genai", "httpx2", "aiohttp", "PIL") if m in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


async def test_a_key_no_header_can_carry_is_told_before_a_request() -> None:
    endpoint = OpenAiEndpoint(_entry(), ("http://127.0.0.1:9/v1",), "sk-\u2028")
    with pytest.raises(UsageError, match="key"):
        await endpoint.open()


async def test_a_header_outside_ascii_does_not_lose_the_reply() -> None:
    answer = HttpAnswer(200, b"{}", headers=(("x-region", "Malmö"), ("x-request-id", "req-é")))
    async with _listening(answer) as server, _opened(_entry(), f"{server.url}/v1") as endpoint:
        reply = await endpoint.post("/responses", b"{}")
    assert (reply.status, reply.body) == (200, b"{}")
    assert reply.headers["x-region"] == "Malmö"
