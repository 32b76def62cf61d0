"""The forms a report can take."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from vlbench.report.data import ReportData

Format = Literal["table", "json", "csv", "md"]
FORMATS: Final[tuple[Format, ...]] = ("table", "json", "csv", "md")


def rendered(reports: Sequence[ReportData], form: Format, *, width: int = 100, colour: bool = False) -> str:
    """The reports as text that ends with a line break; `width` and `colour` concern the table alone."""
    match form:
        case "json":
            from vlbench.report.json_document import json_text

            return json_text(reports)
        case "csv":
            from vlbench.report.long_csv import csv_text

            return csv_text(reports)
        case "md":
            from vlbench.report.markdown import markdown_text

            return markdown_text(reports)
        case "table":
            from vlbench.report.terminal import terminal_text

            return terminal_text(reports, width=width, colour=colour)
