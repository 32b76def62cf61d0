"""Decodings on top of each other."""

from __future__ import annotations

from pydantic import JsonValue

from vlbench.types import Decoding


def layered(upper: Decoding, lower: Decoding) -> Decoding:
    """`upper` over `lower`, as `Decoding.over`, but with the tables inside `extra` merged at every depth."""
    return upper.over(lower).model_copy(update={"extra": _merge_tables(lower.extra, upper.extra)})


def _merge_tables(lower: dict[str, JsonValue], upper: dict[str, JsonValue]) -> dict[str, JsonValue]:
    merged = dict(lower)
    for name, value in upper.items():
        below = merged.get(name)
        if isinstance(below, dict) and isinstance(value, dict):
            merged[name] = _merge_tables(below, value)
        else:
            merged[name] = value
    return merged
