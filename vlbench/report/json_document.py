"""The report as JSON: everything, in full precision, under a schema version."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel

from vlbench.report.averages import averages_over
from vlbench.report.data import SCHEMA_VERSION, ReportData
from vlbench.types import Condition


def json_text(reports: Sequence[ReportData]) -> str:
    """`{"schema_version": …, "reports": […], "average_over_benchmarks": …}`, indented.

    The fields of a report are those of `ReportData`. A condition is its id, a category its path as a
    list, what is undefined null; proportions are fractions.
    """
    import orjson

    document = {
        "schema_version": SCHEMA_VERSION,
        "reports": list(reports),
        "average_over_benchmarks": averages_over(reports),
    }
    return orjson.dumps(document, default=_plain, option=orjson.OPT_INDENT_2).decode() + "\n"


def _plain(value: object) -> object:
    if isinstance(value, Condition):
        return value.id
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    raise TypeError(f"{type(value).__name__} has no place in a report")
