"""An embedding model answers with the most similar option, in both forms servers take pictures in."""

from __future__ import annotations

import hashlib
import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import anyio
import pybase64
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vlbench.adapters.embeddings import TIE, EmbeddingsAdapter, cosine
from vlbench.catalog.entry import ProviderEntry
from vlbench.errors import BadRequest, NoSuchModel, ServerFailed, UsageError
from vlbench.scoring.readers.strict import STRICT
from vlbench.simulator.http_server import HttpAnswer, HttpRequest, listening
from vlbench.types import (
    Completion,
    Decoding,
    ImagePart,
    ImageRef,
    Message,
    Outcome,
    Part,
    Request,
    Span,
    TextPart,
)

PICTURES = {b"cat picture": [1.0, 0.0, 0.1], b"dog picture": [0.0, 1.0, 0.1]}
TEXTS = {"a cat": [0.9, 0.1, 0.0], "a dog": [0.2, 0.8, 0.0], "also a cat": [0.9, 0.1, 0.0]}


def picture(data: bytes) -> ImagePart:
    span = Span(path="pack", offset=0, length=len(data))
    name = hashlib.sha256(data).hexdigest()
    return ImagePart(
        ImageRef(sha256=name, media_type="image/png", width=1, height=1, size=len(data), source=span)
    )


CAT, DOG = map(picture, PICTURES)


class Bytes:
    def raw(self, ref: ImageRef) -> bytes:
        return next(data for data in PICTURES if hashlib.sha256(data).hexdigest() == ref.sha256)

    def base64(self, ref: ImageRef) -> bytes:
        return pybase64.b64encode(self.raw(ref))


def question(about: Part, options: Mapping[str, Part], decoding: Decoding | None = None) -> Request:
    turns = (Message("user", (TextPart(label), part)) for label, part in options.items())
    return Request("clip", (Message("user", (about,)), *turns), decoding or Decoding())


def captions(*texts: str) -> dict[str, Part]:
    return dict(zip("AB", map(TextPart, texts), strict=True))


@dataclass
class Server:
    """Answers with known vectors; `bodies` is everything it was asked."""

    url: str = ""
    bodies: list[dict[str, object]] = field(default_factory=list)
    answer: Callable[[dict[str, object]], tuple[int, object]] | None = None

    async def handle(self, request: HttpRequest) -> HttpAnswer:
        assert request.path == "/v1/embeddings"
        body = json.loads(request.body)
        self.bodies.append(body)
        status, answer = self.answer(body) if self.answer else (200, self.vector(body))
        return HttpAnswer(status, json.dumps(answer).encode())

    def vector(self, body: dict[str, object]) -> dict[str, object]:
        text = json.dumps(body)
        if "base64," in text:
            data = pybase64.b64decode(text.partition("base64,")[2].partition('"')[0])
            found = PICTURES[data]
        else:
            assert isinstance(body["input"], list)
            found = TEXTS[body["input"][0]]
        return {
            "object": "list",
            "data": [{"index": 0, "embedding": found}],
            "model": "clip-served",
            "usage": {"prompt_tokens": 7, "total_tokens": 7},
        }


@asynccontextmanager
async def serving() -> AsyncIterator[Server]:
    made = Server()
    async with listening(made.handle) as address:
        made.url = f"{address}/v1"
        yield made


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    async with serving() as made:
        yield made


@asynccontextmanager
async def opened(server: Server, **entry: object) -> AsyncIterator[EmbeddingsAdapter]:
    facts = {"id": "e", "name": "Embedder", "wire": "embeddings"} | entry
    adapter = EmbeddingsAdapter(ProviderEntry.model_validate(facts), (server.url,), None)
    await adapter.open(Bytes())
    try:
        yield adapter
    finally:
        await adapter.close()


async def asked(server: Server, request: Request) -> Completion:
    async with opened(server) as adapter:
        return await adapter.complete(request)


@pytest.mark.anyio
async def test_the_most_similar_caption_is_the_answer(server: Server) -> None:
    reply = (await asked(server, question(DOG, captions("a cat", "a dog")))).reply
    assert reply.text == "B"
    # 0.1 / √(0.82 · 1.01) and 0.8 / √(0.68 · 1.01)
    assert STRICT.read(reply, {"A": "a cat", "B": "a dog"}).label == "B"
    assert reply.reasoning == "A 0.10988348, B 0.96532787"
    assert (reply.model, reply.usage.input_tokens) == ("clip-served", 21)


@pytest.mark.anyio
async def test_the_most_similar_picture_is_the_answer(server: Server) -> None:
    found = await asked(server, question(TextPart("a cat"), {"First": CAT, "Second": DOG}))
    assert found.reply.text == "First"


@pytest.mark.anyio
async def test_a_tie_is_no_answer(server: Server) -> None:
    reply = (await asked(server, question(CAT, captions("a cat", "also a cat")))).reply
    assert (reply.text, reply.finish_detail) == ("", TIE)
    assert STRICT.read(reply, {"A": "a cat", "B": "also a cat"}).outcome is Outcome.UNPARSED


@pytest.mark.anyio
async def test_a_quad_needs_four_vectors_for_its_four_questions(server: Server) -> None:
    texts, pictures = captions("a cat", "a dog"), {"First": CAT, "Second": DOG}
    async with opened(server) as adapter, anyio.create_task_group() as group:
        for about in (CAT, DOG):
            group.start_soon(adapter.complete, question(about, texts))
        for text in ("a cat", "a dog"):
            group.start_soon(adapter.complete, question(TextPart(text), pictures))
    assert len(server.bodies) == 4


@pytest.mark.anyio
async def test_an_answer_from_known_vectors_still_names_the_model_and_costs_nothing(server: Server) -> None:
    request = question(CAT, captions("a cat", "a dog"))
    async with opened(server) as adapter:
        first, second = [await adapter.complete(request) for _ in range(2)]
    assert (second.reply.text, second.reply.model) == (first.reply.text, "clip-served")
    assert second.reply.usage.input_tokens is None


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("form", "fields"),
    [
        (
            "messages",
            {
                "messages": [
                    {
                        "role": "user",
                        "content": [
                            {
                                "type": "image_url",
                                "image_url": {"url": "data:image/png;base64,Y2F0IHBpY3R1cmU="},
                            }
                        ],
                    }
                ]
            },
        ),
        ("input", {"modality": "image", "input": ["data:image/png;base64,Y2F0IHBpY3R1cmU="]}),
    ],
)
async def test_pictures_go_in_the_form_the_server_takes(
    server: Server, form: str, fields: dict[str, object]
) -> None:
    extra = Decoding(extra={"dimensions": 3})
    async with opened(server, embedding_images=form) as adapter:
        await adapter.complete(question(CAT, captions("a cat", "a dog"), extra))
    common = {"model": "clip", "encoding_format": "float", "dimensions": 3}
    assert server.bodies == [common | fields, common | {"input": ["a cat"]}, common | {"input": ["a dog"]}]


@pytest.mark.anyio
async def test_errors_are_faults(server: Server) -> None:
    server.answer = lambda body: (404, {"error": {"message": "no model clip"}})
    with pytest.raises(NoSuchModel):
        await asked(server, question(CAT, captions("a cat", "a dog")))


@pytest.mark.anyio
@pytest.mark.parametrize("data", [[], [{"embedding": []}], [{"embedding": "AAAA"}], [{"embedding": [None]}]])
async def test_a_success_without_a_vector_is_a_fault(server: Server, data: object) -> None:
    server.answer = lambda body: (200, {"data": data})
    with pytest.raises(ServerFailed):
        await asked(server, question(CAT, captions("a cat", "a dog")))


@pytest.mark.anyio
async def test_our_own_fields_cannot_be_set(server: Server) -> None:
    request = question(CAT, captions("a cat", "a dog"), Decoding(extra={"input": "x"}))
    with pytest.raises(UsageError, match="'input' belongs to vlbench"):
        await asked(server, request)


def test_vectors_that_cannot_be_compared_are_told() -> None:
    with pytest.raises(BadRequest, match="vectors of 2 and 3 numbers"):
        cosine((1.0, 0.0), (1.0, 0.0, 0.0))
    with pytest.raises(BadRequest):
        cosine((0.0, 0.0), (1.0, 0.0))


# Between directions, not between rounding errors of numbers next to zero.
PART = st.floats(-10, 10).filter(lambda value: value == 0 or abs(value) > 1e-6)


@given(st.lists(PART, min_size=3, max_size=3).filter(any), st.floats(0.5, 20))
def test_cosine_is_of_directions(vector: list[float], factor: float) -> None:
    one = tuple(vector)
    assert cosine(one, tuple(factor * value for value in one)) == pytest.approx(1.0)
    assert cosine(one, tuple(-value for value in one)) == pytest.approx(-1.0)
