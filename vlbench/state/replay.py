"""Taking journal lines in quickly: a view that opens a long run reads hundreds of thousands of them."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import JsonValue, ValidationError

from vlbench.state.events import parse_event
from vlbench.state.fold import RunState
from vlbench.types import Answer, Usage


def take_in(state: RunState, line: Mapping[str, JsonValue]) -> None:
    """Apply one journal line to `state`; the result is that of `state.apply(parse_event(line))`.

    Of a reply only what counts is checked, not its text: that is what makes it quick. Raises StoreError for
    a line that is no event.
    """
    if line.get("event") != "reply" or state.reader is not None or not _take_reply(state, line):
        state.apply(parse_event(line))


def _take_reply(state: RunState, line: Mapping[str, JsonValue]) -> bool:
    """Whether the line was a sound reply; nothing is changed when it was not."""
    try:
        reply, repeat = line["reply"], line.get("repeat", 0)
        variant, condition, sample = line["variant"], line["condition"], line["sample"]
        seq, time = line["seq"], line["time"]
        answer = Answer.model_validate(line["answer"])
        usage = Usage.model_validate(reply.get("usage", {})) if isinstance(reply, dict) else None
    except (KeyError, ValidationError):
        return False
    if (
        usage is None
        or not (isinstance(variant, str) and isinstance(condition, str) and isinstance(sample, str))
        or not (isinstance(seq, int) and isinstance(repeat, int) and isinstance(time, int | float))
    ):
        return False
    state.last_seq, state.last_time = seq, float(time)
    paid = None if line.get("cached") else usage
    state.settle(variant, condition, state.ordinal(sample), repeat, answer, paid)
    return True
