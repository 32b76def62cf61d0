"""The lines of the list of samples: read from the journal by offset, one page at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from textual.content import Content

from vlbench.errors import StoreError
from vlbench.scoring.codes import Code
from vlbench.state.events import AttemptFailed, ReplyArrived
from vlbench.state.fold import RowKey
from vlbench.state.rows import Row
from vlbench.state.tail import LiveRun
from vlbench.tui.figures import seconds
from vlbench.tui.grid import Column, grid, text
from vlbench.tui.inert import line
from vlbench.tui.sifting import Slot
from vlbench.tui.words import outcome

EXCERPT: Final = 300


@dataclass(frozen=True, slots=True)
class Excerpt:
    """What one line shows of a journal line: the label read, the latency, the beginning of the reply."""

    label: str
    latency_s: float | None
    words: str


def read_excerpt(live: LiveRun, place: int) -> Excerpt:
    """Read one journal line; what cannot be read says so in its place. For a thread."""
    try:
        event = live.event_at(place)
    except StoreError as error:
        return Excerpt("", None, line(str(error), EXCERPT))
    match event:
        case ReplyArrived():
            return Excerpt(event.answer.label or "", event.latency_s, line(event.reply.text, EXCERPT))
        case AttemptFailed():
            return Excerpt("", None, line(f"{event.kind}: {event.message}", EXCERPT))
        case _:
            return Excerpt("", None, "")


def place_of(live: LiveRun, key: RowKey, slot: Slot) -> int | None:
    """Where in the journal the slot's last word stands."""
    return live.places.find(key, slot.repeat, slot.ordinal)


def page(
    live: LiveRun, row: Row, slots: Sequence[Slot], known: dict[int, Excerpt], chosen: int, width: int
) -> Content:
    """The lines of `slots`, the one numbered `chosen` marked."""
    key, repeats, samples = (row.variant, row.condition.id), len(row.codes), live.state.samples
    columns = [
        Column(""),
        Column("outcome"),
        Column("sample", least=10),
        Column("category", least=10, leaves=1),
        Column("read"),
        Column("gold"),
        Column("latency", "right", leaves=2),
        Column("reply", least=24),
    ]
    rows = []
    for number, slot in enumerate(slots):
        place = place_of(live, key, slot)
        found = known.get(place, Excerpt("", None, "…")) if place is not None else Excerpt("", None, "")
        name = line(samples.ids[slot.ordinal], 60) + (f" #{slot.repeat + 1}" if repeats > 1 else "")
        rows.append(
            [
                text("▸" if number == chosen else " ", "$text-accent"),
                outcome(Code(row.codes[slot.repeat][slot.ordinal])),
                text(name, "bold" if number == chosen else ""),
                text(line(" / ".join(samples.categories[slot.ordinal]), 40), "$muted"),
                text(line(found.label, 8) or "—", "bold"),
                text(line(samples.golds[slot.ordinal], 8)),
                text(seconds(found.latency_s), "$muted"),
                text(found.words),
            ]
        )
    return _marked(grid(columns, rows, width), chosen, width)


def _marked(table: Content, chosen: int, width: int) -> Content:
    """The table with the chosen line, after that of the titles, reversed."""
    lines = table.split("\n", allow_blank=True)
    at = chosen + 1
    if 0 < at < len(lines):
        lines[at] = lines[at].pad_right(max(0, width - lines[at].cell_length)).stylize("bold on $primary 30%")
    return Content("\n").join(lines)
