"""The screens of the view, its keys, and what the help says about them."""

from __future__ import annotations

from typing import Final

from textual.binding import Binding, BindingType

PANES: Final = ("overview", "categories", "lanes", "samples", "errors", "log")

ALWAYS: Final = frozenset({"theme", "help", "command_palette"})
OURS: Final = frozenset(
    {"pane", "filter", "sort", "choose", "side_by_side", "pause", "concurrency", "drop", "retry", "report"}
    | {"copy", "leave"}
)
"""What keys do on the main screen only; over it, they belong to the window that is open."""

BINDINGS: Final[list[BindingType]] = [
    *(
        Binding(str(number), f"pane('{name}')", name.capitalize(), show=False)
        for number, name in enumerate(PANES, start=1)
    ),
    Binding("left_square_bracket", "choose(-1)", "Previous", key_display="["),
    Binding("right_square_bracket", "choose(1)", "Next", key_display="]"),
    Binding("a", "side_by_side", "All providers"),
    Binding("slash", "filter", "Filter", key_display="/"),
    Binding("s", "sort", "Sort"),
    Binding("p", "pause", "Pause"),
    Binding("plus,equals_sign", "concurrency(1)", "More at once", key_display="+"),
    Binding("minus", "concurrency(-1)", "Fewer", key_display="-"),
    Binding("x", "drop", "Drop lane"),
    Binding("r", "retry", "Retry failed", show=False),
    Binding("o", "report", "Report", show=False),
    Binding("c", "copy", "Copy", show=False),
    Binding("t", "theme", "Light/dark", show=False),
    Binding("question_mark", "help", "Help", key_display="?"),
    Binding("q,ctrl+c", "leave", "Quit", priority=False),
]

HELP: Final = (
    ("1 to 6", "overview, categories, lanes, samples, errors, log"),
    ("/", "filter the samples by outcome, category or id"),
    ("f", "next outcome in the list of samples"),
    ("s", "sort what is shown"),
    ("[ and ]", "previous and next provider or row"),
    ("a", "categories of all providers side by side"),
    ("enter", "inspect a sample: pictures, question, raw reply"),
    ("p", "pause the run, go on"),
    ("+ and -", "more and fewer requests in flight in the chosen lane"),
    ("x", "drop the chosen lane"),
    ("r", "ask again what failed"),
    ("o", "write the report now"),
    ("c", "copy what is shown"),
    ("t", "light or dark"),
    ("ctrl+p", "command palette"),
    ("q", "leave: detach and let the run go on, or stop it"),
)
