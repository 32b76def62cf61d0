"""The report's reader beside another one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from vlbench.report.data import Difference, ReaderComparison, ReportData
from vlbench.report.figures import NONE, bounds, count, percent
from vlbench.report.layout import Block, Column, Note, Table

LISTED: Final = 20
"""How many of the samples that two readers read differently are listed; JSON holds all."""


def comparison_blocks(report: ReportData, comparison: ReaderComparison) -> list[Block]:
    """Both readers' accuracies side by side, and the first of the samples on whose verdict they differ."""
    other = f"as journalled ({comparison.other})" if comparison.journalled else comparison.other
    table = Table(
        f"Two readers: {report.reader} and {other}",
        (
            Column("variant"),
            Column("shown"),
            Column("this reader", right=True),
            Column("other", right=True),
            Column("other's CI", right=True),
            Column("only this", right=True),
            Column("only other", right=True),
        ),
    )
    for row in comparison.rows:
        table.add(
            row.variant,
            row.condition,
            percent(row.value),
            percent(row.other),
            bounds(row.other_interval),
            count(row.only_first),
            count(row.only_other),
        )
    labels_only = len(comparison.differences) - sum(one.changes_verdict for one in comparison.differences)
    verdicts = (
        "1 verdict differs"
        if comparison.verdict_changes == 1
        else (f"{count(comparison.verdict_changes)} verdicts differ")
    )
    note = (
        f"{verdicts}; {count(labels_only)} more replies are read differently with the same verdict. "
        "Only this, only other: replies that are right by one of the two alone."
    )
    return [table, Note(note), *_listed(comparison.differences)]


def _listed(differences: Sequence[Difference]) -> list[Block]:
    changed = [one for one in differences if one.changes_verdict]
    if not changed:
        return []
    shown = changed[:LISTED]
    title = "Samples whose verdict differs"
    if len(changed) > LISTED:
        title += f" (the first {LISTED} of {count(len(changed))}; --format json has all)"
    table = Table(
        title,
        (
            Column("sample"),
            Column("variant", wide=True),
            Column("shown"),
            Column("gold"),
            Column("this"),
            Column("other"),
            Column("reply"),
        ),
    )
    for one in shown:
        table.add(
            one.sample if one.repeat == 0 else f"{one.sample} #{one.repeat + 1}",
            one.variant,
            one.condition,
            one.gold,
            _reading(one.answer.label, one.answer.outcome, one.right),
            _reading(one.other_answer.label, one.other_answer.outcome, one.other_right),
            one.reply or NONE,
        )
    return [table]


def _reading(label: str | None, outcome: str, right: bool) -> str:
    return f"{label or outcome} {'✓' if right else '✗'}"
