"""The cache key: a hash of everything that can change an answer, and of nothing else."""

from __future__ import annotations

from hashlib import sha256
from typing import Final

from pydantic import JsonValue

from vlbench.errors import UsageError
from vlbench.store.canonical import canonical_bytes
from vlbench.types import Decoding, Message, Request, TextPart, Variant

KEY_SCHEMA: Final = 1
"""Raised when the ingredients change their meaning; older entries then no longer match."""

_NAMED: Final = tuple(name for name in Decoding.model_fields if name != "extra")


def ingredients(request: Request, variant: Variant) -> dict[str, JsonValue]:
    """What the key is made of, as it is stored beside a reply so that a miss can be explained.

    In: key schema, wire format, identity, model, every message with its texts and the SHA-256 of its
    pictures' bytes in order, the decoding that is sent, the repeat number. Out, because they cannot change
    an answer: the variant's row name, URLs and lane (the identity stands for the server), where picture
    bytes are read from, and decoding fields that are None.
    """
    return {
        "schema": KEY_SCHEMA,
        "wire": variant.wire,
        "identity": variant.identity,
        "model": request.model,
        "messages": [_message(message) for message in request.messages],
        "decoding": _decoding(request.decoding),
        "repeat": request.repeat,
    }


def request_key(parts: dict[str, JsonValue]) -> str:
    """SHA-256, in hexadecimal, of the canonical JSON of `ingredients`.

    Equal numbers give equal keys however they were written (`0`, `0.0`). Raises UsageError when a parameter
    is a number that JSON has no form for (NaN, infinity, an integer beyond 64 bits).
    """
    try:
        return sha256(canonical_bytes(parts)).hexdigest()
    except (ValueError, TypeError) as error:
        raise UsageError(
            f"A request parameter has no JSON form ({error}). Check the values given with --param."
        ) from error


def _message(message: Message) -> dict[str, JsonValue]:
    return {
        "role": message.role,
        "parts": [
            {"text": part.text} if isinstance(part, TextPart) else {"image": part.image.sha256}
            for part in message.parts
        ],
    }


def _decoding(decoding: Decoding) -> dict[str, JsonValue]:
    sent: dict[str, JsonValue] = {}
    for name in _NAMED:
        value = getattr(decoding, name)
        if value is not None:
            sent[name] = list(value) if isinstance(value, tuple) else value
    if decoding.extra:
        sent["extra"] = decoding.extra
    return sent
