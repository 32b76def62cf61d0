"""Tables inside tables of a body."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import JsonValue


def merged(lower: Mapping[str, JsonValue], upper: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """`upper` over `lower`; tables in both are merged at every depth."""
    result = dict(lower)
    for name, value in upper.items():
        below = result.get(name)
        result[name] = merged(below, value) if isinstance(below, dict) and isinstance(value, dict) else value
    return result
