"""A walk over a run's replies: what other readers find in them, what the servers said of themselves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from vlbench.printable import printable
from vlbench.report.data import ComparedRow, Difference, ReaderComparison
from vlbench.scoring.codes import Code
from vlbench.scoring.facts import Facts
from vlbench.scoring.readers.reader import Reader
from vlbench.scoring.scores import Scores, score
from vlbench.state.events import AttemptFailed, ReplyArrived, RunStarted, parse_event
from vlbench.state.fold import RunState
from vlbench.state.loaded import LoadedRun
from vlbench.state.rows import Row
from vlbench.store import journal

EXCERPT: Final = 160
"""Characters of a reply shown beside two readings of it."""

_Slot = tuple[str, str, str, int]


@dataclass(frozen=True, slots=True)
class RepliesRead:
    """What the walk found. `readers` read the replies when they arrived; the rest is by variant id."""

    readers: tuple[str, ...]
    reported: dict[str, tuple[str, ...]]
    adjustments: dict[str, tuple[str, ...]]
    comparisons: tuple[ReaderComparison, ...]


@dataclass(slots=True)
class _Other:
    """The same run as another reader sees it; None takes the answers as journalled."""

    reader: Reader | None
    state: RunState
    differences: dict[_Slot, Difference] = field(default_factory=dict)


def read_replies(
    run: LoadedRun, facts: Facts, scores: Scores, others: Sequence[Reader | None] = ()
) -> RepliesRead:
    """Walk over the journal once and compare the run's reading with that of each of `others`.

    None among them stands for the answers as journalled. Raises StoreError for a damaged journal.
    """
    sides = [_Other(reader, RunState(run.samples, reader)) for reader in others]
    golds = dict(zip(run.samples.ids, run.samples.golds, strict=True))
    readers: dict[str, None] = {}
    reported: dict[str, dict[str, None]] = {}
    adjustments: dict[str, dict[str, None]] = {}
    for line in journal.read(run.directory.journal_path):
        event = parse_event(line.event)
        if event.seq > run.state.last_seq:
            break  # the run goes on: the report stays with the moment it was loaded at
        if isinstance(event, ReplyArrived):
            readers[event.reader] = None
            if event.reply.model:
                reported.setdefault(event.variant, {})[event.reply.model] = None
            adjustments.setdefault(event.variant, {}).update(dict.fromkeys(event.reply.adjustments))
            for side in sides:
                _compare(run.state, side, event, golds[event.sample])
        elif isinstance(event, RunStarted | AttemptFailed):
            for side in sides:
                side.state.apply(event)
    written = ", ".join(readers)
    if None in others:
        # The same reading as the journal's would only be shown twice.
        sides = [side for side in sides if side.reader is None or side.reader.id != written]
    return RepliesRead(
        tuple(readers),
        {variant: tuple(models) for variant, models in reported.items()},
        {variant: tuple(found) for variant, found in adjustments.items()},
        tuple(_comparison(run, facts, scores, side, tuple(readers)) for side in sides),
    )


def _compare(state: RunState, side: _Other, event: ReplyArrived, gold: str) -> None:
    mine, theirs = state.answer_of(event), side.state.answer_of(event)
    name = side.reader.id if side.reader else event.reader
    # Under the other reader's own name its answer is taken as it is, so each reply is read only once.
    side.state.apply(event.model_copy(update={"answer": theirs, "reader": name}))
    slot = (event.variant, event.condition, event.sample, event.repeat)
    right, other_right = mine.credits(gold), theirs.credits(gold)
    if right == other_right and (mine.outcome, mine.label) == (theirs.outcome, theirs.label):
        side.differences.pop(slot, None)  # an earlier reply of the slot was replaced by this one
        return
    side.differences[slot] = Difference(
        *slot,
        gold=gold,
        answer=mine,
        right=right,
        other_answer=theirs,
        other_right=other_right,
        reply=printable(event.reply.text, EXCERPT),
    )


def _comparison(
    run: LoadedRun, facts: Facts, scores: Scores, side: _Other, journalled: tuple[str, ...]
) -> ReaderComparison:
    rows = list(run.state.rows.values())
    others = list(side.state.rows.values())
    theirs = score(facts, [row.arm() for row in others])
    compared = []
    for row, other, mine, their in zip(rows, others, scores.rows, theirs.rows, strict=True):
        only_first, only_other = _disagreements(row, other)
        compared.append(
            ComparedRow(
                variant=row.variant,
                condition=row.condition.id,
                value=mine.overall.value,
                other=their.overall.value,
                other_right=their.overall.right,
                total=their.overall.total,
                other_interval=their.overall.interval,
                other_coverage=their.overall.coverage,
                only_first=only_first,
                only_other=only_other,
            )
        )
    return ReaderComparison(
        other=side.reader.id if side.reader else ", ".join(journalled),
        journalled=side.reader is None,
        rows=tuple(compared),
        verdict_changes=sum(row.only_first + row.only_other for row in compared),
        differences=tuple(sorted(side.differences.values(), key=lambda one: not one.changes_verdict)),
    )


def _disagreements(first: Row, other: Row) -> tuple[int, int]:
    """How many slots only the first, and only the other reader has right."""
    pairs = [
        (mine == Code.RIGHT, theirs == Code.RIGHT)
        for some, more in zip(first.codes, other.codes, strict=True)
        for mine, theirs in zip(some, more, strict=True)
    ]
    return pairs.count((True, False)), pairs.count((False, True))
