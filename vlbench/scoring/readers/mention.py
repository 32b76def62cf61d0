"""One place where a reply names an option."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from vlbench.scoring.readers.left import Left
from vlbench.scoring.readers.right import Right

Form = Literal["label", "text", "box"]


@dataclass(slots=True)
class Mention:
    """`text[start:end]` of a reduced reply names `labels`: several when they are joined ("A or B").

    `offered` is False for a letter that is no label of the question; `labels` may then be empty. `left` and
    `right` are what stands around it. `isolated` marks a text that counts only as a clause of its own
    ("no"), `alias` another way to say it ("2" for "two"), `text_first` a text with its label ("cat (A)"),
    `dangling` a bracket that was opened before it and cut off. `first_end` and `second` remember the two
    parts of "A, B", `ended` marks a list behind its "and".
    """

    start: int
    end: int
    labels: tuple[str, ...]
    form: Form
    left: Left = field(default_factory=Left)
    right: Right = field(default_factory=Right)
    offered: bool = True
    bracketed: bool = False
    with_text: bool = False
    text_first: bool = False
    isolated: bool = False
    alias: bool = False
    dangling: bool = False
    ends_line: bool = False
    first_end: int = 0
    ended: bool = False
    second: Mention | None = None

    @property
    def alone(self) -> bool:
        """Whether the mention is all its line says."""
        return self.left.kind == "empty" and self.left.edge in {"text", "line"} and self.ends_line
