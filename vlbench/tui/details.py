"""Everything about one sample under one condition, read from disk in a thread and laid out as text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from textual.content import Content

from vlbench.catalog.prices import cost
from vlbench.errors import StoreError
from vlbench.scoring.codes import Code
from vlbench.state.events import AnyEvent, AttemptFailed, ReplyArrived
from vlbench.state.fold import RowKey
from vlbench.state.tail import LiveRun
from vlbench.store.why import Difference, Explanation
from vlbench.tui.figures import money, seconds
from vlbench.tui.grid import text
from vlbench.tui.inert import block, excerpt, line
from vlbench.tui.sifting import Slot
from vlbench.tui.words import HINTS, outcome
from vlbench.types import Sample, Variant

LABEL_STYLE: Final = "bold reverse $text-accent"
_LABEL: Final = 10
_LONG: Final = 4_000
_DIFFERENCES: Final = 6
_VALUE: Final = 48


@dataclass(frozen=True, slots=True)
class Detail:
    """One slot: the sample, and the reply or failure that decided it (None: neither came yet)."""

    sample: Sample
    variant: Variant | None
    condition: str
    repeat: int
    code: Code
    event: AnyEvent | None
    cost: float | None
    problem: str = ""


def read_detail(live: LiveRun, key: RowKey, slot: Slot, code: Code) -> Detail:
    """Read the sample and its reply; what cannot be read is said in `problem`. Raises StoreError only
    when the sample itself is lost.
    """
    variant = next((one for one in live.manifest.variants if one.id == key[0]), None)
    sample = live.state.samples.get(slot.ordinal)
    place = live.places.find(key, slot.repeat, slot.ordinal)
    event: AnyEvent | None = None
    problem = ""
    if place is not None:
        try:
            event = live.event_at(place)
        except StoreError as error:
            problem = str(error)
    dollars = cost(variant.price, event.reply.usage) if variant and isinstance(event, ReplyArrived) else None
    return Detail(sample, variant, key[1], slot.repeat, code, event, dollars, problem)


def title(detail: Detail) -> Content:
    """Which sample of whom, and what became of it."""
    who = detail.variant.id if detail.variant else ""
    repeat = f" · repeat {detail.repeat + 1}" if detail.repeat else ""
    return Content.assemble(
        outcome(detail.code),
        (f"  {line(detail.sample.id, 80)}", "bold"),
        (f"  {line(who, 80)} · {detail.condition}{repeat}", "$muted"),
    )


def question(detail: Detail) -> Content:
    """The question, its options, the gold one marked, and the one that was read."""
    sample, read = detail.sample, _label_read(detail)
    parts = [excerpt(sample.question[:_LONG], None, "")]
    for label, words in sample.options.items():
        mark = "✓" if label == sample.gold else ("✗" if label == read else " ")
        style = "$text-success" if label == sample.gold else ("$text-error" if label == read else "")
        said = "  ← read" if label == read else ("  ← gold" if label == sample.gold else "")
        parts.append(
            Content.assemble(
                (f"{mark} {line(label, 8)}  {line(words, 400)}", style),
                (said, "$muted"),
            )
        )
    categories = " / ".join(sample.categories)
    parts.append(text(f"{line(categories, 120)}  gold {line(sample.gold, 20)}", "$muted"))
    if sample.problem:
        parts.append(text(f"! {line(sample.problem, 300)}", "$text-error"))
    return Content("\n").join(parts)


def _label_read(detail: Detail) -> str | None:
    return detail.event.answer.label if isinstance(detail.event, ReplyArrived) else None


def reply(detail: Detail) -> Content:
    """The raw reply with the characters marked from which the label was read, or what failed."""
    match detail.event:
        case ReplyArrived() as event:
            shown = excerpt(event.reply.text, event.answer.span, LABEL_STYLE)
            if not event.reply.text:
                shown = text("(an empty reply)", "$muted")
            if event.reply.reasoning:
                thought = block(event.reply.reasoning[:_LONG])
                shown = Content.assemble((thought, "$muted"), "\n\n", shown)
            return shown
        case AttemptFailed() as event:
            hint = HINTS.get(event.kind, "")
            return Content.assemble(
                (f"{event.kind}: {line(event.message, 1000)}", "$text-error"), (f"\n→ {hint}", "$text-accent")
            )
        case _:
            return text(line(detail.problem, 400) or "No reply yet.", "$muted")


def facts(detail: Detail) -> Content:
    """How the label was read, and what the reply took: attempts, time, tokens, cost, key."""
    event = detail.event
    if not isinstance(event, ReplyArrived):
        return Content("")
    answer, usage = event.answer, event.reply.usage
    because = f"rule {answer.rule}" if answer.rule else answer.reason
    rows = [
        ("read", f"{answer.label or '—'}  {because}  ({event.reader})"),
        ("finish", _finish(event)),
        ("attempts", str(event.attempts)),
        ("latency", seconds(event.latency_s)),
        ("tokens", f"{_number(usage.input_tokens)} in, {_number(usage.output_tokens)} out"),
        ("cost", "nothing, from the cache" if event.cached else money(detail.cost)),
        ("model", event.reply.model),
        ("cache", "hit" if event.cached else "miss"),
        ("key", event.key),
    ]
    return Content("\n").join(_fact(name, words) for name, words in rows)


def missed(found: Explanation | None) -> Content:
    """Why the reply was not in the cache when it was asked for: the stored request most like it."""
    if found is None:
        return _fact("missed", "its own reply is no longer stored, so there is nothing to compare with")
    if found.nearest is None:
        return _fact("missed", "nothing was stored before it was asked")
    count = len(found.differences)
    less = f", the first {_DIFFERENCES} of {count}" if count > _DIFFERENCES else ""
    among = (
        f"the nearest of {found.compared:,} stored before" if found.compared > 1 else "the one stored before"
    )
    lines = [_fact("missed", f"{among} differs in (stored → asked{less}):")]
    for one in found.differences[:_DIFFERENCES]:
        lines += _difference(one)
    return Content("\n").join(lines)


def _difference(one: Difference) -> list[Content]:
    """On one line where that is short, else the two values below each other."""
    short = f"{one.path}: {one.old} → {one.new}"
    if len(short) <= _VALUE:
        return [_fact("", short)]
    old, new = line(one.old, _VALUE), line(one.new, _VALUE)
    return [_fact("", one.path), _fact("  stored", old), _fact("  asked", new)]


def unexplained(problem: str) -> Content:
    """Why it cannot be said why a reply was not in the cache."""
    return _fact("missed", problem)


def _fact(name: str, words: str) -> Content:
    return Content.assemble((f"{name:<{_LABEL}}", "$muted"), line(words, 300))


def _finish(event: ReplyArrived) -> str:
    """Why the reply ended, in our word and, where it differs, in the provider's."""
    ours, theirs = event.reply.finish, event.reply.finish_detail
    words = ours if theirs in ("", ours) else f"{ours} ({theirs})"
    return f"{words}; cut off after its label" if event.answer.cut else words


def _number(count: int | None) -> str:
    return "—" if count is None else f"{count:,}"
