"""The body of a generateContent request (https://ai.google.dev/api/generate-content, read 2026-11).

The model stands in it as `model`, from where the client takes it into the path.
"""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import JsonValue

from vlbench.adapters.adapter import ImageBytes
from vlbench.adapters.body import Body, Shape, detail_of, dumps, listed, refuse_ours, safe_base64, settled
from vlbench.adapters.nested import merged
from vlbench.adapters.turns import Turn, conversation
from vlbench.catalog.entry import ProviderEntry
from vlbench.types import Decoding, ImagePart, Part, Request, TextPart

_OURS = frozenset({"model", "contents", "systemInstruction", "system_instruction"})
_CONFIG = "generationConfig"
# Rejections are learnt by the common names; these are the ones on the wire.
_WIRE_NAMES = {"max_output_tokens": "maxOutputTokens", "top_p": "topP", "stop": "stopSequences"}
_ROLES = {"user": "user", "assistant": "model"}
_RESOLUTION = "MEDIA_RESOLUTION_"


def shape_of(entry: ProviderEntry, model: str) -> Shape:
    """What the catalog says of `model`."""
    return Shape.of(entry, model, limit_field="max_output_tokens", names={"image_detail": "detail"})


def build_body(request: Request, shape: Shape, images: ImageBytes) -> Body:
    """The complete body for `request`. Equal requests give equal bytes.

    Raises `UsageError` for an `extra` field that would replace what is asked.
    """
    decoding = request.decoding
    refuse_ours(decoding, _OURS)
    wanted, adjustments = settled(_fields(decoding), {}, shape)
    detail, about_detail = detail_of(request, shape)
    config = {_WIRE_NAMES.get(name, name): value for name, value in wanted.items()}
    config |= _thinking(decoding, shape)
    resolution = _resolution(detail) if request.images else None
    of_each = resolution is not None and resolution.endswith("ULTRA_HIGH")
    if resolution and not of_each:
        config["mediaResolution"] = resolution
    fields = merged({_CONFIG: config} if config else {}, decoding.extra)
    talk = conversation(request, shape)
    if talk.system:
        fields["systemInstruction"] = {"parts": [{"text": talk.system}]}
    # This level is known to single pictures only.
    picture_end = b'"}' + (_level(resolution) if resolution and of_each else b"") + b"}"
    pieces = [b'{"model":' + dumps(request.model) + b',"contents":']
    pieces += listed(_turn(turn, images, picture_end) for turn in talk.turns)
    if fields:
        pieces += (b",", dumps(fields)[1:-1])
    pieces.append(b"}")
    return Body(b"".join(pieces), (*adjustments, *about_detail, *talk.adjustments))


def _fields(decoding: Decoding) -> dict[str, JsonValue]:
    return {
        "max_output_tokens": decoding.max_output_tokens,
        "temperature": decoding.temperature,
        "top_p": decoding.top_p,
        "seed": decoding.seed,
        "stop": None if decoding.stop is None else list(decoding.stop),
    }


def _thinking(decoding: Decoding, shape: Shape) -> dict[str, JsonValue]:
    """Effort as the level of Gemini 3 and later; earlier models take a budget, given as `extra`."""
    if decoding.effort is None or "effort" in shape.rejected:
        return {}
    if decoding.effort == "none":
        return {"thinkingConfig": {"thinkingBudget": 0}}
    return {"thinkingConfig": {"thinkingLevel": decoding.effort.upper()}}


def _resolution(detail: str | None) -> str | None:
    if detail is None or detail.lower() == "auto":
        return None
    level = detail.upper().replace("-", "_")
    return level if level.startswith(_RESOLUTION) else _RESOLUTION + level


def _level(resolution: str) -> bytes:
    return b',"mediaResolution":{"level":' + dumps(resolution) + b"}"


def _turn(turn: Turn, images: ImageBytes, picture_end: bytes) -> Iterator[bytes]:
    yield b'{"role":' + dumps(_ROLES[turn.role]) + b',"parts":'
    yield from listed(_part(part, images, picture_end) for part in turn.parts)
    yield b"}"


def _part(part: Part, images: ImageBytes, picture_end: bytes) -> tuple[bytes, ...]:
    match part:
        case TextPart(text):
            return (b'{"text":' + dumps(text) + b"}",)
        case ImagePart(image):
            head = b'{"inlineData":{"mimeType":' + dumps(image.media_type) + b',"data":"'
            return head, safe_base64(images, image), picture_end
