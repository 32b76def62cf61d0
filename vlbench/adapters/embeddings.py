"""Embedding models behind `/embeddings`: which option is most similar to what the question is about.

A request holds one message for the thing asked about, then one for each option: its label and its caption or
picture. Each is embedded on its own; the answer is the label whose cosine similarity is strictly the largest.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from math import fsum, hypot, isfinite
from typing import Final, Literal

import anyio
import orjson
from pydantic import JsonValue

from vlbench.adapters.adapter import ImageBytes
from vlbench.adapters.body import Body, Shape, data_url, dumps, refuse_ours
from vlbench.adapters.faults import ErrorBody, error_in, no_reply
from vlbench.adapters.http import Http
from vlbench.adapters.json_body import count_in, table_in, text_of
from vlbench.adapters.json_post import JsonFormat, JsonPostAdapter
from vlbench.catalog.entry import ProviderEntry
from vlbench.errors import BadRequest, Fault
from vlbench.printable import printable
from vlbench.types import Completion, ImagePart, Message, Part, Reply, Request, TextPart, Usage

TIE: Final = "tie"
"""`Reply.finish_detail` of a reply without an answer: two similarities are equal."""

# A quad needs four vectors for its four questions, which are asked close together.
_KEPT_VECTORS: Final = 512
_OURS: Final = frozenset({"model", "input", "messages", "modality", "encoding_format"})

ImageInput = Literal["messages", "input"]
Vector = tuple[float, ...]


@dataclass(slots=True)
class _Embedding:
    """One vector, asked for once by whoever needs it first."""

    lock: anyio.Lock = field(default_factory=anyio.Lock)
    vector: Vector | None = None


class EmbeddingsAdapter:
    """`POST /embeddings` as vLLM and Infinity serve it; see `Adapter` for what each method promises.

    The reply's text is a label, or empty for a tie; `reasoning` has the similarities. Vectors of the last
    captions and pictures are kept, so a completion sends as many requests as it has new ones. The usage is of
    what was sent.
    """

    def __init__(self, entry: ProviderEntry, urls: tuple[str, ...], key: str | None) -> None:
        self._entry = entry
        build = partial(build_body, entry.embedding_images)
        self._one = JsonPostAdapter(
            entry, Http.of(entry, urls, key), JsonFormat("/embeddings", Shape.of, build, read_vector)
        )
        self._kept: OrderedDict[str, _Embedding] = OrderedDict()
        self._reported: dict[str, str] = {}

    async def open(self, images: ImageBytes) -> None:
        """Make the connection pools; `images` gives the bytes of the pictures to send."""
        await self._one.open(images)

    async def complete(self, request: Request) -> Completion:
        """Embed what is not known yet, and compare."""
        about, *options = request.messages
        sent: list[Completion] = []
        asked = await self._vector(request, about.parts[0], sent)
        similarities: dict[str, float] = {}
        for option in options:
            label, candidate = option.parts
            assert isinstance(label, TextPart)  # `build_similarity` made it
            similarities[label.text] = cosine(asked, await self._vector(request, candidate, sent))
        for one in sent:
            self._reported[request.model] = one.reply.model
        reply = _reply(similarities, sent, self._reported.get(request.model, ""))
        last = sent[-1] if sent else Completion(reply)
        return Completion(reply, last.requests, last.tokens)

    def explain(self, error: Exception) -> Fault | None:
        """Every failure of `complete` is raised as a fault already."""
        return self._one.explain(error)

    async def close(self) -> None:
        """Close the connections."""
        await self._one.close()

    async def _vector(self, request: Request, part: Part, sent: list[Completion]) -> Vector:
        name = f"text {part.text}" if isinstance(part, TextPart) else f"image {part.image.sha256}"
        kept = self._kept.setdefault(f"{request.model}\0{request.repeat}\0{name}", _Embedding())
        self._kept.move_to_end(f"{request.model}\0{request.repeat}\0{name}")
        while len(self._kept) > _KEPT_VECTORS:
            self._kept.popitem(last=False)
        async with kept.lock:
            if kept.vector is None:
                single = Request(request.model, (Message("user", (part,)),), request.decoding)
                completion = await self._one.complete(single)
                sent.append(completion)
                kept.vector = tuple(orjson.loads(completion.reply.text))
            return kept.vector


def build_body(image_input: ImageInput, request: Request, shape: Shape, images: ImageBytes) -> Body:
    """The body that asks for the vector of the request's only part."""
    decoding = request.decoding
    refuse_ours(decoding, _OURS)
    ((part,),) = (message.parts for message in request.messages)
    fields: dict[str, JsonValue] = {"encoding_format": "float", **decoding.extra}
    rest = dumps({name: value for name, value in fields.items() if name not in shape.rejected})[1:-1]
    head = b'{"model":' + dumps(request.model)
    if isinstance(part, TextPart):
        return Body(head + b',"input":' + dumps([part.text]) + b"," + rest + b"}")
    return Body(head + b"," + _picture(image_input, part, images) + b"," + rest + b"}")


def _picture(image_input: ImageInput, part: ImagePart, images: ImageBytes) -> bytes:
    url = b"".join(data_url(images, part.image))
    if image_input == "input":
        return b'"modality":"image","input":[' + url + b"]"
    content = b'[{"type":"image_url","image_url":{"url":' + url + b"}}]"
    return b'"messages":[{"role":"user","content":' + content + b"}]"


def read_vector(body: Mapping[str, JsonValue]) -> Reply | ErrorBody:
    """The vector in the body of a 200, as the JSON text of a reply; or the error in its place."""
    if body.get("error") and not body.get("data"):
        return error_in(body["error"])
    data = body.get("data")
    first = data[0] if isinstance(data, list) and data else None
    vector = first.get("embedding") if isinstance(first, dict) else None
    if not isinstance(vector, list) or not vector or not all(map(_is_number, vector)):
        return no_reply("a success without a vector of numbers")
    usage = table_in(body, "usage")
    return Reply(
        text=orjson.dumps(vector).decode(),
        usage=Usage(input_tokens=count_in(usage, "prompt_tokens")),
        model=printable(text_of(body.get("model"))),
        request_id=printable(text_of(body.get("id")), 100),
    )


def _is_number(value: JsonValue) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and isfinite(value)


def cosine(one: Vector, other: Vector) -> float:
    """Cosine similarity. Raises `BadRequest` for vectors of different lengths, or one without a direction."""
    length, other_length = hypot(*one), hypot(*other)
    if len(one) != len(other) or not length or not other_length:
        raise BadRequest(
            f"The server gave vectors of {len(one)} and {len(other)} numbers for caption and picture, which "
            "cannot be compared. Is this a model that embeds both alike?"
        )
    return fsum((a / length) * (b / other_length) for a, b in zip(one, other, strict=True))


def _reply(similarities: Mapping[str, float], sent: list[Completion], model: str) -> Reply:
    best = max(similarities.values())
    labels = [label for label, similarity in similarities.items() if similarity == best]
    tokens = [one.reply.usage.input_tokens for one in sent]
    return Reply(
        text=labels[0] if len(labels) == 1 else "",
        finish_detail="" if len(labels) == 1 else TIE,
        reasoning=", ".join(f"{label} {similarity:.8f}" for label, similarity in similarities.items()),
        usage=Usage(input_tokens=sum(filter(None, tokens)) if any(tokens) else None),
        model=model,
        request_id=sent[-1].reply.request_id if sent else "",
        adjustments=tuple(dict.fromkeys(note for one in sent for note in one.reply.adjustments)),
    )
