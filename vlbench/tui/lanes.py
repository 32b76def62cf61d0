"""The third screen: every account with its limits, its speed and its troubles."""

from __future__ import annotations

from collections import Counter
from typing import ClassVar, Final

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content

from vlbench.state.events import LaneState
from vlbench.tui.figures import bar, seconds, short, sparkline
from vlbench.tui.grid import beside, text
from vlbench.tui.inert import line
from vlbench.tui.overview import lane_words
from vlbench.tui.painted import Painted
from vlbench.tui.watched import Watched

_CELL: Final = 36
_GAUGE: Final = 8
_LABEL: Final = 11


class Lanes(VerticalScroll, can_focus=True):
    """One block a lane; the chosen one is what `+`, `-` and `x` are for."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "choose(-1)", "Previous lane", show=False),
        Binding("down,j", "choose(1)", "Next lane", show=False),
    ]

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.chosen = 0
        self._names: list[str] = []

    def compose(self) -> ComposeResult:
        yield Painted(id="lanes-blocks")

    @property
    def lane(self) -> str | None:
        """The id of the chosen lane."""
        return self._names[self.chosen % len(self._names)] if self._names else None

    def action_choose(self, step: int) -> None:
        """Choose the next or the previous lane."""
        if self._names:
            self.chosen = (self.chosen + step) % len(self._names)

    def on_click(self, event: events.Click) -> None:
        painted = self.query_one(Painted)
        above = painted.painted.plain.split("\n")[: max(0, event.screen_y - painted.region.y)]
        if self._names:
            # A blank line stands between the blocks.
            self.chosen = min(above.count(""), len(self._names) - 1)

    def show(self, watched: Watched) -> None:
        """Draw what has changed."""
        self._names = list(watched.state.lanes)
        painted = self.query_one(Painted)
        if not self._names:
            painted.paint(text("A lane shows up here with its first request.", "$muted"))
            return
        blocks = [
            lane_block(watched, name, painted.width, is_chosen=name == self.lane) for name in self._names
        ]
        painted.paint(Content("\n\n").join(blocks))


def lane_block(watched: Watched, name: str, width: int, *, is_chosen: bool) -> Content:
    """Everything known of one lane."""
    lane = watched.state.lanes[name]
    models = [variant.id for variant in watched.live.manifest.variants if variant.lane == name]
    title = Content.assemble(
        ("▸ " if is_chosen else "  ", "$text-accent"),
        (line(name), "bold reverse" if is_chosen else "bold"),
        (f"  {', '.join(line(model, 60) for model in models)}", "$muted"),
    )
    facts = _facts(watched, name, lane)
    across = max(1, (width - 2) // _CELL)
    rows = [facts[first : first + across] for first in range(0, len(facts), across)]
    lines = [Content("  ") + Content("").join(_fitted(fact) for fact in row) for row in rows]
    stops = [
        text(f"  ✗ {line(stop.model or name, 60)}: {line(stop.message, 300)}", "$text-error")
        for stop in watched.state.stopped
        if stop.lane == name
    ]
    return Content("\n").join([beside(title, lane_words(watched, name), width), *lines, *stops])


def _facts(watched: Watched, name: str, lane: LaneState) -> list[Content]:
    errors = watched.state.lane_errors.get(name, Counter())
    points = list(watched.state.in_flight.get(name, ()))
    return [
        _fact(
            "in flight", f"{lane.in_flight} of {lane.concurrency} ", sparkline(points, lane.concurrency, 12)
        ),
        _rate("req/min", lane.requests_per_min, lane.rpm),
        _rate("tok/min", lane.tokens_per_min, lane.tpm),
        _fact("latency", f"p50 {seconds(lane.p50_s)}  p95 {seconds(lane.p95_s)}"),
        _fact("tokens/s", short(lane.tokens_per_min / 60)),
        _fact("oldest open", seconds(lane.oldest_s)),
        _fact("429", _times(errors["rate_limited"])),
        _fact("5xx", _times(errors["server_failed"] + errors["overloaded"])),
        _fact("time-outs", _times(errors["timeout"] + errors["network"])),
        _fact("sent", f"{lane.sent:,}"),
    ]


def _rate(label: str, used: int, allowed: int | None) -> Content:
    if allowed is None:
        return _fact(label, f"{short(used)}, no known limit")
    return _fact(label, f"{short(used)}/{short(allowed)} ") + bar(min(used, allowed), allowed, _GAUGE)


def _fact(label: str, words: str, drawn: str = "") -> Content:
    return Content.assemble((f"{label:<{_LABEL}} ", "$muted"), (words, ""), (drawn, "$text-primary"))


def _times(count: int) -> str:
    return f"×{count:,}" if count else "none"


def _fitted(fact: Content) -> Content:
    return fact.truncate(_CELL - 2, ellipsis=True).pad_right(max(0, _CELL - min(fact.cell_length, _CELL - 2)))
