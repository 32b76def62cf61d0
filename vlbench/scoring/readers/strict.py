"""The default reader: the last commitment wins, an explicit statement beats a place, and nothing is guessed.

A reply is reduced to plain text without its thinking (`thinking`, `normalise`), the places that name an
option are found (`labels`, `option_texts`, `mentions`), the words around each one are weighed (`left`,
`right`) and one table of rules says which of them commit the reply (`rules`, `decision`). Replies longer than
9,000 characters are read at their head and tail only.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from vlbench.scoring.readers.choices import Choices, choices, lowered
from vlbench.scoring.readers.decision import decide
from vlbench.scoring.readers.lexicon import failure_in, refusal_in
from vlbench.scoring.readers.normalise import Edit, Plain, plain
from vlbench.scoring.readers.reader import Reader, unread
from vlbench.scoring.readers.reading import Reading
from vlbench.scoring.readers.rules import STATING, WINDOWED
from vlbench.scoring.readers.thinking import HEAD, TAIL, Visible, run_on, visible
from vlbench.types import Answer, Outcome, Reply

RESTATED = 2
_LONGEST_BARE = 24
_BARE = re.compile(r"[\s(\[{\"'*_`$]{0,6}(\w{1,12})[\s)\]}\"'*_`$.,:;!]{0,6}", re.ASCII)


def _windows(text: str, seen: Visible) -> Plain:
    """The visible ranges of `text`, joined; of a long one the first 3,000 and the last 6,000 characters."""
    ranges = list(seen.ranges)
    if seen.length > HEAD + TAIL:
        first, last = ranges[0], ranges[-1]
        head = (first[0], min(first[1], first[0] + HEAD))
        ranges = [head, (max(last[1] - TAIL, last[0], head[1]), last[1])]
    if ranges == [(0, len(text))]:
        return Plain(text)
    pieces, edits, written = list[str](), list[Edit](), 0
    read = 0
    for start, end in ranges:
        gap = "\n" if pieces else ""
        edits.append(Edit(written, written + len(gap), read, start))
        pieces += (gap, text[start:end])
        written += len(gap) + end - start
        read = end
    return Plain("".join(pieces), (tuple(edits),))


def _bare(reply: Reply, options: Mapping[str, str]) -> Answer | None:
    """The commonest reply, one label and nothing else, without looking at the options' texts."""
    match = _BARE.fullmatch(reply.text) if len(reply.text) <= _LONGEST_BARE else None
    if match is None:
        return None
    name = match[1]
    label = name if name in options else next((o for o in options if o.lower() == name.lower()), None)
    if label is None:
        return None
    cut = reply.finish == "length"
    return Answer(outcome=Outcome.ANSWERED, label=label, rule="bare", span=match.span(1), cut=cut)


def _silent(reply: Reply, seen: Visible) -> Answer:
    """The answer of a reply that says nothing outside its thinking."""
    if seen.open and reply.finish in {"stop", "length"}:
        return Answer(outcome=Outcome.TRUNCATED, reason="the thinking block never ends")
    thought = seen.thought or reply.reasoning
    return unread(reply, "there is thinking but no answer after it" if thought else "the reply is empty")


def _without_label(reply: Reply, text: str, reason: str, seen: Visible) -> Answer:
    if reply.finish != "stop":
        return unread(reply, reason)
    if seen.open:
        return Answer(outcome=Outcome.TRUNCATED, reason="the thinking block never ends")
    low = lowered(text)
    if failure_in(low):
        return unread(reply, "the text is an error message, not an answer")
    if refusal := refusal_in(low):
        return Answer(outcome=Outcome.REFUSED, reason=f"declines: {text[refusal.start() : refusal.end()]!r}")
    return unread(reply, reason)


def _answered(reply: Reply, source: Plain, reading: Reading) -> Answer:
    span = source.origin(reading.start, reading.end)
    cut = reply.finish == "length"
    return Answer(outcome=Outcome.ANSWERED, label=reading.label, rule=reading.rule, span=span, cut=cut)


def _windowed(answer: Answer) -> Answer:
    """The answer, saying that the middle of the reply was not looked at."""
    if answer.label is not None:
        return answer.model_copy(update={"rule": answer.rule + WINDOWED})
    reason = f"{answer.reason} (only its first {HEAD:,} and last {TAIL:,} characters were read)"
    return answer.model_copy(update={"reason": reason})


def _turns(shown: Plain, options: Choices) -> tuple[Plain, ...]:
    """What to read in turn: the reply up to an invented next question, else all of it.

    All of it is only read after that when it restates two of this question's options or more.
    """
    end = run_on(shown.text)
    if end is None:
        return (shown,)
    rest = lowered(shown.text[end:])
    restated = sum(text in rest for text in options.own.values() if text)
    head = shown.cut(0, end)
    return (head, shown) if restated >= RESTATED and not refusal_in(head.text.lower()) else (head,)


def _read(reply: Reply, options: Mapping[str, str]) -> Answer:
    if reply.finish == "blocked" or not options:
        return unread(reply, "the question has no options")
    if bare := _bare(reply, options):
        return bare
    seen = visible(reply.text)
    answer = _read_visible(reply, choices(options), seen)
    return _windowed(answer) if seen.length > HEAD + TAIL else answer


def _read_visible(reply: Reply, prepared: Choices, seen: Visible) -> Answer:
    shown = _windows(reply.text, seen)
    for visible_text in _turns(shown, prepared):
        source = plain(visible_text.text)
        source = Plain(source.text, (*visible_text.passes, *source.passes))
        if not source.text.strip():
            return _silent(reply, seen)
        reading = decide(source.text, prepared, cut=reply.finish == "length")
        if reading.label is not None and reading.rule not in STATING and failure_in(source.text.lower()):
            return unread(reply, "the text is an error message, not an answer")
        if reading.label is not None:
            return _answered(reply, source, reading)
    return _without_label(reply, source.text, reading.reason, seen)


STRICT = Reader(
    name="strict",
    version=1,
    doc="The last commitment wins, an explicit statement beats a place, and nothing is guessed.",
    function=_read,
)
