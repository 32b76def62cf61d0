"""The report laid out for people: headings, sentences and tables, the same for terminal and Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from vlbench.report.averages import averages_over
from vlbench.report.category_tables import category_tables, cores_table
from vlbench.report.comparison_blocks import comparison_blocks
from vlbench.report.cost_blocks import brief_cost, cost_blocks
from vlbench.report.data import ReportData, ReportRow
from vlbench.report.figures import bounds, count, difference, percent
from vlbench.report.layout import Block, Caution, Column, Heading, Note, Table
from vlbench.report.provenance_block import provenance_block
from vlbench.report.section_blocks import section_blocks
from vlbench.scoring.gain import GainRow


def blocks_of(report: ReportData) -> tuple[Block, ...]:
    """Everything a report for people shows, in its order: what limits the numbers comes before them."""
    blocks = _opening(report)
    if not report.rows:
        return tuple(blocks)
    for section in report.sections:
        blocks += section_blocks(section)
    blocks += [_averages(report), *cores_table(report), *category_tables(report), *_rules(report)]
    for comparison in report.comparisons:
        blocks += comparison_blocks(report, comparison)
    return (*blocks, *cost_blocks(report), provenance_block(report))


def brief_blocks_of(report: ReportData) -> tuple[Block, ...]:
    """The numbers alone, as they are shown when a run ends."""
    blocks = _opening(report)
    for section in report.sections:
        blocks += section_blocks(section) if section.brief else ()
    return (*blocks, *(category_tables(report) if report.rows else ()), *brief_cost(report))


def _opening(report: ReportData) -> list[Block]:
    blocks: list[Block] = [Heading(_first_line(report)), Note(_second_line(report))]
    blocks += [Caution(warning.text) for warning in report.warnings]
    if not report.rows:
        return [*blocks, Note(f"No request has been sent yet. Start with: vlbench resume {report.run}")]
    blocks += [_accuracy(report), _baseline_note(report), *_outcomes(report)]
    if report.gains:
        blocks += [_gains(report.gains), Note(_GAIN_NOTE)]
    return blocks


def overview(reports: Sequence[ReportData]) -> tuple[Block, ...]:
    """Several runs side by side: one line per run, variant and condition."""
    gains = {(report.run, gain.variant, gain.without): gain for report in reports for gain in report.gains}
    table = Table(
        "Runs side by side",
        (
            Column("run"),
            Column("variant"),
            Column("shown"),
            Column("accuracy %", right=True),
            Column("95 % CI", right=True),
            Column("right/total", right=True, wide=True),
            Column("MG", right=True),
            Column("ML*", right=True),
            Column("state"),
        ),
    )
    for report in reports:
        for row in report.rows:
            gain = gains.get((report.run, row.variant, row.condition))
            leakage = gain.overall.leakage if gain else None
            table.add(
                report.run,
                row.variant,
                row.condition.id,
                percent(row.overall.value),
                bounds(row.overall.interval),
                f"{count(row.overall.right)}/{count(row.overall.total)}",
                difference(gain.overall.mg if gain else None),
                percent(leakage.value if leakage else None),
                report.stage,
            )
    same = len({(report.benchmark, report.provenance.data_sha256) for report in reports}) == 1
    note = (
        "All on the same data."
        if same
        else "These runs are not on the same data: do not compare their accuracies."
    )
    average = averages_over(reports)
    return (
        table,
        Note(f"{note} MG and ML* stand in the line without the picture."),
        *(section_blocks(average) if average else ()),
    )


def _first_line(report: ReportData) -> str:
    named = f"{report.run} · {report.benchmark} · {count(report.samples)} samples"
    match report.stage:
        case "complete":
            return f"Complete: {named}"
        case "partial":
            lost = sum(row.overall.counts.failed + row.overall.counts.unusable for row in report.rows)
            return f"PARTIAL, {count(lost)} of {count(report.slots)} without a reply: {named}"
        case "provisional":
            return f"PROVISIONAL, {count(report.settled)} of {count(report.slots)} done: {named}"


def _second_line(report: ReportData) -> str:
    data = f"{report.provenance.data} ({report.provenance.data_sha256[:12] or 'no hash'})"
    return f"Answers read by {report.reader}. Data: {data}. Scores in percent, CI: 95 % confidence interval."


def _accuracy(report: ReportData) -> Table:
    table = Table(
        "Accuracy (right / all samples)",
        (
            Column("variant"),
            Column("shown"),
            Column("accuracy", right=True),
            Column("95 % CI", right=True),
            Column("right/total", right=True),
            Column("of answered", right=True),
            Column("coverage", right=True),
        ),
    )
    for row in report.rows:
        overall = row.overall
        table.add(
            _name(row),
            row.condition.id,
            percent(overall.value),
            bounds(overall.interval),
            f"{count(overall.right)}/{count(overall.total)}",
            percent(overall.of_answered),
            percent(overall.coverage),
        )
    return table


def _name(row: ReportRow) -> str:
    return f"{row.variant} (LLM base)" if row.base else row.variant


def _baseline_note(report: ReportData) -> Note:
    overall, levels = report.baselines.overall, report.baselines.frequent_by_level
    text = f"Guessing on these samples: random choice {percent(overall.random)}, frequent choice "
    text += f"{percent(overall.frequent)}" + (f" (always {overall.label})" if overall.label else "")
    deeper = [
        f"{percent(value)} by {_level(report, depth)}" for depth, value in enumerate(levels) if depth > 0
    ]
    return Note(", ".join([text, *deeper]) + ".")


def _level(report: ReportData, depth: int) -> str:
    return report.levels[depth - 1] if depth <= len(report.levels) else f"level {depth}"


_OUTCOMES: Final = ("refused", "blocked", "unparsed", "truncated", "failed", "unusable")


def _outcomes(report: ReportData) -> tuple[Block, Block]:
    """A column for what happened, a sentence for what did not."""
    happened = [name for name in _OUTCOMES if any(getattr(row.overall.counts, name) for row in report.rows)]
    columns = [Column("variant"), Column("shown"), Column("answered", right=True, wide=len(happened) > 4)]
    columns += [Column(name, right=True) for name in happened]
    columns += [
        Column("cut", right=True),
        Column("cached", right=True),
    ]
    is_open = any(row.overall.counts.pending for row in report.rows)
    columns += [Column("pending", right=True, wide=True)] if is_open else []
    table = Table("What became of the samples", tuple(columns))
    for row in report.rows:
        counts = row.overall.counts
        table.add(
            _name(row),
            row.condition.id,
            count(row.overall.answered),
            *(count(getattr(counts, name)) for name in happened),
            count(row.overall.cut),
            count(row.cached),
            *([count(counts.pending)] if is_open else []),
        )
    absent = [name for name in _OUTCOMES if name not in happened]
    note = f"None were {', '.join(absent)}. " if absent else ""
    return table, Note(f"{note}Cut: answered before the reply was cut off. Cached: not paid for in this run.")


_GAIN_NOTE: Final = (
    "MG = with image − without, on pairs in which neither side failed. ML = accuracy without the image. "
    "ML* = max(0, without − LLM base); — when no base was run."
)


def _gains(gains: Iterable[GainRow]) -> Table:
    table = Table(
        "Multi-modal gain and leakage",
        (
            Column("variant"),
            Column("without"),
            Column("image", right=True),
            Column("ML", right=True),
            Column("CI of ML", right=True, wide=True),
            Column("base", right=True),
            Column("MG", right=True),
            Column("CI of MG", right=True),
            Column("ML*", right=True),
            Column("CI of ML*", right=True, wide=True),
            Column("pairs", right=True),
        ),
    )
    for row in gains:
        gain = row.overall
        leakage = gain.leakage
        table.add(
            row.variant,
            row.without.id,
            percent(gain.with_image),
            percent(gain.ml),
            bounds(gain.ml_interval),
            percent(leakage.base if leakage else None),
            difference(gain.mg),
            bounds(gain.mg_interval),
            percent(leakage.value if leakage else None),
            bounds(leakage.interval if leakage else None),
            count(gain.pairs),
        )
    return table


def _averages(report: ReportData) -> Table:
    levels = report.levels
    coarse = f"mean over {levels[0]}" if levels else "coarse mean"
    fine = f"mean over {levels[-1]}" if len(levels) > 1 else "fine mean"
    table = Table(
        "Averages by their names",
        (
            Column("variant"),
            Column("shown"),
            Column("sample mean", right=True),
            Column(coarse, right=True),
            Column(fine, right=True),
        ),
    )
    for row in report.rows:
        means = row.averages
        values = (means.sample_mean, means.coarse_mean, means.fine_mean)
        table.add(_name(row), row.condition.id, *map(percent, values))
    return table


def _rules(report: ReportData) -> list[Block]:
    """The rules that found a label, by row; nothing when no reply was read."""
    table = Table(
        "How answers were read",
        (
            Column("variant"),
            Column("shown"),
            Column("rule"),
            Column("replies", right=True),
            Column("% of total", right=True),
        ),
    )
    for row in report.rows:
        for place, rule in enumerate(row.rules):
            share = percent(rule.replies / row.overall.total if row.overall.total else None)
            named = (_name(row), row.condition.id) if place == 0 else ("", "")
            table.add(*named, rule.rule, count(rule.replies), share)
    return [table] if table.rows else []
