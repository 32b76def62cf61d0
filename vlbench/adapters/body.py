"""What the bodies of all JSON wires have in common: what a server rejected, and pieces put together.

Serialising a picture's base64 text as part of an object costs more than everything else in a request, so
only the small pieces are serialised and the pictures are spliced in between.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, replace

import orjson
from pydantic import JsonValue

from vlbench.adapters.adapter import ImageBytes
from vlbench.catalog.entry import ProviderEntry
from vlbench.errors import DatasetError, UsageError
from vlbench.types import Decoding, ImageRef, Message, Part, Request, TextPart

# `effort` is not among them: it names the variant, and a variant must not run as another one.
_DROPPABLE = frozenset({"temperature", "top_p", "seed", "stop", "detail"})
_LIMIT_FIELDS = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}
# Names of `Decoding` and of the catalog beside those of Chat Completions.
_CHAT_NAMES: Mapping[str, str] = {"effort": "reasoning_effort", "image_detail": "detail"}


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
    def of(
        cls,
        entry: ProviderEntry,
        model: str,
        *,
        limit_field: str | None = None,
        names: Mapping[str, str] = _CHAT_NAMES,
        unknown: Set[str] = frozenset(),
    ) -> Shape:
        """What the catalog says of `model`.

        A wire with its own words gives its `limit_field`, its `names` for fields of `Decoding`, and the
        fields `unknown` to it.
        """
        limit = limit_field or entry.output_limit_field
        wire_names = {**names, "max_output_tokens": limit}
        rejected = {wire_names.get(name, name) for name in (*entry.rejects, *entry.facts(model).rejects)}
        return cls(limit, frozenset(rejected | unknown), entry.system_role)

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


def settled(
    wanted: Mapping[str, JsonValue], extra: Mapping[str, JsonValue], shape: Shape
) -> tuple[dict[str, JsonValue], list[str]]:
    """The fields to send: those wanted that have a value, then `extra` as it is, less what is rejected.

    With them the notes of what was renamed or left out.
    """
    sent = {name: value for name, value in wanted.items() if value is not None} | dict(extra)
    adjustments = []
    if shape.renamed_from and shape.limit_field in sent:
        adjustments.append(f"renamed {shape.renamed_from} to {shape.limit_field}")
    for name in sorted(shape.rejected & sent.keys()):
        del sent[name]
        adjustments.append(f"dropped {name}")
    return sent, adjustments


def detail_of(request: Request, shape: Shape) -> tuple[str | None, list[str]]:
    """The image detail to send, and the note that it is left out."""
    detail = request.decoding.image_detail
    if detail is None or "detail" not in shape.rejected:
        return detail, []
    return None, ["dropped image detail"] if request.images else []


def turns_of(request: Request, shape: Shape) -> tuple[tuple[Message, ...], list[str]]:
    """The messages as the server wants them, and the note that it rejected their system role."""
    if shape.system_role != "merge" or all(m.role != "system" for m in request.messages):
        return request.messages, []
    note = ["merged system text into the first user turn"] if shape.merged_late else []
    return merge_system(request.messages), note


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


def data_url(images: ImageBytes, image: ImageRef) -> tuple[bytes, bytes, bytes]:
    """The pieces of a JSON string that is the whole picture as a `data:` URL."""
    return dumps(f"data:{image.media_type};base64,")[:-1], safe_base64(images, image), b'"'


def listed(items: Iterable[Iterable[bytes]]) -> Iterator[bytes]:
    """The pieces of a JSON list, from those of each item."""
    yield b"["
    for index, item in enumerate(items):
        if index:
            yield b","
        yield from item
    yield b"]"


def messages_of(
    request: Request, shape: Shape, part_pieces: Callable[[Part], Iterable[bytes]]
) -> tuple[list[bytes], list[str]]:
    """The pieces of the list of messages in a body of OpenAI's, and the notes of `turns_of`."""
    messages, notes = turns_of(request, shape)
    return list(listed(_message(message, shape, part_pieces) for message in messages)), notes


def _message(
    message: Message, shape: Shape, part_pieces: Callable[[Part], Iterable[bytes]]
) -> Iterator[bytes]:
    role = shape.system_role if message.role == "system" else message.role
    yield b'{"role":' + dumps(role) + b',"content":'
    texts = [part.text for part in message.parts if isinstance(part, TextPart)]
    if len(texts) == len(message.parts):
        # A string is right for every role, and servers of text-only models take no list of parts.
        yield dumps("\n".join(texts))
    else:
        yield from listed(map(part_pieces, message.parts))
    yield b"}"


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


def refuse_ours(decoding: Decoding, ours: Set[str]) -> None:
    """Raise `UsageError` for an `extra` field among `ours`: those that decide how the reply is sent."""
    if taken := ours & decoding.extra.keys():
        raise UsageError(
            f"The parameter {sorted(taken)[0]!r} belongs to vlbench and cannot be set; leave it out."
        )


def safe_base64(images: ImageBytes, image: ImageRef) -> bytes:
    """The picture's base64 text, fit to stand in a JSON string. Raises `DatasetError` when it is not."""
    data = images.base64(image)
    # Text from a data file goes into the body unescaped, so it must not be able to end the string it is in.
    if b'"' in data or b"\\" in data:
        raise DatasetError(
            f"The base64 text of picture {image.sha256[:12]} holds other characters; the data file changed."
        )
    return data
