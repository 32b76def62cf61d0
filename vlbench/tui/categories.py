"""The second screen: every category of one provider, or of all side by side."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content

from vlbench.scoring.accuracy import Accuracy, AccuracyRow
from vlbench.scoring.facts import Path
from vlbench.scoring.gain import Gain
from vlbench.scoring.scores import Scores
from vlbench.tui.figures import gauge, percent, plus_minus, signed
from vlbench.tui.grid import Column, grid, text
from vlbench.tui.inert import line
from vlbench.tui.overview import heading
from vlbench.tui.painted import Painted
from vlbench.tui.watched import Watched

WAITING: Final = "Scores come with the first replies."
_BAR = 60


@dataclass(frozen=True, slots=True)
class CategoryLine:
    """What is known of one category for one variant; fractions, None while there is nothing."""

    path: Path
    done: int
    total: int
    shown: Accuracy | None
    gain: Gain | None
    chance: float | None


SORTS: Final[dict[str, Callable[[CategoryLine], float]]] = {
    # "order" keeps the benchmark's own order, coarse categories before the fine ones in them.
    "order": lambda _: 0.0,
    "accuracy": lambda one: -(one.shown.value if one.shown and one.shown.value is not None else -1.0),
    "MG": lambda one: -(one.gain.mg if one.gain and one.gain.mg is not None else -2.0),
    "ML": lambda one: -(one.gain.ml if one.gain and one.gain.ml is not None else -2.0),
    "n": lambda one: -one.total,
}


class Categories(VerticalScroll):
    """Categories by the benchmark's levels. `s` sorts, `[` and `]` choose the provider, `a` shows all."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.sort = "order"
        self.chosen = 0
        self.side_by_side = False

    def compose(self) -> ComposeResult:
        yield Painted(id="categories-table")

    def next_sort(self) -> None:
        """Sort by the next thing."""
        names = list(SORTS)
        self.sort = names[(names.index(self.sort) + 1) % len(names)]

    def choose(self, step: int) -> None:
        """Show the next or the previous variant."""
        self.chosen += step
        self.side_by_side = False

    def show(self, watched: Watched) -> None:
        """Draw what has changed."""
        painted = self.query_one(Painted)
        painted.paint(self._content(watched, painted.width))

    def _content(self, watched: Watched, width: int) -> Content:
        if watched.tally is None:
            return text(WAITING, "$muted")
        scores = watched.tally.scores
        variants = list(dict.fromkeys(row.variant for row in scores.rows))
        if not scores.categories:
            return text("This benchmark has no categories.", "$muted")
        if self.side_by_side:
            return all_table(scores, variants, self.sort, width)
        return one_table(scores, variants[self.chosen % len(variants)], self.sort, width)


def category_lines(scores: Scores, variant: str) -> list[CategoryLine]:
    """Every category of one variant, in the benchmark's order: coarse ones, each before its parts."""
    row = _row_shown(scores, variant)
    gains = next((gain.categories for gain in scores.gains if gain.variant == variant), ())
    gain_of = {one.path: one.gain for one in gains}
    chance = {one.path: one.random for one in scores.baselines.categories}
    shown = {one.path: one.accuracy for one in row.categories} if row else {}
    lines = []
    for path in sorted(scores.categories):
        accuracy = shown.get(path)
        done = accuracy.total if accuracy else 0
        total = done + accuracy.counts.pending if accuracy else 0
        lines.append(CategoryLine(path, done, total, accuracy, gain_of.get(path), chance.get(path)))
    return lines


def _row_shown(scores: Scores, variant: str) -> AccuracyRow | None:
    rows = [row for row in scores.rows if row.variant == variant]
    return next((row for row in rows if row.condition.has_image), rows[0] if rows else None)


def _sorted(lines: list[CategoryLine], by: str) -> list[CategoryLine]:
    """Whole numbers of one level are compared with each other, so a sort keeps the levels apart."""
    return (
        lines if by == "order" else sorted(lines, key=lambda one: (len(one.path), SORTS[by](one), one.path))
    )


def _name(path: Path, by: str) -> Content:
    if by == "order":
        return text("  " * (len(path) - 1) + line(path[-1], 60), "bold" if len(path) == 1 else "")
    return text(line(" / ".join(path), 60), "bold" if len(path) == 1 else "")


def one_table(scores: Scores, variant: str, by: str, width: int) -> Content:
    """All categories of one variant."""
    row = _row_shown(scores, variant)
    columns = [
        Column("category", least=16),
        Column("n", "right"),
        Column("done", "right", leaves=3),
        Column("accuracy", "right"),
        Column("", leaves=4),
        Column("against chance ┊", leaves=2),
        Column("MG", "right"),
        Column("", leaves=5),
        Column("ML", "right"),
    ]
    bar_width = max(17, min(_BAR, width - 76))
    rows = [
        [
            _name(one.path, by),
            text(f"{one.total:,}"),
            text(f"{int(100 * one.done / one.total)}%" if one.total else "", "$muted"),
            text(percent(one.shown.value if one.shown else None), "bold"),
            text(plus_minus(one.shown.interval if one.shown else None), "$muted"),
            _gauge(one, bar_width),
            text(signed(one.gain.mg if one.gain else None), "bold"),
            text(plus_minus(one.gain.mg_interval if one.gain else None), "$muted"),
            text(percent(one.gain.ml if one.gain else None)),
        ]
        for one in _sorted(category_lines(scores, variant), by)
    ]
    shown = row.condition.id if row else ""
    provisional = " · provisional" if scores.provisional else ""
    title = heading(line(variant), f"accuracy under {shown} · sorted by {by}{provisional}")
    return title + "\n" + grid(columns, rows, width)


def _gauge(one: CategoryLine, width: int) -> Content:
    value = one.shown.value if one.shown else None
    beats = value is not None and one.chance is not None and value > one.chance
    return gauge(value, one.chance, width, "$success" if beats else "$warning")


def all_table(scores: Scores, variants: list[str], by: str, width: int) -> Content:
    """The accuracy and MG of every variant, one column each."""
    lines = {variant: category_lines(scores, variant) for variant in variants}
    by_path = {variant: {one.path: one for one in found} for variant, found in lines.items()}
    columns = [
        Column("category", least=16),
        Column("n", "right", leaves=1),
        Column("chance", "right", leaves=2),
    ]
    room = max(8, (width - 40) // max(1, len(variants)) - 2)
    columns += [Column(_short_name(line(variant), room), "right") for variant in variants]
    rows = []
    for one in _sorted(lines[variants[0]], by):
        cells = [
            _name(one.path, by),
            text(f"{one.total:,}"),
            text(percent(one.chance), "$muted"),
        ]
        for variant in variants:
            found = by_path[variant][one.path]
            gain = signed(found.gain.mg) if found.gain else ""
            value = percent(found.shown.value if found.shown else None)
            cells.append(Content.assemble((value, "bold"), (f" {gain:>6}" if gain else "", "$muted")))
        rows.append(cells)
    title = heading("All providers", f"accuracy and MG · sorted by {by} of the first")
    return title + "\n" + grid(columns, rows, width)


def _short_name(name: str, width: int) -> str:
    """The end of a long name, which tells models of one provider apart."""
    return name if len(name) <= width else "…" + name[1 - width :]
