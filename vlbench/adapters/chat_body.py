"""The body of a Chat Completions request."""

from __future__ import annotations

from functools import partial

from pydantic import JsonValue

from vlbench.adapters.adapter import ImageBytes
from vlbench.adapters.body import Body, Shape, data_url, detail_of, dumps, messages_of, refuse_ours, settled
from vlbench.types import Decoding, ImagePart, Part, Request, TextPart

_OURS = frozenset({"model", "messages", "stream", "stream_options", "n"})


def build_body(request: Request, shape: Shape, images: ImageBytes) -> Body:
    """The complete body for `request`. Equal requests give equal bytes.

    Raises `UsageError` for an `extra` field that would change how the reply is sent.
    """
    refuse_ours(request.decoding, _OURS)
    fields, adjustments = settled(_fields(request.decoding, shape), request.decoding.extra, shape)
    detail, about_detail = detail_of(request, shape)
    messages, about_turns = messages_of(request, shape, partial(_part, detail, images))
    pieces = [b'{"model":' + dumps(request.model) + b',"messages":', *messages]
    if fields:
        pieces += (b",", dumps(fields)[1:-1])
    pieces.append(b"}")
    return Body(b"".join(pieces), (*adjustments, *about_detail, *about_turns))


def _fields(decoding: Decoding, shape: Shape) -> dict[str, JsonValue]:
    return {
        shape.limit_field: decoding.max_output_tokens,
        "temperature": decoding.temperature,
        "top_p": decoding.top_p,
        "seed": decoding.seed,
        "reasoning_effort": decoding.effort,
        "stop": None if decoding.stop is None else list(decoding.stop),
    }


def _part(detail: str | None, images: ImageBytes, part: Part) -> tuple[bytes, ...]:
    match part:
        case TextPart(text):
            return (b'{"type":"text","text":' + dumps(text) + b"}",)
        case ImagePart(image):
            tail = b',"detail":' + dumps(detail) if detail else b""
            return b'{"type":"image_url","image_url":{"url":', *data_url(images, image), tail + b"}}"
