"""Taking journal lines in quickly: a view that opens a long run reads hundreds of thousands of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from vlbench.errors import StoreError
from vlbench.state.events import AttemptFailed, ReplyArrived, parse_event
from vlbench.state.fold import RunState
from vlbench.state.places import Places
from vlbench.state.rows import Mark
from vlbench.types import Answer, Usage

_USAGE: Final = frozenset(Usage.model_fields)
_MOST_MARKS: Final = 4096

Line = Mapping[str, Any]  # Any: JSON that nobody has checked yet


class Intake:
    """The way of journal lines into a state, and of where they stand into `places`."""

    def __init__(self, state: RunState, places: Places) -> None:
        self.state = state
        self.places = places
        # Few answers differ in more than their span, and checking one takes as long as parsing its line.
        self._marks: dict[tuple[object, ...], Mark] = {}

    def take(self, line: Line, offset: int) -> None:
        """Take in the line that begins at `offset`, checked as a whole. StoreError when it is no event."""
        event = parse_event(line)
        self.state.apply(event)
        if isinstance(event, ReplyArrived) or (isinstance(event, AttemptFailed) and event.final):
            key, ordinal = (event.variant, event.condition), self.state.ordinal(event.sample)
            self.places.note(key, event.repeat, ordinal, offset)

    def take_plain(self, line: Line, offset: int) -> bool:
        """Do what `take` does with a reply that is as the engine writes it, several times as fast.

        Only what counts is checked, not the text of the reply. False, and nothing changed, for any other
        line.
        """
        state, get = self.state, line.get
        if get("event") != "reply" or state.reader is not None:
            return False
        repeat, cached = get("repeat", 0), get("cached", False)
        try:
            # Whatever stands where a text should, no row or sample is found by it.
            key = line["variant"], line["condition"]
            row, ordinal = state.rows[key], state.ordinal(line["sample"])
            seq, time, paid = line["seq"], line["time"], _paid(line["reply"])
            if type(seq) is not int or type(time) is not float or type(cached) is not bool:
                return False
            if type(repeat) is not int or not row.has(ordinal, repeat):
                return False
            mark = self._mark(line["answer"], state.samples.golds[ordinal])
        except (StoreError, KeyError, TypeError, AttributeError, ValueError):
            return False
        state.last_seq, state.last_time = seq, time
        row.mark(ordinal, repeat, mark)
        if cached:
            row.cached += 1
        else:
            state.requests += 1
            row.tokens.count(*paid)
        self.places.note(key, repeat, ordinal, offset)
        return True

    def _mark(self, body: dict[str, Any], gold: str) -> Mark:  # Any: JSON
        """What is kept of an answer. Raises ValueError, TypeError or AttributeError when it is not plain."""
        rest = body.copy()
        if (span := rest.pop("span", None)) is not None:
            start, end = span
            if type(start) is not int or type(end) is not int:
                raise ValueError
        facts = gold, *rest.items()
        mark = self._marks.get(facts)
        if mark is None:
            if len(self._marks) >= _MOST_MARKS:
                self._marks.clear()
            mark = self._marks[facts] = self.state.mark_of(Answer.model_validate(rest), gold)
        return mark


def _paid(reply: Line) -> tuple[int, int, int, int]:
    """Tokens as `Tokens.count` takes them. Raises ValueError or AttributeError when they are not plain."""
    usage = reply.get("usage", {})
    for name, count in usage.items():
        if type(count) is not int or name not in _USAGE:
            raise ValueError
    get = usage.get
    return (
        get("input_tokens", 0),
        get("output_tokens", 0),
        get("cached_input_tokens", 0),
        get("reasoning_tokens", 0),
    )
