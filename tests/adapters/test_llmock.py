"""The adapters of OpenAI's formats against somebody else's idea of them."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import anyio
import httpx
import pybase64
import pytest

from vlbench.adapters.adapter import Adapter
from vlbench.adapters.registry import adapter_for
from vlbench.catalog.entry import ProviderEntry, Wire
from vlbench.errors import RateLimited
from vlbench.types import Decoding, ImagePart, ImageRef, Message, Request, Span, TextPart

pytestmark = [pytest.mark.slow, pytest.mark.anyio]

PNG = pybase64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
SPAN = Span(path="x", offset=0, length=len(PNG))
IMAGE = ImageRef(sha256="00", media_type="image/png", width=1, height=1, size=len(PNG), source=SPAN)


class OnePixel:
    def raw(self, ref: ImageRef) -> bytes:
        return PNG

    def base64(self, ref: ImageRef) -> bytes:
        return pybase64.b64encode(PNG)


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


@pytest.fixture
def llmock_url(request: pytest.FixtureRequest) -> Iterator[str]:
    port = _free_port()
    program = Path(sys.executable).with_name("llmock")
    options = getattr(request, "param", [])
    with subprocess.Popen(
        [program, "serve", "--port", str(port), *options],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        yield f"http://127.0.0.1:{port}/v1"
        process.terminate()


API_VERSIONS = {"messages": "2023-06-01", "gemini": "v1beta"}
FOLDERS = {"messages": "/anthropic", "gemini": "/gemini"}


@pytest.fixture(params=["chat", "openai-chat", "responses", "messages", "gemini"])
def wire(request: pytest.FixtureRequest) -> Wire:
    return cast(Wire, request.param)


async def _adapter(wire: Wire, url: str) -> Adapter:
    with anyio.fail_after(20):
        async with httpx.AsyncClient(trust_env=False) as client:
            while True:
                try:
                    await client.get(url)
                    break
                except httpx.ConnectError:
                    await anyio.sleep(0.1)
    entry = ProviderEntry(id="llmock", name="llmock", wire=wire, api_version=API_VERSIONS.get(wire))
    base_url = url.removesuffix("/v1") + FOLDERS[wire] if wire in FOLDERS else url
    adapter = adapter_for(entry, (base_url,), "sk-anything")
    await adapter.open(OnePixel())
    return adapter


def _request() -> Request:
    parts = (TextPart("What is this?"), ImagePart(IMAGE))
    return Request("gpt-4o", (Message("user", parts),), Decoding(max_output_tokens=64, temperature=0))


async def test_a_picture_and_a_question_get_a_reply_with_usage(llmock_url: str, wire: Wire) -> None:
    adapter = await _adapter(wire, llmock_url)
    completion = await adapter.complete(_request())
    await adapter.close()
    assert completion.reply.text
    assert completion.reply.finish == "stop"
    assert completion.reply.usage.input_tokens
    assert completion.reply.adjustments == ()


@pytest.mark.parametrize("llmock_url", [["--error-rate", "429=1.0"]], indirect=True)
async def test_its_rate_limit_is_one_for_us(llmock_url: str, wire: Wire) -> None:
    adapter = await _adapter(wire, llmock_url)
    with pytest.raises(RateLimited):
        await adapter.complete(_request())
    await adapter.close()
