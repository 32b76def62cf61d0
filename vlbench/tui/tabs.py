"""The strip that names the screens and marks the one in sight."""

from __future__ import annotations

from collections.abc import Sequence

from textual import events
from textual.content import Content
from textual.message import Message

from vlbench.tui.painted import Painted


class Tabs(Painted):
    """Screens by number and name; a click chooses one."""

    class Chosen(Message):
        """Somebody clicked on the name of a screen."""

        def __init__(self, name: str) -> None:
            super().__init__()
            self.name = name

    def __init__(self, names: Sequence[str], *, id: str) -> None:
        super().__init__(id=id)
        self._names = names

    def mark(self, current: str) -> None:
        """Show `current` as the one in sight."""
        self.paint(Content(" ").join(_tab(at, name, name == current) for at, name in self._numbered))

    @property
    def _numbered(self) -> list[tuple[int, str]]:
        return list(enumerate(self._names, start=1))

    def on_click(self, event: events.Click) -> None:
        right = self.content_region.x
        for at, name in self._numbered:
            right += _tab(at, name, False).cell_length + 1
            if event.screen_x < right:
                self.post_message(self.Chosen(name))
                return


def _tab(number: int, name: str, is_current: bool) -> Content:
    style = "bold reverse" if is_current else "$muted"
    return Content.assemble((f" {number} ", "$text-accent"), (f"{name.capitalize()} ", style))
