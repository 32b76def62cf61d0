"""A dry run as a table on stdout."""

from __future__ import annotations

from collections.abc import Sequence

from vlbench.engine.forecast import Forecast
from vlbench.report.listing import print_rows


def print_forecast(benchmark: str, rows: Sequence[Forecast]) -> None:
    """What a run of `benchmark` would send, one line per variant and condition, and in all."""
    print(f"{benchmark}: nothing is sent in a dry run")
    lines = [_line(row.variant, row.condition, [row], row.lane) for row in rows]
    if len(rows) > 1:
        lines.append(_line("all", "", rows, ""))
    print_rows(lines)


def _line(variant: str, condition: str, rows: Sequence[Forecast], lane: str) -> dict[str, str]:
    return {
        "asked": variant,
        "condition": condition,
        "requests": f"{sum(row.requests for row in rows):,}",
        "cached": f"{sum(row.cached for row in rows):,}",
        "in this run": f"{sum(row.settled for row in rows):,}",
        "images": f"{sum(row.images for row in rows):,}",
        "MB of images": f"{sum(row.bytes for row in rows) / 1e6:,.1f}",
        "account": lane,
    }
