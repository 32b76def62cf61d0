"""How long a server asks us to wait, in every form one has been seen to say it. All results are seconds."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

_UNITS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9}
# float() alone would take "nan", "1_000", the digits of other scripts, and give inf for a very long number.
_NUMBER = re.compile(r"[0-9]{1,15}(?:\.[0-9]{1,15})?")
_TERM = re.compile(rf"({_NUMBER.pattern})(ms|us|µs|ns|h|m|s)")
_DURATION = re.compile(rf"(?:{_TERM.pattern})+")
# A bare number above this is a moment since 1970, in seconds or (above the second) in milliseconds.
_EPOCH_S = 1e9
_EPOCH_MS = 1e12


def parse_duration(text: str) -> float | None:
    """`6s`, `120ms`, `1m2.5s`, `1h0m0s` or a bare number of seconds; None for anything else."""
    text = text.strip().lower()
    if _DURATION.fullmatch(text):
        return sum(float(number) * _UNITS[unit] for number, unit in _TERM.findall(text))
    return _number(text)


def parse_reset(text: str, now: datetime) -> float | None:
    """Seconds until a limit is full again: a duration, an RFC 3339 moment, or one counted from 1970."""
    duration = parse_duration(text)
    if duration is not None and duration >= _EPOCH_S:
        moment = duration / 1000 if duration >= _EPOCH_MS else duration
        return max(0.0, moment - now.timestamp())
    if duration is not None:
        return duration
    try:
        moment_given = datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    return _until(moment_given, now)


def retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """The wait of `retry-after-ms` or `Retry-After` (seconds, a duration or an HTTP date).

    A date is read against the server's own `Date` where it sends one: clocks differ.
    """
    milliseconds = _number(headers.get("retry-after-ms", "").strip())
    if milliseconds is not None:
        return milliseconds / 1000
    value = headers.get("retry-after", "")
    duration = parse_duration(value)
    if duration is not None:
        return duration
    moment = _http_date(value)
    return None if moment is None else _until(moment, _http_date(headers.get("date", "")) or now)


def _number(text: str) -> float | None:
    return float(text) if _NUMBER.fullmatch(text) else None


def _http_date(text: str) -> datetime | None:
    try:
        return parsedate_to_datetime(text)
    except (ValueError, OverflowError):  # a year or a zone of twenty digits overflows
        return None


def _until(moment: datetime, now: datetime) -> float:
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - now).total_seconds())
