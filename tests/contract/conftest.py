"""What every adapter is put through: one line in `WIRES` for each."""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

import pybase64
import pytest
from pydantic import BaseModel, ConfigDict, Field

from vlbench.adapters.adapter import Adapter
from vlbench.adapters.registry import adapter_for
from vlbench.catalog.entry import ProviderEntry, Wire
from vlbench.errors import Fault
from vlbench.simulator.chat_wire import ChatWire
from vlbench.simulator.completions_wire import CompletionsWire
from vlbench.simulator.exchange import Asked, Model, Step
from vlbench.simulator.gemini_wire import GeminiWire
from vlbench.simulator.log import LogEntry
from vlbench.simulator.messages_wire import MessagesWire
from vlbench.simulator.responses_wire import ResponsesWire
from vlbench.simulator.scenario import Scenario
from vlbench.simulator.server import serve
from vlbench.simulator.wire import Wire as SimulatedWire
from vlbench.types import Completion, Decoding, ImagePart, ImageRef, Message, Request, Span, TextPart

KEY = "sk-canary-0123456789"


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


Base64 = Annotated[str, Field(pattern=r"^[A-Za-z0-9+/]+={0,2}$")]


class ChatImageUrl(Strict):
    url: Annotated[str, Field(pattern=r"^data:image/(png|jpeg|webp|gif);base64,[A-Za-z0-9+/]+={0,2}$")]
    detail: Literal["auto", "low", "high", "original"] | None = None


class ChatText(Strict):
    type: Literal["text"]
    text: str


class ChatImage(Strict):
    type: Literal["image_url"]
    image_url: ChatImageUrl


class ChatMessage(Strict):
    role: Literal["system", "developer", "user", "assistant"]
    content: str | Annotated[list[ChatText | ChatImage], Field(min_length=1)]


class ChatRequest(Strict):
    """The body of a Chat Completions request, as far as vlbench uses it."""

    model: str
    messages: Annotated[list[ChatMessage], Field(min_length=1)]
    max_tokens: Annotated[int, Field(gt=0)] | None = None
    max_completion_tokens: Annotated[int, Field(gt=0)] | None = None
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    top_p: Annotated[float, Field(gt=0, le=1)] | None = None
    seed: int | None = None
    reasoning_effort: str | None = None
    stop: list[str] | None = None


class ResponsesText(Strict):
    type: Literal["input_text"]
    text: str


class ResponsesImage(Strict):
    type: Literal["input_image"]
    image_url: Annotated[str, Field(pattern=r"^data:image/(png|jpeg|webp|gif);base64,[A-Za-z0-9+/]+={0,2}$")]
    detail: Literal["auto", "low", "high", "original"]


class ResponsesMessage(Strict):
    role: Literal["system", "developer", "user", "assistant"]
    content: str | Annotated[list[ResponsesText | ResponsesImage], Field(min_length=1)]


class ResponsesReasoning(Strict):
    effort: str


class ResponsesRequest(Strict):
    """The body of a Responses request, as far as vlbench uses it."""

    model: str
    input: Annotated[list[ResponsesMessage], Field(min_length=1)]
    store: Literal[False]
    stream: Literal[False]
    max_output_tokens: Annotated[int, Field(gt=0)] | None = None
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    top_p: Annotated[float, Field(gt=0, le=1)] | None = None
    reasoning: ResponsesReasoning | None = None


class CompletionsRequest(Strict):
    """The body of a Completions request, as far as vlbench uses it."""

    model: str
    prompt: str
    max_tokens: Annotated[int, Field(gt=0)] | None = None
    max_completion_tokens: Annotated[int, Field(gt=0)] | None = None
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    top_p: Annotated[float, Field(gt=0, le=1)] | None = None
    seed: int | None = None
    stop: list[str] | None = None


class MessagesText(Strict):
    type: Literal["text"]
    text: Annotated[str, Field(min_length=1)]


class MessagesSource(Strict):
    type: Literal["base64"]
    media_type: Literal["image/png", "image/jpeg", "image/webp", "image/gif"]
    data: Base64


class MessagesImage(Strict):
    type: Literal["image"]
    source: MessagesSource
    transformations: dict[Literal["oversized_image"], Literal["error"]] | None = None


class MessagesTurn(Strict):
    role: Literal["user", "assistant"]
    content: Annotated[list[MessagesText | MessagesImage], Field(min_length=1)]


class MessagesRequest(Strict):
    """The body of a Messages request, as far as vlbench uses it."""

    model: str
    messages: Annotated[list[MessagesTurn], Field(min_length=1)]
    max_tokens: Annotated[int, Field(gt=0)]
    system: Annotated[str, Field(min_length=1)] | None = None
    temperature: Annotated[float, Field(ge=0, le=1)] | None = None
    top_p: Annotated[float, Field(gt=0, le=1)] | None = None
    stop_sequences: list[str] | None = None
    output_config: dict[Literal["effort"], str] | None = None


class GeminiBlob(Strict):
    mimeType: Literal["image/png", "image/jpeg", "image/webp"]
    data: Base64


class GeminiText(Strict):
    text: Annotated[str, Field(min_length=1)]


class GeminiImage(Strict):
    inlineData: GeminiBlob


class GeminiTurn(Strict):
    role: Literal["user", "model"]
    parts: Annotated[list[GeminiText | GeminiImage], Field(min_length=1)]


class GeminiSystem(Strict):
    parts: Annotated[list[GeminiText], Field(min_length=1)]


class GeminiThinking(Strict):
    thinkingLevel: Literal["MINIMAL", "LOW", "MEDIUM", "HIGH", "XHIGH"]


class GeminiConfig(Strict):
    maxOutputTokens: Annotated[int, Field(gt=0)] | None = None
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    topP: Annotated[float, Field(gt=0, le=1)] | None = None
    seed: int | None = None
    stopSequences: list[str] | None = None
    thinkingConfig: GeminiThinking | None = None


class GeminiRequest(Strict):
    """The body of a generateContent request, as far as vlbench uses it."""

    contents: Annotated[list[GeminiTurn], Field(min_length=1)]
    systemInstruction: GeminiSystem | None = None
    generationConfig: GeminiConfig | None = None


Feature = Literal["pictures", "turns", "refusals", "reasoning", "seed", "effort"]
EVERY: frozenset[Feature] = frozenset({"pictures", "turns", "refusals", "reasoning", "seed", "effort"})


@dataclass(frozen=True, slots=True)
class WireCase:
    """One adapter under test: its wire, the field for the output limit, and the schema of its bodies.

    `other_limit_field` is what the limit is renamed to when it is rejected, empty when it has one name only.
    `features` are those that the format has at all, `api_version` the version that has them.
    """

    wire: Wire
    limit_field: str
    other_limit_field: str
    reader: type[SimulatedWire]
    schema: type[BaseModel]
    features: frozenset[Feature] = EVERY
    api_version: str | None = None

    def needs(self, feature: Feature) -> None:
        """Skip the test when the format has no such thing."""
        if feature not in self.features:
            pytest.skip(f"the {self.wire} format has no {feature}")


WIRES = (
    WireCase("chat", "max_tokens", "max_completion_tokens", ChatWire, ChatRequest),
    WireCase("openai-chat", "max_tokens", "max_completion_tokens", ChatWire, ChatRequest),
    WireCase("responses", "max_output_tokens", "", ResponsesWire, ResponsesRequest, EVERY - {"seed"}),
    WireCase(
        "completions",
        "max_tokens",
        "max_completion_tokens",
        CompletionsWire,
        CompletionsRequest,
        frozenset({"seed"}),
    ),
    WireCase("messages", "max_tokens", "", MessagesWire, MessagesRequest, EVERY - {"seed"}, "2023-06-01"),
    WireCase("gemini", "max_output_tokens", "", GeminiWire, GeminiRequest, EVERY - {"refusals"}, "v1beta"),
)


@pytest.fixture(params=WIRES, ids=lambda case: case.wire)
def case(request: pytest.FixtureRequest) -> WireCase:
    assert isinstance(request.param, WireCase)
    return request.param


@pytest.fixture(autouse=True)
def _every_body_follows_the_schema(case: WireCase, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    read = case.reader.read
    problems: list[Exception] = []

    def checking(self: SimulatedWire, path: str, body: bytes, *, decode_images: bool) -> Asked:
        try:
            case.schema.model_validate_json(body)
        except ValueError as error:
            problems.append(error)
        return read(self, path, body, decode_images=decode_images)

    monkeypatch.setattr(case.reader, "read", checking)
    yield
    assert problems == []


class Pictures:
    """Pictures in memory; a reference is made when one is added."""

    def __init__(self) -> None:
        self._bytes: dict[str, bytes] = {}

    def add(self, data: bytes, media_type: str = "image/png") -> ImageRef:
        sha256 = hashlib.sha256(data).hexdigest()
        self._bytes[sha256] = data
        span = Span(path="pictures.tsv", offset=0, length=len(data))
        return ImageRef(sha256=sha256, media_type=media_type, width=8, height=8, size=len(data), source=span)

    def raw(self, ref: ImageRef) -> bytes:
        return self._bytes[ref.sha256]

    def base64(self, ref: ImageRef) -> bytes:
        return pybase64.b64encode(self.raw(ref))


@pytest.fixture
def pictures() -> Pictures:
    return Pictures()


@pytest.fixture
def request_of() -> Callable[..., Request]:
    """A request with one user turn; strings are texts, references are pictures."""

    def make(*parts: str | ImageRef, system: str = "", decoding: Decoding | None = None) -> Request:
        user = Message("user", tuple(TextPart(p) if isinstance(p, str) else ImagePart(p) for p in parts))
        before = (Message("system", (TextPart(system),)),) if system else ()
        return Request("sim-model", (*before, user), decoding or Decoding(max_output_tokens=64))

    return make


@dataclass(frozen=True, slots=True)
class Talk:
    """What became of some requests sent one after the other to one adapter, and what the server saw."""

    results: tuple[Completion | Fault, ...]
    log: Sequence[LogEntry]

    @property
    def completion(self) -> Completion:
        assert isinstance(self.results[0], Completion), self.results[0]
        return self.results[0]

    @property
    def fault(self) -> Fault:
        assert isinstance(self.results[0], Fault), self.results[0]
        return self.results[0]


Talker = Callable[..., Awaitable[Talk]]


@pytest.fixture
def talk(case: WireCase, pictures: Pictures) -> Talker:
    """Send requests to a simulated provider that takes the given steps."""

    async def talk(replies: Sequence[Step] | Model, *requests: Request, key: str = KEY) -> Talk:
        async with serve(Scenario(replies=replies, key=KEY)) as server:
            entry = ProviderEntry(id="sim", name="Simulated", wire=case.wire, api_version=case.api_version)
            adapter = adapter_for(entry, (server.url,), key)
            await adapter.open(pictures)
            try:
                results = [await _outcome(adapter, r) for r in requests]
            finally:
                await adapter.close()
            return Talk(tuple(results), server.log)

    return talk


@pytest.fixture
async def dead_url() -> str:
    """The address of a server that has just gone."""
    async with serve(Scenario(replies=["x"])) as server:
        url = server.url
    return url


async def _outcome(adapter: Adapter, request: Request) -> Completion | Fault:
    try:
        return await adapter.complete(request)
    except Exception as error:  # The engine does just this: whatever is raised must be explained.
        fault = adapter.explain(error)
        if fault is None:
            raise
        return fault
