"""The body of a success, read as a JSON object or told to be something else, and what stands in it."""

from __future__ import annotations

from collections.abc import Mapping

import orjson
from pydantic import JsonValue

from vlbench.errors import ServerFailed
from vlbench.printable import printable


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


def text_of(value: JsonValue) -> str:
    """`value` when it is a text, else an empty one."""
    return value if isinstance(value, str) else ""


def table_in(table: Mapping[str, JsonValue], name: str) -> Mapping[str, JsonValue]:
    """The object under `name`; an empty one for anything else."""
    value = table.get(name)
    return value if isinstance(value, dict) else {}


def tables_in(value: JsonValue) -> list[dict[str, JsonValue]]:
    """The objects of a list; none for anything else."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def count_in(table: Mapping[str, JsonValue], name: str) -> int | None:
    """The whole number under `name`; None for what is absent, negative or something else."""
    value = table.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
