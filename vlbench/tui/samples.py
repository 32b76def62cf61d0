"""The fourth screen: the samples of one row, sifted, a page at a time."""

from __future__ import annotations

from typing import ClassVar, Final

from textual import events, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.message import Message

from vlbench.state.rows import Row
from vlbench.tui.grid import text
from vlbench.tui.inert import line
from vlbench.tui.overview import heading
from vlbench.tui.painted import Painted
from vlbench.tui.sifting import OUTCOMES, Sieve, Slot
from vlbench.tui.slot_lines import Excerpt, page, place_of, read_excerpt
from vlbench.tui.watched import Watched

MOST_EXCERPTS: Final = 2_000
_TITLES: Final = 1
_WHEEL: Final = 3


class Samples(Vertical, can_focus=True):
    """A list with a cursor. It holds slots, not texts: those of one page are read when it is shown."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", "Up", show=False),
        Binding("down,j", "move(1)", "Down", show=False),
        Binding("pageup", "page(-1)", "Page up", show=False),
        Binding("pagedown,space", "page(1)", "Page down", show=False),
        Binding("home", "first", "First", show=False),
        Binding("end", "last", "Last", show=False),
        Binding("enter", "inspect", "Inspect"),
        Binding("f", "next_outcome", "Next filter"),
    ]

    class Inspect(Message):
        """Somebody wants to see a sample whole."""

        def __init__(self, row: Row, slot: Slot) -> None:
            super().__init__()
            self.row = row
            self.slot = slot

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.sieve = Sieve()
        self.newest_first = False
        self._row_number = 0
        self._at = 0
        self._slots: list[Slot] = []
        self._known: dict[int, Excerpt] = {}
        self._asked: set[int] = set()
        self._watched: Watched | None = None
        self._sifted: tuple[object, ...] = ()

    def compose(self) -> ComposeResult:
        yield Painted(id="samples-title")
        yield Painted(id="samples-page")

    @property
    def row(self) -> Row | None:
        """The row whose samples are listed."""
        rows = list(self._watched.state.rows.values()) if self._watched else []
        return rows[self._row_number % len(rows)] if rows else None

    @property
    def slot(self) -> Slot | None:
        """The slot under the cursor."""
        return self._slots[self._at] if self._at < len(self._slots) else None

    @property
    def slots(self) -> list[Slot]:
        """All slots that pass the filter, in the order they are listed."""
        return self._slots

    def show(self, watched: Watched) -> None:
        """Draw what has changed; the list is sifted anew only when replies came."""
        self._watched = watched
        row = self.row
        if row is None:
            self.query_one("#samples-title", Painted).paint(text("No samples yet.", "$muted"))
            return
        basis = (row.variant, row.condition.id, self.sieve, self.newest_first, tuple(row.counts.items()))
        if basis != self._sifted:
            self._sifted = basis
            self._sift(watched, row)
        self._draw(watched, row)

    def _sift(self, watched: Watched, row: Row) -> None:
        kept = self.slot
        self._slots = self.sieve.slots(watched.state, row)
        if self.newest_first:
            key = (row.variant, row.condition.id)
            self._slots.sort(key=lambda slot: -(place_of(watched.live, key, slot) or -1))
        # The cursor stays on its sample while the list grows around it.
        if kept is not None and kept in self._slots:
            self._at = self._slots.index(kept)
        self._at = max(0, min(self._at, len(self._slots) - 1))

    @property
    def _height(self) -> int:
        return max(1, self.content_size.height - 2 - _TITLES)

    @property
    def _first(self) -> int:
        return self._at // self._height * self._height

    def _draw(self, watched: Watched, row: Row) -> None:
        title, body = self.query_one("#samples-title", Painted), self.query_one("#samples-page", Painted)
        shown = self._slots[self._first : self._first + self._height]
        where = f"{self._at + 1:,} of {len(self._slots):,}" if self._slots else "none"
        order = " · newest first" if self.newest_first else ""
        title.paint(
            heading(f"{line(row.variant)} · {row.condition.id}", f"{line(str(self.sieve))} · {where}{order}")
            + "\n"
        )
        if not shown:
            body.paint(text("No sample passes the filter. f: next outcome, /: type one.", "$muted"))
            return
        key = (row.variant, row.condition.id)
        places = [place for slot in shown if (place := place_of(watched.live, key, slot)) is not None]
        missing = [place for place in places if place not in self._known and place not in self._asked]
        if missing:
            self._asked.update(missing)
            self._read(missing)
        body.paint(page(watched.live, row, shown, self._known, self._at - self._first, body.width))

    @work(thread=True, exit_on_error=False)
    def _read(self, places: list[int]) -> None:
        assert self._watched is not None
        live = self._watched.live
        self.app.call_from_thread(self._learn, {place: read_excerpt(live, place) for place in places})

    def _learn(self, found: dict[int, Excerpt]) -> None:
        self._asked.difference_update(found)
        if len(self._known) > MOST_EXCERPTS:
            self._known.clear()
        self._known.update(found)
        self._again()

    def _again(self) -> None:
        if self._watched is not None and self.row is not None:
            self.show(self._watched)

    def _from_the_top(self) -> None:
        self._at, self._slots, self._sifted = 0, [], ()
        self._again()

    def sift(self, sieve: Sieve) -> None:
        """List what passes `sieve`, from the top."""
        self.sieve = sieve
        self._from_the_top()

    def choose(self, step: int) -> None:
        """List another row."""
        self._row_number += step
        self._from_the_top()

    def next_sort(self) -> None:
        """In the order of the run, or the newest first."""
        self.newest_first = not self.newest_first
        self._again()

    def action_next_outcome(self) -> None:
        """Sift by the next outcome."""
        names = list(OUTCOMES)
        following = names[(names.index(self.sieve.outcome) + 1) % len(names)]
        self.sift(Sieve(following, self.sieve.words))

    def action_move(self, step: int) -> None:
        """Move the cursor by lines."""
        self._at = max(0, min(self._at + step, len(self._slots) - 1))
        self._again()

    def action_page(self, step: int) -> None:
        """Move the cursor by pages."""
        self.action_move(step * self._height)

    def action_first(self) -> None:
        """To the first line."""
        self.action_move(-len(self._slots))

    def action_last(self) -> None:
        """To the last line."""
        self.action_move(len(self._slots))

    def action_inspect(self) -> None:
        """Show the sample under the cursor whole."""
        row, slot = self.row, self.slot
        if row is not None and slot is not None:
            self.post_message(self.Inspect(row, slot))

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        self.action_move(_WHEEL)
        event.stop()

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        self.action_move(-_WHEEL)
        event.stop()

    def on_click(self, event: events.Click) -> None:
        body = self.query_one("#samples-page", Painted)
        number = event.screen_y - body.content_region.y - _TITLES
        target = self._first + number
        if 0 <= number < self._height and target < len(self._slots):
            if self._at == target:
                self.action_inspect()
            else:
                self.action_move(target - self._at)
