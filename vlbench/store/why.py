"""Why a request was not found in the cache: the stored request most like it, and where the two differ."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from pydantic import JsonValue

from vlbench.store.cache import StoredReplies
from vlbench.store.canonical import canonical, json_bytes
from vlbench.store.key import request_key

_ABSENT: Final = "(not sent)"
_SHOWN: Final = 60
_CONTEXT: Final = 16

Leaves = dict[str, JsonValue]


@dataclass(frozen=True, slots=True)
class Difference:
    """One ingredient that differs; `old` is what is stored, `new` what was asked, both as short JSON."""

    path: str
    old: str
    new: str

    def __str__(self) -> str:
        return f"{self.path}: {self.old} -> {self.new}"


@dataclass(frozen=True, slots=True)
class Explanation:
    """What `why` found.

    `hit` says the request itself is stored. `nearest` is the key of the most similar entry, None for an empty
    cache; `differences` are empty for a hit. `compared` entries were looked at.
    """

    hit: bool
    compared: int
    nearest: str | None
    differences: tuple[Difference, ...]


def why(cache: StoredReplies, ingredients: dict[str, JsonValue]) -> Explanation:
    """Compare `ingredients` with every entry: some 30 µs for each, so seconds for 100,000.

    Nearest is the entry with the fewest differing ingredients; among equals the one whose texts agree
    longest, then the newest.
    """
    key = request_key(ingredients)
    if cache.get(key) is not None:
        return Explanation(True, 1, key, ())
    return _compared(cache, ingredients, key, math.inf)


def why_missed(cache: StoredReplies, key: str) -> Explanation | None:
    """Why the request behind `key`, whose reply is stored by now, was not found when it was asked.

    It is compared with what was stored before it was sent. None when its own reply is not stored (any more).
    """
    own = cache.get(key)
    if own is None:
        return None
    return _compared(cache, own.ingredients, key, own.created - own.latency_s)


def _compared(
    cache: StoredReplies, ingredients: dict[str, JsonValue], key: str, before: float
) -> Explanation:
    asked = dict(_leaves(canonical(ingredients), ""))
    best: tuple[int, float, float, str] | None = None
    nearest: Leaves = {}
    compared = 0
    for other in cache.keys():  # noqa: SIM118  # a cache is no mapping
        if other == key or (entry := cache.get(other)) is None or entry.created >= before:
            continue
        compared += 1
        stored = dict(_leaves(canonical(entry.ingredients), ""))
        paths = _differing(stored, asked)
        rank = (len(paths), -_agreement(stored, asked, paths), -entry.created, other)
        if best is None or rank < best:
            best, nearest = rank, stored
    if best is None:
        return Explanation(False, 0, None, ())
    return Explanation(False, compared, best[3], tuple(_differences(nearest, asked)))


def _leaves(value: JsonValue, path: str) -> Iterator[tuple[str, JsonValue]]:
    if isinstance(value, dict) and value:
        for name, item in value.items():
            yield from _leaves(item, f"{path}.{name}" if path else name)
    elif isinstance(value, list) and value:
        for number, item in enumerate(value):
            yield from _leaves(item, f"{path}[{number}]")
    else:
        yield path, value


def _differing(stored: Leaves, asked: Leaves) -> list[str]:
    """The paths at which the two differ, in the order of `asked`; `1` and `true` do differ."""
    paths = [
        path
        for path, value in asked.items()
        if path not in stored or stored[path] != value or type(stored[path]) is not type(value)
    ]
    return paths + [path for path in stored if path not in asked]


def _agreement(stored: Leaves, asked: Leaves, paths: list[str]) -> int:
    """How many characters of differing texts agree, counted from both ends."""
    total = 0
    for path in paths:
        old, new = stored.get(path), asked.get(path)
        if isinstance(old, str) and isinstance(new, str):
            front, back = _common(old, new)
            total += front + back
    return total


def _common(old: str, new: str) -> tuple[int, int]:
    """How many characters agree from the front, and how many of the rest from the back."""
    front = _agreeing(old, new)
    return front, _agreeing(old[front:][::-1], new[front:][::-1])


def _agreeing(one: str, other: str) -> int:
    shorter = min(len(one), len(other))
    return next((at for at in range(shorter) if one[at] != other[at]), shorter)


def _differences(stored: Leaves, asked: Leaves) -> Iterator[Difference]:
    for path in _differing(stored, asked):
        old, new = stored.get(path), asked.get(path)
        if isinstance(old, str) and isinstance(new, str):
            old, new = _excerpts(old, new)
        yield Difference(
            path,
            _short(old) if path in stored else _ABSENT,
            _short(new) if path in asked else _ABSENT,
        )


def _excerpts(old: str, new: str) -> tuple[str, str]:
    """Long texts from a little before the first character that differs."""
    if max(len(old), len(new)) <= _SHOWN:
        return old, new
    front, _ = _common(old, new)
    start = max(0, front - _CONTEXT)
    lead = "…" if start else ""
    return lead + old[start:], lead + new[start:]


def _short(value: JsonValue) -> str:
    if isinstance(value, str) and len(value) > _SHOWN:
        value = value[: _SHOWN - 1] + "…"
    text = json_bytes(value).decode()
    return text if len(text) <= 2 * _SHOWN else text[: 2 * _SHOWN - 1] + "…"
