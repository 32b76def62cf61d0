"""A benchmark's own sections as tables and notes."""

from __future__ import annotations

from collections.abc import Iterable

from vlbench.report.figures import NONE, bounds, count, percent
from vlbench.report.layout import Block, Column, Note, Table
from vlbench.scoring.section import Figure, Section


def section_blocks(section: Section) -> list[Block]:
    """The section's table and its notes; intervals get a column of their own where there are any."""
    spans = [
        any(line.figures[place].interval for line in section.lines) for place in range(len(section.columns))
    ]
    columns = [Column("variant"), Column("shown"), *map(Column, section.names)]
    for name, has_span in zip(section.columns, spans, strict=True):
        columns.append(Column(name, right=True, wide=name in section.wide))
        if has_span:
            columns.append(Column(f"CI of {name}", right=True, wide=True))
    table = Table(section.title, tuple(columns))
    before: tuple[str, str] | None = None
    for line in section.lines:
        named = (line.variant, line.condition)
        cells = (
            text for figure, has in zip(line.figures, spans, strict=True) for text in _cells(figure, has)
        )
        table.add(*(("", "") if named == before else named), *line.names, *cells)
        before = named
    return [table, *map(Note, section.notes)]


def _cells(figure: Figure, has_span: bool) -> Iterable[str]:
    yield _written(figure)
    if has_span:
        yield bounds(figure.interval)


def _written(figure: Figure) -> str:
    if figure.value is None:
        return NONE
    match figure.kind:
        case "percent":
            return percent(figure.value)
        case "count":
            return count(round(figure.value))
        case "p":
            return "<0.001" if figure.value < 0.001 else f"{figure.value:.3f}"
