"""One exchange in no wire format: what was asked, and what the simulated model does with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from pydantic import JsonValue

from vlbench.types import Finish


@dataclass(frozen=True, slots=True)
class Turn:
    """One message; `parts` are texts and encoded pictures in the order sent."""

    role: str
    parts: tuple[str | bytes, ...]


@dataclass(frozen=True, slots=True)
class Asked:
    """A request as a model sees it. `fields` is everything else of the body, by its names on the wire."""

    model: str
    turns: tuple[Turn, ...]
    fields: Mapping[str, JsonValue] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """All texts, one below the other."""
        return "\n".join(p for t in self.turns for p in t.parts if isinstance(p, str))

    @property
    def images(self) -> list[bytes]:
        """All pictures in the order sent."""
        return [p for t in self.turns for p in t.parts if isinstance(p, bytes)]


@dataclass(frozen=True, slots=True)
class Said:
    """A reply. With `finish="refused"` the text is sent in the wire's own place for refusals."""

    text: str
    finish: Finish = "stop"
    reasoning: str = ""


@dataclass(frozen=True, slots=True)
class Failed:
    """An error answer in the wire's own form, or `body` as it stands when it is given.

    `retry_delay_s` is a wait named in the body, as Google's APIs do.
    """

    status: int
    code: str | int | None = None
    message: str = "simulated"
    param: str | None = None
    headers: tuple[tuple[str, str], ...] = ()
    retry_delay_s: float | None = None
    body: bytes | None = None


@dataclass(frozen=True, slots=True)
class Broken:
    """No answer: silence until the client goes, or a connection cut in the middle of the response."""

    how: Literal["stall", "cut"]


Step = str | Said | Failed | Broken
Model = Callable[[Asked], Step]


def count_tokens(text: str, images: int = 0) -> int:
    """A rough and stable count: four characters a token, 258 a picture."""
    return (len(text) + 3) // 4 + 258 * images
