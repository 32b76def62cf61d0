"""The first screen: who is asked what, how far it is, what it scores, how the lanes do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import groupby

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content

from vlbench.scoring.codes import Code
from vlbench.scoring.gain import GainRow
from vlbench.scoring.scores import Scores
from vlbench.state.rows import Row
from vlbench.tui.figures import bar, money, percent, plus_minus, seconds, short, signed, sparkline
from vlbench.tui.grid import Column, grid, spare, text
from vlbench.tui.inert import line
from vlbench.tui.painted import Painted
from vlbench.tui.watched import Watched

WIDE = 112
"""Cells from which every outcome has a column of its own."""

ROOMY = 90
"""Cells from which the names of providers are worth more than what was spent."""

NOTES = 5
SHORTEST_BAR, LONGEST_BAR = 8, 40
_SPARK = 12
_NO_ANSWER = (Code.REFUSED, Code.BLOCKED, Code.UNPARSED, Code.TRUNCATED)


class Overview(VerticalScroll):
    """The matrix of rows, the scores, the lanes, and what a careful reader should know."""

    def compose(self) -> ComposeResult:
        yield Painted(id="matrix")
        yield Painted(id="scores")
        yield Painted(id="lanes-brief")
        yield Painted(id="notes")

    def show(self, watched: Watched) -> None:
        """Draw what has changed."""
        parts = {"matrix": matrix, "scores": scores, "lanes-brief": lanes, "notes": notes}
        for name, content in parts.items():
            painted = self.query_one(f"#{name}", Painted)
            made = content(watched, painted.width)
            painted.display = bool(made.plain)
            painted.paint(made)


def heading(words: str, remark: str = "") -> Content:
    """The title of a part, with a remark beside it."""
    return Content.assemble((words, "bold $text-primary"), (f"  {remark}" if remark else "", "$muted"))


def matrix(watched: Watched, width: int) -> Content:
    """Every row of the run: progress, accuracy, and what became of the rest."""
    wide = width >= WIDE
    columns = [
        Column("provider", least=24 if wide else 20 if width >= ROOMY else 14, cut="middle"),
        Column("shown"),
        Column("progress", leaves=3),
        Column("", "right"),
        Column("done", "right"),
        Column("cached", "right", leaves=4),
        Column("accuracy", "right"),
        Column("", leaves=2),
        *(Column(name, "right") for name in _outcome_names(wide)),
        Column("spent", "right", leaves=5),
    ]
    rows = list(watched.state.rows.values())
    cells = list(_matrix_rows(watched, rows, SHORTEST_BAR, wide))
    longer = min(LONGEST_BAR - SHORTEST_BAR, spare(columns, cells, width))
    if longer > 0:
        cells = list(_matrix_rows(watched, rows, SHORTEST_BAR + longer, wide))
    table = grid(columns, cells, width)
    return heading("Providers") + "\n" + table


def _outcome_names(wide: bool) -> tuple[str, ...]:
    if wide:
        return ("refused", "unparsed", "cut off", "failed")
    return ("no answer", "failed")


def _matrix_rows(watched: Watched, rows: list[Row], bar_width: int, wide: bool) -> Iterator[list[Content]]:
    scores = watched.tally.scores if watched.tally else None
    intervals = (
        {(row.variant, row.condition.id): row.overall.interval for row in scores.rows} if scores else {}
    )
    for variant, same in groupby(rows, key=lambda row: row.variant):
        for number, row in enumerate(same):
            settled = row.done - row.counts[Code.UNUSABLE]
            share = row.done / row.total if row.total else 0.0
            name = line(variant) + (" (base)" if row.base else "")
            yield [
                text(name if number == 0 else "", "bold"),
                text(row.condition.id),
                bar(row.done, row.total, bar_width, "$success" if row.done == row.total else "$primary"),
                text(f"{int(100 * share)}%"),
                text(f"{row.done:,}"),
                _count(row.cached),
                text(percent(row.right / settled if settled else None), "bold"),
                text(plus_minus(intervals.get((row.variant, row.condition.id))), "$muted"),
                *_outcome_cells(row, wide),
                text(_spent(watched, variant) if number == 0 else "", "$muted"),
            ]


def _outcome_cells(row: Row, wide: bool) -> list[Content]:
    counts = row.counts
    failed = text(f"{counts[Code.FAILED]:,}", "$text-error") if counts[Code.FAILED] else _count(0)
    if wide:
        refused = counts[Code.REFUSED] + counts[Code.BLOCKED]
        return [_count(refused), _count(counts[Code.UNPARSED]), _count(counts[Code.TRUNCATED]), failed]
    return [_count(sum(counts[code] for code in _NO_ANSWER)), failed]


def _count(number: int) -> Content:
    return text(f"{number:,}") if number else text("0", "$faint")


def _spent(watched: Watched, variant: str) -> str:
    return money(watched.tally.spent.get(variant)) if watched.tally else ""


def scores(watched: Watched, width: int) -> Content:
    """MG, ML and ML*, with what they are made of; nothing when only one condition is shown."""
    if watched.tally is None or not watched.tally.scores.gains:
        return Content("")
    found = watched.tally.scores
    with_base = any(gain.base for gain in found.gains)
    columns = [
        Column("provider", least=14, cut="middle"),
        Column("without", leaves=2),
        Column("pairs", "right", leaves=1),
        Column("with", "right"),
        Column("w/o", "right"),
        *([Column("base", "right")] if with_base else []),
        Column("MG", "right"),
        Column("", leaves=3),
        Column("ML", "right"),
        Column("", leaves=4),
        *([Column("ML*", "right")] if with_base else []),
    ]
    table = grid(columns, [_gain_cells(gain, with_base) for gain in found.gains], width)
    return Content("\n").join(
        [Content(""), heading("Scores", _scores_remark(found)).truncate(width, ellipsis=True), table]
    )


def _gain_cells(gain: GainRow, with_base: bool) -> list[Content]:
    overall = gain.overall
    leak = overall.leakage
    return [
        text(line(gain.variant), "bold"),
        text(gain.without.id),
        text(f"{overall.pairs:,}"),
        text(percent(overall.with_image)),
        text(percent(overall.without_image)),
        *([text(percent(leak.base if leak else None))] if with_base else []),
        text(signed(overall.mg), "bold"),
        text(plus_minus(overall.mg_interval), "$muted"),
        text(percent(overall.ml), "bold"),
        text(plus_minus(overall.ml_interval), "$muted"),
        *([text(percent(leak.value if leak else None), "bold")] if with_base else []),
    ]


def _scores_remark(found: Scores) -> str:
    chance = found.baselines.overall
    parts = [f"chance {percent(chance.random)}", f"most frequent {percent(chance.frequent)}"]
    pairs = sum(gain.overall.pairs for gain in found.gains)
    possible = sum(gain.overall.possible for gain in found.gains)
    if any(gain.overall.provisional for gain in found.gains):
        parts.insert(0, f"provisional: {pairs:,} of {possible:,} pairs")
    return " · ".join(parts)


def lanes(watched: Watched, width: int) -> Content:
    """One line a lane: what is in flight, how fast, how slow the server is, what it waits for."""
    if not watched.state.lanes:
        return Content("")
    columns = [
        Column("lane", least=8, cut="middle"),
        Column("in flight", "right"),
        Column("", leaves=4),
        Column("req/min", "right"),
        Column("tok/min", "right", leaves=3),
        Column("p50", "right"),
        Column("p95", "right"),
        Column("429", "right", leaves=1),
        Column("state", least=10),
    ]
    rows = []
    for name, lane in watched.state.lanes.items():
        points = watched.state.in_flight.get(name, ())
        limited = watched.state.lane_errors.get(name, Counter())["rate_limited"]
        rows.append(
            [
                text(line(name), "bold"),
                text(f"{lane.in_flight}/{lane.concurrency}"),
                text(sparkline(list(points), lane.concurrency, _SPARK), "$text-primary"),
                text(against(lane.requests_per_min, lane.rpm)),
                text(against(lane.tokens_per_min, lane.tpm)),
                text(seconds(lane.p50_s)),
                text(seconds(lane.p95_s)),
                text(f"×{limited:,}") if limited else text("0", "$faint"),
                lane_words(watched, name),
            ]
        )
    return Content("\n").join([Content(""), heading("Lanes"), grid(columns, rows, width)])


def against(used: int, allowed: int | None) -> str:
    """`940/1,000`, or the number alone when no limit is known."""
    return short(used) if allowed is None else f"{short(used)}/{short(allowed)}"


def lane_words(watched: Watched, name: str) -> Content:
    """What the lane does, in words."""
    state, lane = watched.state, watched.state.lanes[name]
    stop = next((stop for stop in state.stopped if stop.lane == name and stop.model is None), None)
    if stop is not None:
        return text(f"✗ stopped: {line(stop.kind)}", "$text-error")
    if name in state.dropped:
        return text("✗ dropped", "$text-warning")
    if not watched.is_live or state.ended is not None:
        return text("at rest", "$muted")
    if state.paused:
        return text("‖ paused", "$text-warning")
    if lane.waiting_s > 0:
        return text(f"waiting {lane.waiting_s:.0f} s (server asked)", "$text-warning")
    if lane.in_flight:
        return text("▶ sending", "$text-success")
    if not _has_work(watched, name):
        return text("✓ done", "$muted")
    return text("keeping to its rate" if lane.rpm or lane.tpm else "idle", "$muted")


def _has_work(watched: Watched, lane: str) -> bool:
    """Whether any slot of the lane was never asked."""
    rows, lane_of = watched.state.rows.values(), watched.lane_of
    return any(row.counts[Code.PENDING] for row in rows if lane_of.get(row.variant, row.variant) == lane)


def notes(watched: Watched, width: int) -> Content:
    """Sentences a careful reader of the numbers should know; the newest first, a few of them."""
    found = [f"{stop.lane} stopped: {stop.message}" for stop in reversed(watched.state.stopped)]
    if watched.tally:
        found += [warning.text for warning in watched.tally.scores.warnings]
    found += [f"{warned.subject}: {warned.message}" for warned in reversed(watched.state.warnings)]
    if not found:
        return Content("")
    lines = [Content.assemble(("! ", "bold $text-warning"), line(one, 400)) for one in found[:NOTES]]
    if len(found) > NOTES:
        lines.append(text(f"and {len(found) - NOTES} more", "$muted"))
    return Content("\n").join([Content(""), heading("Notes"), *lines])
