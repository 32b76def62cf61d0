"""The body of a Messages request (https://platform.claude.com/docs/en/api/messages, read 2026-11)."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import JsonValue

from vlbench.adapters.adapter import ImageBytes
from vlbench.adapters.body import Body, Shape, dumps, listed, refuse_ours, safe_base64, settled
from vlbench.adapters.nested import merged
from vlbench.adapters.turns import Turn, conversation
from vlbench.catalog.entry import ProviderEntry
from vlbench.types import Decoding, ImagePart, Part, Request, TextPart

DEFAULT_LIMIT = 4096
"""Output tokens asked for where the request names no limit: this API insists on one."""

_OURS = frozenset({"model", "messages", "system", "stream"})
_NAMES = {"image_detail": "detail", "stop": "stop_sequences", "effort": "effort"}
_TRANSFORMATIONS = "transformations"


def shape_of(entry: ProviderEntry, model: str) -> Shape:
    """What the catalog says of `model`.

    Sampling parameters exist only in the API's older versions, so they are sent only where the entry names
    one as `api_version`. Only the current version can be told to refuse a picture instead of shrinking it.
    """
    unknown = {"seed", "detail"}
    unknown |= {_TRANSFORMATIONS} if entry.api_version else {"temperature", "top_p", "top_k"}
    return Shape.of(entry, model, limit_field="max_output_tokens", names=_NAMES, unknown=unknown)


def build_body(request: Request, shape: Shape, images: ImageBytes) -> Body:
    """The complete body for `request`. Equal requests give equal bytes.

    Raises `UsageError` for an `extra` field that would change how the reply is sent.
    """
    decoding = request.decoding
    refuse_ours(decoding, _OURS)
    wanted = _fields(decoding, shape)
    fields, adjustments = settled({}, merged(wanted, decoding.extra), shape)
    fields.setdefault("max_tokens", DEFAULT_LIMIT)
    if decoding.image_detail and request.images:
        adjustments.append("dropped image detail")
    talk = conversation(request, shape)
    if talk.system:
        fields["system"] = talk.system
    picture_end = _picture_end(shape)
    pieces = [b'{"model":' + dumps(request.model) + b',"messages":']
    pieces += listed(_turn(turn, images, picture_end) for turn in talk.turns)
    pieces.append(b"," + dumps(fields)[1:])
    return Body(b"".join(pieces), (*adjustments, *talk.adjustments))


def _fields(decoding: Decoding, shape: Shape) -> dict[str, JsonValue]:
    fields: dict[str, JsonValue] = {
        "max_tokens": decoding.max_output_tokens,
        "temperature": decoding.temperature,
        "top_p": decoding.top_p,
        "seed": decoding.seed,
        "stop_sequences": None if decoding.stop is None else list(decoding.stop),
    }
    if decoding.effort == "none":
        fields["thinking"] = {"type": "disabled"}
    elif decoding.effort and "effort" not in shape.rejected:
        fields["output_config"] = {"effort": decoding.effort}
    return {name: value for name, value in fields.items() if value is not None}


def _picture_end(shape: Shape) -> bytes:
    # Without it the server shrinks a large picture in silence, and the benchmark measures another one.
    told = b"" if _TRANSFORMATIONS in shape.rejected else b',"transformations":{"oversized_image":"error"}'
    return b'"}' + told + b"}"


def _turn(turn: Turn, images: ImageBytes, picture_end: bytes) -> Iterator[bytes]:
    yield b'{"role":' + dumps(turn.role) + b',"content":'
    yield from listed(_part(part, images, picture_end) for part in turn.parts)
    yield b"}"


def _part(part: Part, images: ImageBytes, picture_end: bytes) -> tuple[bytes, ...]:
    match part:
        case TextPart(text):
            return (b'{"type":"text","text":' + dumps(text) + b"}",)
        case ImagePart(image):
            media_type = dumps(image.media_type)
            head = b'{"type":"image","source":{"type":"base64","media_type":' + media_type + b',"data":"'
            return head, safe_base64(images, image), picture_end
