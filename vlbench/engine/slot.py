"""The unit of a run's work: one sample under one condition, asked of one variant for the n-th time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from vlbench.engine.plan import PlannedRow
from vlbench.engine.work import Work
from vlbench.scoring.codes import Code
from vlbench.types import Sample


@dataclass(frozen=True, slots=True)
class Slot:
    """One reply that is wanted. `again` bypasses the cache: the reply there is was not good enough."""

    row: PlannedRow
    ordinal: int
    sample: Sample
    repeat: int
    again: bool = False


def open_slots(work: Work, rows: Sequence[PlannedRow]) -> Iterator[Slot]:
    """What `rows` still need: slots without a reply, and those whose reply the user wants asked again."""
    return _slots(work, rows, lambda code: code in (Code.PENDING, Code.FAILED), work.again)


def failed_slots(work: Work, rows: Sequence[PlannedRow]) -> Iterator[Slot]:
    """Slots of `rows` that have failed by the time they are reached."""
    return _slots(work, rows, lambda code: code == Code.FAILED, frozenset())


def _slots(
    work: Work, rows: Sequence[PlannedRow], wanted: Callable[[int], bool], again: frozenset[Code]
) -> Iterator[Slot]:
    """Sample by sample, so that all conditions of one travel together; each is read when it is reached."""
    state = work.state
    for ordinal in range(work.samples):
        sample: Sample | None = None
        for row in rows:
            kept = state.rows[row.variant.id, row.condition.id]
            for repeat in range(work.repeats):
                code = kept.codes[repeat][ordinal]
                if wanted(code) or code in again:
                    sample = sample or state.samples.get(ordinal)
                    yield Slot(row, ordinal, sample, repeat, again=code in again)
