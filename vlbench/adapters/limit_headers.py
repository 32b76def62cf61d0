"""What response headers say of an account's limits.

OpenAI's form (`x-ratelimit-remaining-tokens`, also Groq, xAI, vLLM gateways), the same without a suffix
(Kimi, OpenRouter; it means requests) and Anthropic's (`anthropic-ratelimit-tokens-remaining`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from vlbench.adapters.waits import parse_reset
from vlbench.types import Allowance

Unit = Literal["requests", "tokens"]
# A limit that takes longer than this to be full again is counted by the hour or day (Groq's requests are).
_MINUTE_S = 61.0
# More a minute is no limit: it stands for "none", or is not counted in what we count.
_MOST_A_MINUTE = 10**8


@dataclass(frozen=True, slots=True)
class Allowances:
    """What is left of both limits."""

    requests: Allowance = field(default_factory=Allowance)
    tokens: Allowance = field(default_factory=Allowance)


def read_allowances(headers: Mapping[str, str], now: datetime) -> Allowances:
    """The limits told by `headers` (lower-case names); absent, negative or unreadable values are None.

    A limit of none, or of more a minute than any account has, says nothing, and nor does what is left of it.
    """
    if not any("ratelimit" in name for name in headers):
        return Allowances()
    return Allowances(_allowance(headers, "requests", now), _allowance(headers, "tokens", now))


def spent_wait(allowances: Allowances) -> float | None:
    """Seconds until the limits that are used up are full again; None when none is known to be."""
    spent = [
        a.reset_s
        for a in (allowances.requests, allowances.tokens)
        if a.reset_s is not None and a.remaining in (0, None)
    ]
    return max(spent, default=None)


def _allowance(headers: Mapping[str, str], unit: Unit, now: datetime) -> Allowance:
    told = _find(headers, "limit", unit)
    limit = _count(told)
    if told and not 0 < (limit or 0) <= _MOST_A_MINUTE:
        return Allowance()
    remaining = _count(_find(headers, "remaining", unit))
    reset = _find(headers, "reset", unit)
    reset_s = parse_reset(reset, now) if reset else None
    if reset_s is not None and reset_s > _MINUTE_S:
        limit = None
    return Allowance(limit=limit, remaining=remaining, reset_s=reset_s)


def _find(headers: Mapping[str, str], what: str, unit: Unit) -> str:
    value = headers.get(f"x-ratelimit-{what}-{unit}") or headers.get(f"anthropic-ratelimit-{unit}-{what}")
    if value is None and unit == "requests":
        value = headers.get(f"x-ratelimit-{what}")
    return value or ""


def _count(text: str) -> int | None:
    # isdecimal() alone would take the digits of other scripts, and a sign means "unknown" here.
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 16 else None
