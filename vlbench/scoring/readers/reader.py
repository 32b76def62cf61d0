"""What a reader is, and what every reader says when it found no label."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from vlbench.types import Answer, Outcome, Reply


@dataclass(frozen=True, slots=True)
class Reader:
    """A named, versioned, pure function from a reply and the options shown to an answer.

    It never raises, whatever the text, and never returns a label outside `options` (label to text, in the
    order shown). `version` grows whenever any reply could be read differently.
    """

    name: str
    version: int
    doc: str
    function: Callable[[Reply, Mapping[str, str]], Answer]

    @property
    def id(self) -> str:
        """What reports and journals name, such as `strict@1`."""
        return f"{self.name}@{self.version}"

    def read(self, reply: Reply, options: Mapping[str, str]) -> Answer:
        """The answer `reply` gives to a question with these `options`."""
        return self.function(reply, options)


def unread(reply: Reply, reason: str) -> Answer:
    """The answer without a label, with the outcome that the way the reply ended calls for."""
    detail = f" ({reply.finish_detail})" if reply.finish_detail else ""
    if reply.finish == "blocked":
        return Answer(outcome=Outcome.BLOCKED, reason=f"the provider blocked the reply{detail}")
    if reply.finish == "refused":
        return Answer(outcome=Outcome.REFUSED, reason=f"the provider reports a refusal{detail}")
    if reply.finish == "length":
        return Answer(outcome=Outcome.TRUNCATED, reason=f"cut off at the output limit; {reason}")
    return Answer(outcome=Outcome.UNPARSED, reason=reason)


def credited(reply: Reply, labels: Iterable[str], rule: str, span: tuple[int, int] | None = None) -> Answer:
    """What a lenient rule accepts: the first of `labels`, the others in `also`; `unread` when none."""
    found = tuple(dict.fromkeys(labels))
    if not found:
        return unread(reply, f"the rule {rule} accepts no label")
    cut = reply.finish == "length"
    return Answer(outcome=Outcome.ANSWERED, label=found[0], also=found[1:], rule=rule, span=span, cut=cut)
