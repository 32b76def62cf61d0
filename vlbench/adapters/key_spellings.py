"""A key as a server may repeat it, taken out of everything the server says."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from urllib.parse import quote

MARK = "[key]"
# Placeholders for servers without keys ("x", "EMPTY") are words that may well occur in an answer.
SHORTEST = 6


@dataclass(frozen=True, slots=True)
class KeyFilter:
    """Takes one key out of bytes, texts and headers, in every spelling a JSON body or an address gives it."""

    spellings: tuple[str, ...] = field(default=(), repr=False)

    @classmethod
    def of(cls, key: str) -> KeyFilter:
        """The filter for `key`; one that changes nothing where the key is too short to be a secret."""
        if len(key) < SHORTEST:
            return cls()
        in_json = json.dumps(key)[1:-1]
        # PHP escapes slashes; Go escapes what HTML would read, unless told not to.
        in_go = in_json.translate({ord(c): f"\\u{ord(c):04x}" for c in "&<>"})
        spelled = (key, in_json, in_json.replace("/", "\\/"), in_go, quote(key, safe=""), quote(key))
        return cls(tuple(sorted(set(spelled), key=len, reverse=True)))

    def clean(self, content: bytes) -> bytes:
        """`content` with the mark in place of the key."""
        for spelling in self.spellings:
            content = content.replace(spelling.encode(), MARK.encode())
        return content

    def clean_text(self, text: str) -> str:
        """`text` with the mark in place of the key."""
        for spelling in self.spellings:
            text = text.replace(spelling, MARK)
        return text
