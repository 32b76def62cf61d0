"""Lists and tables written as text in one cell, as JSON or as Python prints them. Nothing is evaluated."""

from __future__ import annotations

import ast

import orjson

# Parsing Python's own notation is slow and deep texts are hostile.
_LONGEST = 100_000


def parsed_list(text: str) -> list[object] | None:
    """The list that `text` is; None when it is none."""
    found = parsed(text)
    return found if isinstance(found, list) else None


def parsed(text: str) -> list[object] | dict[str, object] | None:
    """The list or the table with texts as keys that `text` is; None when it is neither."""
    stripped = text.strip()
    if not stripped.startswith(("[", "{", "(")) or len(stripped) > _LONGEST:
        return None
    try:
        found: object = orjson.loads(stripped)
    except orjson.JSONDecodeError:
        found = _python_literal(stripped)
    if isinstance(found, tuple):
        return list(found)
    if isinstance(found, dict) and not all(isinstance(key, str) for key in found):
        return None
    return found if isinstance(found, (list, dict)) else None


def _python_literal(text: str) -> object:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return None


def as_text(value: object) -> str:
    """A single value as the text it stands for: texts stay what they are, None is ""."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, float) and not value.is_integer():
        return repr(value)
    return orjson.dumps(value, default=str).decode()
