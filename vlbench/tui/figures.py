"""How numbers are written on the screen: short, and "—" for what is not known, never 0."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from textual.content import Content

from vlbench.printable import amount
from vlbench.scoring.intervals import Interval

NONE: Final = "—"
# A thousand years: what is longer was not measured.
_LONGEST_S: Final = 3e10
_LEVELS: Final = "▁▂▃▄▅▆▇█"


def percent(value: float | None) -> str:
    """A fraction 0..1 as `71.3`."""
    return NONE if value is None else f"{100 * value:.1f}"


def signed(value: float | None) -> str:
    """A difference of fractions as `+40.3`; a plain `0.0` when it rounds to nothing."""
    if value is None:
        return NONE
    return "0.0" if abs(value) < 0.0005 else f"{100 * value:+.1f}"


def plus_minus(interval: Interval | None) -> str:
    """Half of the width of an interval as `±2.6`; empty when there is none."""
    return "" if interval is None else f"±{50 * (interval.high - interval.low):.1f}"


def clock(seconds: float | None) -> str:
    """`1:02:03`, or `12:41` below an hour."""
    if seconds is None or seconds > _LONGEST_S:
        return NONE
    whole = max(0, round(seconds))
    hours, rest = divmod(whole, 3600)
    return f"{hours}:{rest // 60:02}:{rest % 60:02}" if hours else f"{rest // 60:02}:{rest % 60:02}"


def seconds(value: float | None) -> str:
    """`1.2 s`, `340 ms`."""
    if value is None:
        return NONE
    return f"{1000 * value:.0f} ms" if value < 1 else f"{value:.1f} s"


def short(number: float | None) -> str:
    """`940`, `12.3k`, `1.2M`."""
    if number is None:
        return NONE
    for limit, unit in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if number >= limit:
            scale = 1e3 if unit == "k" else limit
            return f"{number / scale:.1f}{unit}"
    return f"{number:,.0f}"


def money(dollars: float | None) -> str:
    """`$1.84`; four digits for small sums, "—" for an unknown price."""
    if dollars is None:
        return NONE
    decimals = 2 if dollars >= 0.995 or dollars == 0 else 4
    return f"${amount(dollars, decimals).replace(',', '')}"


def bar(part: int, whole: int, width: int, style: str = "$primary") -> Content:
    """A bar of `width` cells in steps of half a cell; heavy against thin, so it reads without colour."""
    halves = min(2 * width, int(2 * width * part / whole)) if whole else 2 * width
    filled = "━" * (halves // 2) + ("╸" if halves % 2 else "")
    return Content.assemble((filled, style), ("─" * (width - len(filled)), "$faint"))


def gauge(value: float | None, mark: float | None, width: int, style: str = "$primary") -> Content:
    """A fraction 0..1 as a bar with `mark` (chance) as a `┊` in it."""
    filled = 0 if value is None else round(value * width)
    cells = ["━"] * filled + ["─"] * (width - filled)
    at = None if mark is None else min(width - 1, round(mark * width))
    if at is not None:
        cells[at] = "┿" if at < filled else "┊"
    return Content.assemble(("".join(cells[:filled]), style), ("".join(cells[filled:]), "$faint"))


def sparkline(values: Sequence[float], most: float, width: int) -> str:
    """The last `width` values as little columns against `most`."""
    shown = list(values)[-width:]
    top = max([most, 1.0, *shown])
    steps = [min(len(_LEVELS) - 1, int(value / top * (len(_LEVELS) - 1) + 0.5)) for value in shown]
    return "".join(_LEVELS[step] for step in steps).rjust(width)
