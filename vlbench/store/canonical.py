"""JSON as bytes, the one way this package writes it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import cast

import orjson
from pydantic import JsonValue

# Beyond this a float no longer holds every whole number, so it stays a float.
_EXACT = 2.0**53


def json_bytes(value: object) -> bytes:
    """`value` as UTF-8 JSON without spaces, mapping order kept.

    Half surrogate pairs (a broken `\\ud83d` in somebody's reply) become U+FFFD: they have no UTF-8 form, and
    losing a paid reply over one would be worse. Raises TypeError for what JSON cannot say.
    """
    try:
        return orjson.dumps(value)
    except orjson.JSONEncodeError:
        return orjson.dumps(_without_surrogates(value))


def canonical_bytes(value: JsonValue) -> bytes:
    """`value` as JSON that is equal exactly when the values are.

    Keys are sorted and whole floats written as integers. Raises ValueError for NaN and infinities, which
    JSON cannot say and orjson would write as null.
    """
    plain = canonical(value)
    try:
        return orjson.dumps(plain, option=orjson.OPT_SORT_KEYS)
    except orjson.JSONEncodeError:
        return orjson.dumps(_without_surrogates(plain), option=orjson.OPT_SORT_KEYS)


def canonical(value: JsonValue) -> JsonValue:
    """`value` with every whole float as the integer it equals (`0.0` and `-0.0` as `0`)."""
    kind = type(value)
    if kind is str:
        return value
    if isinstance(value, dict):
        return {key: canonical(item) for key, item in value.items()}
    if isinstance(value, list):
        return [canonical(item) for item in value]
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"{value} cannot be sent as JSON")
        return int(value) if value.is_integer() and abs(value) < _EXACT else value
    return value


def _without_surrogates(value: object) -> object:
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, Mapping):
        items = cast("Mapping[object, object]", value).items()
        return {_without_surrogates(key): _without_surrogates(item) for key, item in items}
    if isinstance(value, list | tuple):
        return [_without_surrogates(item) for item in value]
    return value
