"""How a number is written for people: percentages with one decimal, "—" for what is undefined, never 0."""

from __future__ import annotations

from typing import Final

from vlbench.printable import amount
from vlbench.scoring.intervals import Interval

NONE: Final = "—"


def percent(value: float | None) -> str:
    """A fraction 0..1 as `52.1`."""
    return NONE if value is None else f"{100 * value:.1f}"


def difference(value: float | None) -> str:
    """A difference of two fractions as `+29.4`; a plain `0.0` when it rounds to nothing."""
    if value is None:
        return NONE
    text = f"{100 * value:+.1f}"
    return "0.0" if text in ("+0.0", "-0.0") else text


def bounds(interval: Interval | None) -> str:
    """A 95 % interval as `[49.5, 54.6]`."""
    return NONE if interval is None else f"[{100 * interval.low:.1f}, {100 * interval.high:.1f}]"


def count(value: int) -> str:
    """A number of things as `1,500`."""
    return f"{value:,}"


def dollars(value: float | None) -> str:
    """A sum as `1,284.06`, with four decimals below one dollar."""
    if value is None:
        return NONE
    return amount(value, 2 if value >= 0.995 or value == 0 else 4)
