"""The body of a Chat Completions request, put together from pieces that are JSON already.

Serialising a picture's base64 text as part of an object costs more than everything else in a request, so
only the small pieces are serialised and the pictures are spliced in between.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import orjson
from pydantic import JsonValue

from vlbench.adapters.adapter import ImageBytes
from vlbench.catalog.entry import ProviderEntry
from vlbench.errors import DatasetError, UsageError
from vlbench.types import ImagePart, ImageRef, Message, Part, Request, TextPart

# `effort` is not among them: it names the variant, and a variant must not run as another one.
_DROPPABLE = frozenset({"temperature", "top_p", "seed", "stop", "detail"})
_LIMIT_FIELDS = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}
_OURS = frozenset({"model", "messages", "stream", "stream_options", "n"})
# Names of `Decoding` and of the catalog beside the names on the wire.
_WIRE_NAMES = {"effort": "reasoning_effort", "image_detail": "detail"}


@dataclass(frozen=True, slots=True)
class Shape:
    """How one model's server wants the body: fields, their names, and whether it knows a system role.

    `rejected` are fields (names on the wire) it answers with an error; they are not sent, and a reply to a
    request that would have held one says so.
    """

    limit_field: str = "max_tokens"
    rejected: frozenset[str] = frozenset()
    system_role: str = "system"
    renamed_from: str = ""
    merged_late: bool = False

    @classmethod
    def of(cls, entry: ProviderEntry, model: str) -> Shape:
        """What the catalog says of `model`."""
        names = (*entry.rejects, *entry.facts(model).rejects)
        wire_names = _WIRE_NAMES | {"max_output_tokens": entry.output_limit_field}
        rejected = frozenset(wire_names.get(name, name) for name in names)
        return cls(entry.output_limit_field, rejected, entry.system_role)

    def without(self, param: str) -> Shape | None:
        """This shape after the server rejected `param`; None when nothing (more) can be done."""
        name = "detail" if param.endswith("detail") else param
        other = _LIMIT_FIELDS.get(name)
        if other and name == self.limit_field and not self.renamed_from:
            return replace(self, limit_field=other, renamed_from=name)
        if name in _DROPPABLE and name not in self.rejected:
            return replace(self, rejected=self.rejected | {name})
        return None

    def merged(self) -> Shape | None:
        """This shape after the server rejected the system role; None when it is not used already."""
        if self.system_role == "merge":
            return None
        return replace(self, system_role="merge", merged_late=True)


@dataclass(frozen=True, slots=True)
class Body:
    """A body ready to be sent, and the adjustments that made it differ from the request."""

    content: bytes
    adjustments: tuple[str, ...] = ()


@dataclass(slots=True)
class _Draft:
    shape: Shape
    detail: str | None
    pieces: list[bytes] = field(default_factory=list)


def build_body(request: Request, shape: Shape, images: ImageBytes) -> Body:
    """The complete body for `request`. Equal requests give equal bytes.

    Raises `UsageError` for an `extra` field that would change how the reply is sent.
    """
    fields, adjustments = _fields(request, shape)
    detail = None if "detail" in shape.rejected else request.decoding.image_detail
    if request.decoding.image_detail and not detail and request.images:
        adjustments.append("dropped image detail")
    messages = request.messages
    if shape.system_role == "merge" and any(m.role == "system" for m in messages):
        messages = merge_system(messages)
        if shape.merged_late:
            adjustments.append("merged system text into the first user turn")
    draft = _Draft(shape, detail)
    draft.pieces.append(b'{"model":' + dumps(request.model) + b',"messages":[')
    for index, message in enumerate(messages):
        _add_message(draft, message, images, first=index == 0)
    draft.pieces.append(b"]")
    if fields:
        draft.pieces += (b",", dumps(fields)[1:-1])
    draft.pieces.append(b"}")
    return Body(b"".join(draft.pieces), tuple(adjustments))


def merge_system(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    """The same turns with the text of system messages in front of the first user turn."""
    system = "\n\n".join(
        p.text for m in messages if m.role == "system" for p in m.parts if isinstance(p, TextPart)
    )
    rest = [m for m in messages if m.role != "system"]
    for index, message in enumerate(rest):
        if message.role == "user":
            rest[index] = Message("user", _in_front(system, message.parts))
            return tuple(rest)
    return (Message("user", (TextPart(system),)), *rest)


def dumps(value: JsonValue) -> bytes:
    """JSON bytes; lone surrogates, which UTF-8 cannot carry, become U+FFFD."""
    try:
        return orjson.dumps(value)
    except orjson.JSONEncodeError:
        return orjson.dumps(_encodable(value))


def _encodable(value: JsonValue) -> JsonValue:
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [_encodable(v) for v in value]
    if isinstance(value, dict):
        return {str(_encodable(k)): _encodable(v) for k, v in value.items()}
    return value


def _in_front(system: str, parts: tuple[Part, ...]) -> tuple[Part, ...]:
    if parts and isinstance(parts[0], TextPart):
        return (TextPart(f"{system}\n\n{parts[0].text}"), *parts[1:])
    return (TextPart(system), *parts)


def _fields(request: Request, shape: Shape) -> tuple[dict[str, JsonValue], list[str]]:
    """The fields after the messages, `extra` last, and what had to be left out or renamed."""
    decoding = request.decoding
    wanted: dict[str, JsonValue] = {
        shape.limit_field: decoding.max_output_tokens,
        "temperature": decoding.temperature,
        "top_p": decoding.top_p,
        "seed": decoding.seed,
        "reasoning_effort": decoding.effort,
        "stop": None if decoding.stop is None else list(decoding.stop),
    }
    fields: dict[str, JsonValue] = {name: value for name, value in wanted.items() if value is not None}
    if ours := _OURS & decoding.extra.keys():
        raise UsageError(
            f"The parameter {sorted(ours)[0]!r} belongs to vlbench and cannot be set; leave it out."
        )
    fields |= decoding.extra
    adjustments = []
    if shape.renamed_from and shape.limit_field in fields:
        adjustments.append(f"renamed {shape.renamed_from} to {shape.limit_field}")
    for name in sorted(shape.rejected & fields.keys()):
        del fields[name]
        adjustments.append(f"dropped {name}")
    return fields, adjustments


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
                _safe_base64(images, image),
                b'"' + detail + b"}}",
            )


def _safe_base64(images: ImageBytes, image: ImageRef) -> bytes:
    data = images.base64(image)
    # Text from a data file goes into the body unescaped, so it must not be able to end the string it is in.
    if b'"' in data or b"\\" in data:
        raise DatasetError(
            f"The base64 text of picture {image.sha256[:12]} holds other characters; the data file changed."
        )
    return data
