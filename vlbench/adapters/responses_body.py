"""The body of a Responses request."""

from __future__ import annotations

from functools import partial

from pydantic import JsonValue

from vlbench.adapters.adapter import ImageBytes
from vlbench.adapters.body import Body, Shape, data_url, detail_of, dumps, messages_of, refuse_ours, settled
from vlbench.catalog.entry import ProviderEntry
from vlbench.types import Decoding, ImagePart, Part, Request, TextPart

# `store` is among them: the default keeps every question at the provider for thirty days.
_OURS = frozenset(
    {
        "model",
        "input",
        "store",
        "stream",
        "stream_options",
        "background",
        "conversation",
        "previous_response_id",
    }
)
_NAMES = {"effort": "reasoning", "image_detail": "detail"}
# Parameters of Chat Completions that this format does not have.
_UNKNOWN = frozenset({"seed", "stop"})


def shape_of(entry: ProviderEntry, model: str) -> Shape:
    """What the catalog says of `model`, in this format's words."""
    return Shape.of(entry, model, limit_field="max_output_tokens", names=_NAMES, unknown=_UNKNOWN)


def build_body(request: Request, shape: Shape, images: ImageBytes) -> Body:
    """The complete body for `request`. Equal requests give equal bytes.

    Raises `UsageError` for an `extra` field that would change how the reply is sent.
    """
    decoding = request.decoding
    refuse_ours(decoding, _OURS)
    fields, adjustments = settled(_fields(decoding, shape), _extra(decoding), shape)
    detail, about_detail = detail_of(request, shape)
    if detail is None and "detail" not in shape.rejected:
        detail = "auto"  # The published schema wants the field.
    messages, about_turns = messages_of(request, shape, partial(_part, detail, images))
    pieces = [b'{"model":' + dumps(request.model) + b',"input":', *messages]
    # Some servers of this format stream unless they are told not to (transformers serve 5.24, 2026-11-30).
    pieces += (b',"store":false,"stream":false', b"," if fields else b"", dumps(fields)[1:-1], b"}")
    return Body(b"".join(pieces), (*adjustments, *about_detail, *about_turns))


def _fields(decoding: Decoding, shape: Shape) -> dict[str, JsonValue]:
    return {
        shape.limit_field: decoding.max_output_tokens,
        "temperature": decoding.temperature,
        "top_p": decoding.top_p,
        "reasoning": None if decoding.effort is None else {"effort": decoding.effort},
        "seed": decoding.seed,
        "stop": None if decoding.stop is None else list(decoding.stop),
    }


def _extra(decoding: Decoding) -> dict[str, JsonValue]:
    """`extra` as it is, but its `reasoning` (a summary, say) beside the effort and not in its place."""
    reasoning = decoding.extra.get("reasoning")
    if decoding.effort is None or not isinstance(reasoning, dict):
        return decoding.extra
    return {**decoding.extra, "reasoning": {"effort": decoding.effort, **reasoning}}


def _part(detail: str | None, images: ImageBytes, part: Part) -> tuple[bytes, ...]:
    match part:
        case TextPart(text):
            return (b'{"type":"input_text","text":' + dumps(text) + b"}",)
        case ImagePart(image):
            tail = b',"detail":' + dumps(detail) if detail else b""
            return b'{"type":"input_image","image_url":', *data_url(images, image), tail + b"}"
