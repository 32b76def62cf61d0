"""MG and ML averaged over several benchmarks, as the MMStar paper does in its Table 4."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from vlbench.report.data import ReportData
from vlbench.scoring.gain import GainRow
from vlbench.scoring.section import Figure, Line, Section, count

CIRCULAR = "circular-gain"


@dataclass(frozen=True, slots=True)
class _Gains:
    """What one benchmark says of one variant; fractions, None when undefined."""

    mg: float | None
    ml: float | None
    leakage: float | None


def averages_over(reports: Sequence[ReportData]) -> Section | None:
    """The unweighted mean over benchmarks of MG, ML and ML*; None when the reports are not of several.

    A variant gets a mean only when it ran on every benchmark under the same no-image condition. Where a
    benchmark was run circularly, its circular accuracy counts. Of two runs of one variant on one
    benchmark the first in `reports` counts.
    """
    benchmarks = tuple(dict.fromkeys(report.benchmark for report in reports))
    if len(benchmarks) < 2:
        return None
    found: dict[tuple[str, str], dict[str, _Gains]] = {}
    for report in reports:
        for gain in report.gains:
            of_variant = found.setdefault((gain.variant, gain.without.id), {})
            of_variant.setdefault(report.benchmark, _gains(report, gain))
    lines = tuple(
        Line(variant, condition, (), _figures([kept.get(name) for name in benchmarks]))
        for (variant, condition), kept in found.items()
    )
    if not lines:
        return None
    return Section(
        id="average-gain",
        title="MG and ML, averaged over benchmarks",
        names=(),
        columns=("benchmarks", "MG", "ML", "ML*"),
        lines=lines,
        notes=(
            f"Unweighted means over {', '.join(benchmarks)}; — where one of them, or its base, was not run.",
        ),
    )


def _gains(report: ReportData, gain: GainRow) -> _Gains:
    leakage = gain.overall.leakage.value if gain.overall.leakage else None
    for section in report.sections:
        for line in section.lines if section.id == CIRCULAR else ():
            if (line.variant, line.condition) == (gain.variant, gain.without.id):
                by_name = dict(zip(section.columns, line.figures, strict=True))
                return _Gains(by_name["MG"].value, by_name["without (ML)"].value, None)
    return _Gains(gain.overall.mg, gain.overall.ml, leakage)


def _figures(gains: Sequence[_Gains | None]) -> tuple[Figure, ...]:
    known = [one for one in gains if one is not None]
    complete = len(known) == len(gains)
    columns = ([one.mg for one in known], [one.ml for one in known], [one.leakage for one in known])
    return count(len(known)), *(Figure(_mean(values) if complete else None) for values in columns)


def _mean(values: Sequence[float | None]) -> float | None:
    defined = [value for value in values if value is not None]
    return fmean(defined) if len(defined) == len(values) else None
