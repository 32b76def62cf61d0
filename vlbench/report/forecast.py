"""A dry run as a table on stdout."""

from __future__ import annotations

from collections.abc import Sequence

from vlbench.engine.forecast import Forecast


def print_forecast(benchmark: str, rows: Sequence[Forecast]) -> None:
    """What a run of `benchmark` would send, one line per variant and condition, and in all."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, title=Text(f"{benchmark}: nothing is sent in a dry run"))
    table.title_justify = "left"
    for name in ("lane", "asked", "condition"):
        table.add_column(name, overflow="fold")
    for name in ("requests", "cached", "images", "MB of images"):
        table.add_column(name, justify="right")
    for row in rows:
        table.add_row(Text(row.lane), Text(row.variant), row.condition, *_numbers([row]))
    if len(rows) > 1:
        table.add_section()
        table.add_row("all", "", "", *_numbers(rows))
    Console().print(table)


def _numbers(rows: Sequence[Forecast]) -> tuple[str, str, str, str]:
    return (
        f"{sum(row.requests for row in rows):,}",
        f"{sum(row.cached for row in rows):,}",
        f"{sum(row.images for row in rows):,}",
        f"{sum(row.bytes for row in rows) / 1e6:,.1f}",
    )
