"""Questions the view asks, and its help: small windows over the screen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Button, Input, Label

from vlbench.tui.grid import Column, grid, text
from vlbench.tui.inert import line

Leaving = Literal["detach", "stop", "stay"]

ABOUT = """\
A pair is one sample with and without its picture.
MG, the multi-modal gain: accuracy with the picture minus accuracy without.
ML, the leakage: accuracy without the picture. ML*: what of it is beyond the text-only LLM base.
Numbers are percent; ± is half of the 95 % interval. Provisional until every pair is in.
accuracy counts everything that is not right as not right: refused, unparsed, cut off and failed too."""


class LeaveDialog(ModalScreen[Leaving]):
    """Asks what becomes of a run that goes on while its view is left."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("d,q", "choose('detach')", "Detach"),
        # Who presses it twice wants the run to stop.
        Binding("s,ctrl+c", "choose('stop')", "Stop"),
        Binding("escape", "choose('stay')", "Stay"),
        Binding("left,up", "app.focus_previous", show=False),
        Binding("right,down", "app.focus_next", show=False),
    ]

    def __init__(self, run: str) -> None:
        super().__init__()
        self._run = run

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            yield Label(f"The run {line(self._run, 60)} goes on.", markup=False, classes="dialog-title")
            yield Label("Without this view it goes on just the same, and can be watched again.", markup=False)
            yield Button("d  Leave it running and detach", id="detach")
            yield Button("s  Stop when what is in flight is finished (resumable)", id="stop")
            yield Button("esc  Stay here", id="stay")

    def on_button_pressed(self, event: Button.Pressed) -> None:
        match event.button.id:
            case "detach" | "stop" as chosen:
                self.dismiss(chosen)
            case _:
                self.dismiss("stay")

    def action_choose(self, what: Leaving) -> None:
        """Close with this answer."""
        self.dismiss(what)


class SureDialog(ModalScreen[bool]):
    """Asks before something that cannot be taken back."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "choose(True)", "Yes"),
        Binding("n,escape,q", "choose(False)", "No"),
    ]

    def __init__(self, question: str, yes: str) -> None:
        super().__init__()
        self._question = question
        self._yes = yes

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            yield Label(line(self._question, 200), markup=False, classes="dialog-title")
            yield Button(f"y  {self._yes}", id="yes")
            yield Button("n  No", id="no")

    def on_button_pressed(self, event: Button.Pressed) -> None:
        self.dismiss(event.button.id == "yes")

    def action_choose(self, yes: bool) -> None:
        """Close with this answer."""
        self.dismiss(yes)


class FilterDialog(ModalScreen[str | None]):
    """Takes a filter for the list of samples; None when it was left."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", "Back")]

    def __init__(self, typed: str, outcomes: Sequence[str]) -> None:
        super().__init__()
        self._typed = typed
        self._outcomes = outcomes

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            yield Label("Filter the samples", markup=False, classes="dialog-title")
            yield Input(self._typed, placeholder="wrong colour", id="filter")
            yield Label(f"One of: {', '.join(self._outcomes)}", markup=False, classes="dim")
            yield Label("and any words of the category or the sample's id.", markup=False, classes="dim")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        self.dismiss(event.value)


class HelpScreen(ModalScreen[None]):
    """All keys, and what the numbers mean."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q,question_mark,enter", "dismiss", "Back")]

    def __init__(self, keys: Sequence[tuple[str, str]]) -> None:
        super().__init__()
        self._keys = keys

    def compose(self) -> ComposeResult:
        rows = [[text(key, "bold $text-accent"), text(what)] for key, what in self._keys]
        table = grid([Column("key"), Column("does", least=10)], rows, 66)
        with VerticalScroll(classes="dialog help"):
            yield Label("Keys", markup=False, classes="dialog-title")
            yield Label(table)
            yield Label(Content(f"\n{ABOUT}"))
