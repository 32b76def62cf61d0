"""Messages for wires that keep the system text apart and want user and assistant to alternate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from vlbench.adapters.body import Shape, turns_of
from vlbench.types import Message, Part, Request, TextPart


@dataclass(frozen=True, slots=True)
class Turn:
    role: Literal["user", "assistant"]
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Conversation:
    """The text that steers the model ("" for none), the turns, and what was changed for the server."""

    system: str
    turns: tuple[Turn, ...]
    adjustments: tuple[str, ...] = ()


def conversation(request: Request, shape: Shape) -> Conversation:
    """The messages of `request`: system texts joined, neighbours of one role made one turn.

    Texts without a character are left out: both vendors reject them.
    """
    messages, adjustments = turns_of(request, shape)
    system = "\n\n".join(
        p.text for m in messages if m.role == "system" for p in m.parts if isinstance(p, TextPart) and p.text
    )
    turns: list[Turn] = []
    for message in messages:
        if message.role != "system":
            _append(turns, Turn(message.role, _said(message)))
    return Conversation(system, tuple(turns), tuple(adjustments))


def _said(message: Message) -> tuple[Part, ...]:
    return tuple(p for p in message.parts if not (isinstance(p, TextPart) and not p.text))


def _append(turns: list[Turn], turn: Turn) -> None:
    if turns and turns[-1].role == turn.role:
        turn = Turn(turn.role, turns.pop().parts + turn.parts)
    turns.append(turn)
