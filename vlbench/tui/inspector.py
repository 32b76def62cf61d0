"""One sample whole: its pictures, the question, the reply as it came, and how the label was read."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import ClassVar, Final

from rich.console import RenderableType
from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Footer, Static
from textual.worker import get_current_worker

from vlbench.errors import StoreError
from vlbench.media.read import ImageReader
from vlbench.scoring.codes import Code
from vlbench.state.events import ReplyArrived
from vlbench.state.rows import Row
from vlbench.tui.details import Detail, facts, missed, question, read_detail, reply, title, unexplained
from vlbench.tui.grid import text
from vlbench.tui.inert import line
from vlbench.tui.overview import heading
from vlbench.tui.painted import Painted
from vlbench.tui.picture import drawn
from vlbench.tui.powers import WhyMissed
from vlbench.tui.sifting import Slot
from vlbench.tui.watched import Watched

NARROW: Final = 100
_MOST_PICTURES: Final = 4
_LINGER_S: Final = 0.25


class Inspector(Screen[None]):
    """Shows one slot; the arrows go through the list it came from, the brackets through the rows."""

    # Up and down go through the text; the pictures are made to fit.
    AUTO_FOCUS = "#inspector-text"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,enter", "dismiss", "Back"),
        Binding("left,p", "step(-1)", "Previous", key_display="←"),
        Binding("right,n", "step(1)", "Next", key_display="→"),
        Binding("left_square_bracket", "other(-1)", "Other row", show=False, key_display="["),
        Binding("right_square_bracket", "other(1)", "Other row", key_display="[ ]"),
        Binding("c", "copy", "Copy reply"),
    ]

    def __init__(
        self,
        watched: Watched,
        row: Row,
        slots: Sequence[Slot],
        slot: Slot,
        why_missed: WhyMissed | None = None,
    ) -> None:
        super().__init__()
        self._why_missed = why_missed
        self._watched = watched
        self._row = row
        self._slots = list(slots) or [slot]
        self._at = self._slots.index(slot) if slot in self._slots else 0
        self._images = ImageReader()
        self.detail: Detail | None = None

    def compose(self) -> ComposeResult:
        yield Painted(id="inspector-title")
        with Horizontal(id="inspector-body"):
            with VerticalScroll(id="inspector-pictures"):
                yield Static(id="pictures", markup=False)
            with VerticalScroll(id="inspector-text"):
                yield Painted(id="question")
                yield Painted(id="reply")
                yield Painted(id="facts")
                yield Painted(id="missed")
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        self._load()

    def on_unmount(self) -> None:
        self._images.close()

    def on_resize(self) -> None:
        self.set_class(self.size.width < NARROW, "-narrow")
        if self.detail is not None:
            self._load()

    def action_step(self, step: int) -> None:
        """Show the next or the previous sample of the list."""
        self._at = (self._at + step) % len(self._slots)
        self._load()

    def action_other(self, step: int) -> None:
        """Show the same sample as another row has it."""
        rows = list(self._watched.state.rows.values())
        self._row = rows[(rows.index(self._row) + step) % len(rows)]
        self._load()

    def action_copy(self) -> None:
        """Copy the raw reply."""
        event = self.detail.event if self.detail else None
        if isinstance(event, ReplyArrived):
            self.app.copy_to_clipboard(event.reply.text)
            self.notify("The reply was copied.", markup=False)

    @work(thread=True, exclusive=True, exit_on_error=False)
    def _load(self) -> None:
        row, slot, live = self._row, self._slots[self._at], self._watched.live
        repeat = min(slot.repeat, len(row.codes) - 1)
        known = slot.ordinal < len(row.codes[repeat])
        code = Code(row.codes[repeat][slot.ordinal]) if known else Code.PENDING
        key = (row.variant, row.condition.id)
        try:
            detail = read_detail(live, key, Slot(slot.ordinal, repeat), code)
        except (StoreError, IndexError) as error:
            self.app.call_from_thread(self.notify, line(str(error), 400), severity="error", markup=False)
            return
        self.app.call_from_thread(self._show, detail)
        self.app.call_from_thread(self._show_pictures, self._pictures(detail))
        self._explain(detail)

    def _explain(self, detail: Detail) -> None:
        """Say why the reply was not in the cache. A large cache takes seconds to look through."""
        event, worker = detail.event, get_current_worker()
        if not isinstance(event, ReplyArrived) or event.cached or self._why_missed is None:
            return
        # Whoever leafs through the samples does not want each of them explained.
        time.sleep(_LINGER_S)
        if worker.is_cancelled:
            return
        try:
            words = missed(self._why_missed(event.key, lambda: worker.is_cancelled))
        except StoreError as error:
            words = unexplained(str(error))
        if not worker.is_cancelled:
            self.app.call_from_thread(self.query_one("#missed", Painted).paint, words)

    def _pictures(self, detail: Detail) -> list[RenderableType]:
        """Every picture of the sample with a line on what it is; they are there to compare with the reply."""
        from rich.text import Text

        narrow = self.size.width < NARROW
        width = self.size.width - 6 if narrow else self.size.width * 2 // 5
        height = max(6, self.size.height // 3 if narrow else self.size.height - 8)
        refs = detail.sample.images[:_MOST_PICTURES]
        shown: list[RenderableType] = []
        for number, ref in enumerate(refs, start=1):
            shown.append(drawn(self._images, ref, width, max(4, height // len(refs) - 2)))
            kind = line(ref.media_type.removeprefix("image/"), 20)
            shown.append(
                Text(f"picture {number}: {ref.width} × {ref.height} {kind}, {ref.size:,} bytes", "dim")
            )
        if not refs:
            shown.append(Text("This sample has no picture.", "dim"))
        elif detail.condition != "image":
            shown.append(Text(f"Under {detail.condition} the model was not shown this.", "dim italic"))
        return shown

    def _show(self, detail: Detail) -> None:
        self.detail = detail
        of = text(f"  {self._at + 1:,} of {len(self._slots):,}", "$muted")
        self.query_one("#inspector-title", Painted).paint(title(detail) + of)
        self.query_one("#question", Painted).paint(heading("Question") + "\n" + question(detail))
        self.query_one("#reply", Painted).paint("\n" + heading("Reply") + "\n" + reply(detail))
        self.query_one("#facts", Painted).paint("\n" + heading("How it was read") + "\n" + facts(detail))
        self.query_one("#missed", Painted).paint(Content(""))

    def _show_pictures(self, shown: list[RenderableType]) -> None:
        from rich.console import Group

        self.query_one("#pictures", Static).update(Group(*shown))
