"""What a simulated provider saw, for tests and for looking over its shoulder."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from itertools import count

import orjson

from vlbench.simulator.exchange import Asked
from vlbench.types import Record


class LogEntry(Record):
    """One request. `status` is 0 when no complete answer was sent.

    `images` are the SHA-256 of the pictures in the order sent. `body_sha256` covers the whole body with each
    picture replaced by its hash, so equal requests have equal hashes. `time` is in seconds since 1970.
    """

    id: int
    time: float
    status: int
    model: str
    images: tuple[str, ...]
    text: str
    body_sha256: str


class Log:
    """The entries in the order of arrival."""

    def __init__(self) -> None:
        self._entries: list[LogEntry] = []
        self._ids = count(1)

    @property
    def entries(self) -> Sequence[LogEntry]:
        return tuple(self._entries)

    def add(self, asked: Asked, *, time: float, status: int) -> None:
        """Note one request when its fate is known."""
        hashed = [[_hash_image(p) if isinstance(p, bytes) else p for p in t.parts] for t in asked.turns]
        images = tuple(p["image"] for parts in hashed for p in parts if isinstance(p, dict))
        roles = [t.role for t in asked.turns]
        whole = (asked.model, roles, hashed, asked.fields)
        self._entries.append(
            LogEntry(
                id=next(self._ids),
                time=time,
                status=status,
                model=asked.model,
                images=images,
                text=asked.text,
                body_sha256=hashlib.sha256(orjson.dumps(whole, option=orjson.OPT_SORT_KEYS)).hexdigest(),
            )
        )

    def to_json(self) -> bytes:
        """A JSON array of the entries."""
        return orjson.dumps([e.model_dump() for e in self._entries])


def _hash_image(image: bytes) -> dict[str, str]:
    return {"image": hashlib.sha256(image).hexdigest()}
