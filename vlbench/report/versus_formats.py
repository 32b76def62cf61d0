"""The forms a comparison can take, those of a report."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import NamedTuple

from vlbench.report.formats import Format
from vlbench.report.versus_data import SCHEMA_VERSION, Duel, Versus
from vlbench.scoring.comparison import Comparison


def versus_text(versus: Versus, form: Format, *, width: int = 100, colour: bool = False) -> str:
    """The comparison as text that ends with a line break; `width` and `colour` concern the table alone."""
    match form:
        case "json":
            return _json(versus)
        case "csv":
            return _csv(versus)
        case "md":
            from vlbench.report.markdown import block_lines
            from vlbench.report.versus_blocks import versus_blocks

            return "\n\n".join("\n".join(block_lines(block)) for block in versus_blocks(versus)) + "\n"
        case "table":
            from vlbench.report.terminal import blocks_text
            from vlbench.report.versus_blocks import versus_blocks

            return blocks_text(versus_blocks(versus), width=width, colour=colour)


def _json(versus: Versus) -> str:
    """`{"schema_version": …, "comparison": …}` with the fields of `Versus`; proportions are fractions."""
    import orjson

    document = {"schema_version": SCHEMA_VERSION, "comparison": versus}
    return orjson.dumps(document, option=orjson.OPT_INDENT_2).decode() + "\n"


class Line(NamedTuple):
    """One comparison; proportions are fractions, empty when undefined; `left_out` is of whole runs alone."""

    benchmark: str
    reader: str
    condition: str
    first_run: str
    first: str
    second_run: str
    second: str
    level: str
    parent: str
    category: str
    pairs: int
    left_out: int | None
    first_accuracy: float | None
    second_accuracy: float | None
    difference: float | None
    low: float | None
    high: float | None
    first_ahead: int
    second_ahead: int
    p_value: float | None


def _csv(versus: Versus) -> str:
    from vlbench.report.long_csv import csv_cell

    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(Line._fields)
    for duel in versus.duels:
        for line in _lines(versus, duel):
            writer.writerow([csv_cell(cell) for cell in line])
    return out.getvalue()


def _lines(versus: Versus, duel: Duel) -> Iterator[Line]:
    yield _line(versus, duel, duel.overall)
    for one in duel.categories:
        yield _line(versus, duel, one)


def _line(versus: Versus, duel: Duel, one: Comparison) -> Line:
    depth = len(one.path)
    named = versus.levels[depth - 1] if 0 < depth <= len(versus.levels) else f"level {depth}"
    return Line(
        benchmark=versus.benchmark,
        reader=" | ".join(versus.readers),
        condition=duel.condition,
        first_run=duel.first.run,
        first=duel.first.variant,
        second_run=duel.second.run,
        second=duel.second.variant,
        level=named if depth else "all",
        parent=one.path[-2] if depth > 1 else "",
        category=one.path[-1] if depth else "",
        pairs=one.pairs,
        left_out=None if depth else duel.left_out,
        first_accuracy=one.first,
        second_accuracy=one.second,
        difference=one.difference,
        low=one.interval.low if one.interval else None,
        high=one.interval.high if one.interval else None,
        first_ahead=one.first_ahead,
        second_ahead=one.second_ahead,
        p_value=one.p_value if one.pairs else None,
    )
