"""What stands in the bodies of every wire format: an object, and in it pictures as base64."""

from __future__ import annotations

from collections.abc import Mapping, Set

import orjson
import pybase64
from pydantic import JsonValue

from vlbench.simulator.wire import MalformedBody


def read_table(body: bytes) -> dict[str, JsonValue]:
    """The JSON object in `body`. Raises `MalformedBody`."""
    try:
        parsed: JsonValue = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise MalformedBody(f"not JSON: {error}") from error
    if not isinstance(parsed, dict):
        raise MalformedBody("not an object")
    return parsed


def fields_beside(parsed: Mapping[str, JsonValue], known: Set[str]) -> dict[str, JsonValue]:
    """Every field but those `known`."""
    return {name: value for name, value in parsed.items() if name not in known}


def read_picture(data: JsonValue, media_type: JsonValue, *, decode: bool) -> bytes:
    """The picture in `data`, still base64 without `decode`. Raises `MalformedBody`."""
    if not str(media_type).startswith("image/") or not isinstance(data, str) or not data:
        raise MalformedBody("a picture needs its media type and data")
    return read_base64(data, decode=decode)


def read_base64(data: str, *, decode: bool) -> bytes:
    """The picture whose base64 is `data`, as it is without `decode`. Raises `MalformedBody`."""
    if not decode:
        return data.encode()
    try:
        return pybase64.b64decode(data, validate=True)
    except ValueError as error:
        raise MalformedBody(f"a picture is not base64: {error}") from error
