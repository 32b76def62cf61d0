"""An adapter asks a simulated provider; the test sees what came over the wire."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

import pybase64
import pytest

from vlbench.adapters.registry import adapter_for
from vlbench.catalog.entry import ProviderEntry
from vlbench.errors import Fault
from vlbench.simulator.exchange import Step
from vlbench.simulator.http_server import HttpAnswer, HttpRequest
from vlbench.simulator.scenario import Scenario
from vlbench.simulator.server import Simulator, serve
from vlbench.types import Completion, Decoding, ImageRef, Message, Request, Span, TextPart

KEY = "sk-canary-0123456789"


class OnePicture:
    """Every picture has the same bytes, which use both alphabets' letters in base64."""

    def raw(self, ref: ImageRef) -> bytes:
        return b"\xfb\xff\xfe picture"

    def base64(self, ref: ImageRef) -> bytes:
        return pybase64.b64encode(self.raw(ref))


@pytest.fixture
def one_picture() -> OnePicture:
    return OnePicture()


@pytest.fixture
def picture() -> ImageRef:
    span = Span(path="p.tsv", offset=0, length=10)
    return ImageRef(sha256="ab" * 32, media_type="image/png", width=8, height=8, size=10, source=span)


@dataclass(frozen=True, slots=True)
class Exchange:
    """What one request became, and what the server heard."""

    result: Completion | Fault
    heard: HttpRequest


Asker = Callable[..., Awaitable[Exchange]]


@pytest.fixture
def ask(monkeypatch: pytest.MonkeyPatch) -> Asker:
    """Ask once through the adapter of an entry with the given fields; `step` is the server's answer."""
    heard: list[HttpRequest] = []
    answer = Simulator.answer

    async def listening(simulator: Simulator, request: HttpRequest) -> HttpAnswer:
        heard.append(request)
        return await answer(simulator, request)

    monkeypatch.setattr(Simulator, "answer", listening)

    async def ask(
        fields: Mapping[str, object],
        step: Step = "B",
        *,
        request: Request | None = None,
        key: str | None = KEY,
        urls: Callable[[str], Sequence[str]] = lambda url: (url,),
    ) -> Exchange:
        async with serve(Scenario(replies=[step])) as server:
            entry = ProviderEntry.model_validate({"id": "sim", "name": "Simulated", **fields})
            adapter = adapter_for(entry, tuple(urls(server.url)), key)
            await adapter.open(OnePicture())
            try:
                result: Completion | Fault = await adapter.complete(request or _question())
            except Fault as fault:
                result = fault
            finally:
                await adapter.close()
        return Exchange(result, heard[-1])

    return ask


def _question() -> Request:
    return Request("some-model", (Message("user", (TextPart("Which?"),)),), Decoding(max_output_tokens=9))
