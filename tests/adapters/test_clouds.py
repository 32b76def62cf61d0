"""Claude and Gemini at clouds, as far as the loopback reaches."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import orjson
import pytest

from vlbench.adapters.registry import adapter_for
from vlbench.catalog.entry import ProviderEntry
from vlbench.errors import AuthFailed, UsageError
from vlbench.types import Completion, Decoding, Message, Request, TextPart

pytestmark = pytest.mark.anyio

if TYPE_CHECKING:
    from vlbench.adapters.adapter import ImageBytes

    Asker = Any  # a class of conftest.py, which cannot be imported from here

VERTEX: dict[str, Any] = {
    "cloud": "vertex",
    "cloud_variables": {"project": "MY_PROJECT", "region": "MY_REGION"},
}
BEDROCK: dict[str, Any] = {
    "cloud": "bedrock",
    "cloud_variables": {"region": "MY_REGION", "access_key": "MY_ACCESS"},
}


@pytest.fixture(autouse=True)
def _account(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_PROJECT", "project-1")
    monkeypatch.setenv("MY_REGION", "europe-west4")
    for name in ("GOOGLE_CLOUD_PROJECT", "ANTHROPIC_VERTEX_PROJECT_ID", "AWS_REGION", "CLOUD_ML_REGION"):
        monkeypatch.setenv(name, "ambient")
    monkeypatch.delenv("AWS_BEARER_TOKEN_BEDROCK", raising=False)


async def test_claude_at_vertex_is_asked_with_the_token_in_the_projects_path(ask: Asker) -> None:
    exchange = await ask({"wire": "messages", **VERTEX})
    assert isinstance(exchange.result, Completion), exchange.result
    assert exchange.heard.path == (
        "/v1/projects/project-1/locations/europe-west4/publishers/anthropic/models/some-model:rawPredict"
    )
    assert exchange.heard.headers["authorization"] == "Bearer sk-canary-0123456789"
    assert "model" not in orjson.loads(exchange.heard.body)


async def test_claude_at_bedrock_is_asked_with_the_bearer_token(ask: Asker) -> None:
    exchange = await ask({"wire": "messages", **BEDROCK}, urls=lambda url: (url.removesuffix("/v1"),))
    assert isinstance(exchange.result, Completion), exchange.result
    assert exchange.heard.path == "/model/some-model/invoke"
    assert exchange.heard.headers["authorization"] == "Bearer sk-canary-0123456789"


async def test_gemini_at_vertex_is_asked_with_the_token_in_the_projects_path(ask: Asker) -> None:
    exchange = await ask({"wire": "gemini", **VERTEX})
    assert isinstance(exchange.result, Completion), exchange.result
    assert exchange.heard.path == (
        "/v1beta1/projects/project-1/locations/europe-west4/publishers/google/models/some-model"
        ":generateContent"
    )
    assert exchange.heard.headers["authorization"] == "Bearer sk-canary-0123456789"


async def _open(images: ImageBytes, key: str | None = "token-123456", **fields: object) -> None:
    url = str(fields.pop("url", "http://127.0.0.1:9"))
    entry = ProviderEntry.model_validate({"id": "cloudy", "name": "C", "wire": "messages", **fields})
    await adapter_for(entry, (url,), key).open(images)


@pytest.mark.parametrize(
    "url", ["https://evil.example", "https://x.googleapis.com.evil", "http://a.googleapis.com"]
)
@pytest.mark.parametrize("wire", ["messages", "gemini"])
async def test_an_address_outside_the_cloud_gets_nothing(
    one_picture: ImageBytes, url: str, wire: str
) -> None:
    with pytest.raises(UsageError, match=r"cloudy .* none of that cloud"):
        await _open(one_picture, url=url, wire=wire, **VERTEX)


async def test_a_missing_setting_is_named_with_its_variable(
    one_picture: ImageBytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MY_PROJECT")
    with pytest.raises(UsageError, match=r"project of its vertex account: set MY_PROJECT"):
        await _open(one_picture, **VERTEX)
    with pytest.raises(UsageError, match=r"cloud_variables\.region"):
        await _open(one_picture, cloud="bedrock")


async def test_signing_for_bedrock_without_boto3_says_what_to_install(
    one_picture: ImageBytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "boto3", None)
    with pytest.raises(UsageError, match="pip install boto3"):
        await _open(one_picture, None, **BEDROCK)


async def test_a_bearer_token_that_no_entry_names_is_not_taken_in_silence(
    one_picture: ImageBytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_BEARER_TOKEN_BEDROCK", "ambient")
    with pytest.raises(UsageError, match="AWS_BEARER_TOKEN_BEDROCK is set"):
        await _open(one_picture, None, **BEDROCK)


@pytest.mark.parametrize(("wire", "cloud"), [("messages", "azure"), ("gemini", "bedrock")])
async def test_a_cloud_without_such_a_client_is_told(one_picture: ImageBytes, wire: str, cloud: str) -> None:
    with pytest.raises(UsageError, match="has no client"):
        await _open(one_picture, wire=wire, cloud=cloud)


@pytest.mark.parametrize("wire", ["messages", "gemini"])
async def test_credentials_that_cannot_be_had_stop_the_lane(
    one_picture: ImageBytes, monkeypatch: pytest.MonkeyPatch, wire: str
) -> None:
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", "/nowhere/credentials.json")
    entry = ProviderEntry.model_validate({"id": "cloudy", "name": "Cloudy", "wire": wire, **VERTEX})
    adapter = adapter_for(entry, ("http://127.0.0.1:9",), None)
    await adapter.open(one_picture)
    with pytest.raises(AuthFailed, match=r"Cloudy: no Google credentials: .*nowhere"):
        await adapter.complete(Request("m", (Message("user", (TextPart("Q"),)),), Decoding()))
    await adapter.close()


def test_a_secret_pasted_in_place_of_a_variable_is_refused() -> None:
    with pytest.raises(ValueError, match="names of environment variables"):
        ProviderEntry.model_validate(
            {"id": "x", "name": "X", "wire": "messages", "cloud_variables": {"region": "AKIA/secret+key"}}
        )
