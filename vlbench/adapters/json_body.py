"""The body of a success, read as a JSON object or told to be something else."""

from __future__ import annotations

import orjson
from pydantic import JsonValue

from vlbench.adapters.printable import printable
from vlbench.errors import ServerFailed


def read_object(body: bytes, who: str) -> dict[str, JsonValue]:
    """The object in `body`. Raises `ServerFailed`, with the body's beginning, for anything else."""
    try:
        parsed: JsonValue = orjson.loads(body)
    except orjson.JSONDecodeError:
        parsed = None
    if isinstance(parsed, dict):
        return parsed
    beginning = printable(body[:1000].decode("utf-8", "replace")) or "an empty body"
    raise ServerFailed(
        f"{who} answered 200 with something that is not a JSON object: {beginning}", status=200
    )
