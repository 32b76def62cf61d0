"""The body of a success, read as a JSON object or told to be something else, and what stands in it."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping

import orjson
from pydantic import JsonValue

from vlbench.errors import Unreadable
from vlbench.printable import printable

# No reply has more tokens. Sums of larger counts would not fit the 64 bits that a journal's numbers have.
MOST_TOKENS = 10**9


def read_object(body: bytes, who: str) -> dict[str, JsonValue]:
    """The object in `body`. Raises `Unreadable`, with the body's beginning, for anything else."""
    parsed: JsonValue
    try:
        parsed = orjson.loads(body)
    except orjson.JSONDecodeError:
        parsed = _read_leniently(body)
    if isinstance(parsed, dict):
        return parsed
    beginning = printable(body[:1000].decode("utf-8", "replace")) or "an empty body"
    raise Unreadable(f"{who} answered 200 with something that is not a JSON object: {beginning}", status=200)


def _read_leniently(body: bytes) -> JsonValue:
    """What `body` holds when only details of it are no JSON; None when it is none at all.

    A byte order mark, NaN (Python's servers write it), bytes that are no UTF-8 and half a surrogate pair (an
    emoji cut by an output limit) must not cost a reply that was paid for: it would be asked for again, and
    come back the same.
    """
    try:
        loose = json.loads(
            body.decode("utf-8-sig", "replace"), parse_constant=lambda _: None, parse_float=_finite
        )
        text = json.dumps(loose, ensure_ascii=False).encode("utf-16-le", "surrogatepass")
        strict: JsonValue = orjson.loads(text.decode("utf-16-le", "replace"))
    except (ValueError, RecursionError):
        return None
    return strict


def _finite(text: str) -> float | None:
    number = float(text)
    return number if math.isfinite(number) else None


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
    """The count of tokens under `name`; None for what is absent, negative, absurd or no whole number."""
    value = table.get(name)
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return value if 0 <= value <= MOST_TOKENS else None
