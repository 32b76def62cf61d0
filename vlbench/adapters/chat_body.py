"""The body of a Chat Completions request."""

from __future__ import annotations

from dataclasses import dataclass, field

from pydantic import JsonValue

from vlbench.adapters.adapter import ImageBytes
from vlbench.adapters.body import Body, Shape, detail_of, dumps, refuse_ours, safe_base64, settled, turns_of
from vlbench.types import Decoding, ImagePart, Message, Part, Request, TextPart

_OURS = frozenset({"model", "messages", "stream", "stream_options", "n"})


@dataclass(slots=True)
class _Draft:
    shape: Shape
    detail: str | None
    pieces: list[bytes] = field(default_factory=list)


def build_body(request: Request, shape: Shape, images: ImageBytes) -> Body:
    """The complete body for `request`. Equal requests give equal bytes.

    Raises `UsageError` for an `extra` field that would change how the reply is sent.
    """
    refuse_ours(request.decoding, _OURS)
    fields, adjustments = settled(_fields(request.decoding, shape), request.decoding.extra, shape)
    detail, about_detail = detail_of(request, shape)
    messages, about_turns = turns_of(request, shape)
    draft = _Draft(shape, detail)
    draft.pieces.append(b'{"model":' + dumps(request.model) + b',"messages":[')
    for index, message in enumerate(messages):
        _add_message(draft, message, images, first=index == 0)
    draft.pieces.append(b"]")
    if fields:
        draft.pieces += (b",", dumps(fields)[1:-1])
    draft.pieces.append(b"}")
    return Body(b"".join(draft.pieces), (*adjustments, *about_detail, *about_turns))


def _fields(decoding: Decoding, shape: Shape) -> dict[str, JsonValue]:
    return {
        shape.limit_field: decoding.max_output_tokens,
        "temperature": decoding.temperature,
        "top_p": decoding.top_p,
        "seed": decoding.seed,
        "reasoning_effort": decoding.effort,
        "stop": None if decoding.stop is None else list(decoding.stop),
    }


def _add_message(draft: _Draft, message: Message, images: ImageBytes, *, first: bool) -> None:
    role = draft.shape.system_role if message.role == "system" else message.role
    draft.pieces.append((b"" if first else b",") + b'{"role":' + dumps(role) + b',"content":')
    if all(isinstance(p, TextPart) for p in message.parts):
        # A plain string: servers of text-only models do not take a list of parts.
        draft.pieces.append(dumps("\n".join(p.text for p in message.parts if isinstance(p, TextPart))))
    else:
        draft.pieces.append(b"[")
        for index, part in enumerate(message.parts):
            _add_part(draft, part, images, first=index == 0)
        draft.pieces.append(b"]")
    draft.pieces.append(b"}")


def _add_part(draft: _Draft, part: Part, images: ImageBytes, *, first: bool) -> None:
    comma = b"" if first else b","
    match part:
        case TextPart(text):
            draft.pieces.append(comma + b'{"type":"text","text":' + dumps(text) + b"}")
        case ImagePart(image):
            head = dumps(f"data:{image.media_type};base64,")[:-1]
            detail = b',"detail":' + dumps(draft.detail) if draft.detail else b""
            draft.pieces += (
                comma + b'{"type":"image_url","image_url":{"url":' + head,
                safe_base64(images, image),
                b'"' + detail + b"}}",
            )
