"""Which slots of a run the list of samples shows: an outcome, words of the category or id, a disagreement."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from vlbench.scoring.codes import Code
from vlbench.state.fold import RunState
from vlbench.state.rows import Row

ALL: Final = "all"
DISAGREE: Final = "disagree"

OUTCOMES: Final[dict[str, frozenset[Code]]] = {
    "wrong": frozenset({Code.WRONG}),
    "refused": frozenset({Code.REFUSED, Code.BLOCKED}),
    "unparsed": frozenset({Code.UNPARSED}),
    "truncated": frozenset({Code.TRUNCATED}),
    "failed": frozenset({Code.FAILED, Code.UNUSABLE}),
    DISAGREE: frozenset({Code.RIGHT, Code.WRONG}),
    "right": frozenset({Code.RIGHT}),
    "open": frozenset({Code.PENDING}),
    ALL: frozenset(Code),
}
"""What `f` goes through, in this order; `disagree` looks at another variant too."""


@dataclass(frozen=True, slots=True)
class Slot:
    """One sample in one repeat."""

    ordinal: int
    repeat: int


@dataclass(frozen=True, slots=True)
class Sieve:
    """What is let through: an outcome of `OUTCOMES`, and samples of which every word is in id or category."""

    outcome: str = "wrong"
    words: tuple[str, ...] = ()

    @classmethod
    def parse(cls, typed: str, outcome: str = ALL) -> Sieve:
        """The sieve behind what was typed: the first name of an outcome sets it, all else are words."""
        words = typed.lower().split()
        named = next((word for word in words if word in OUTCOMES), None)
        if named is not None:
            words.remove(named)
        return cls(named or outcome, tuple(words))

    def __str__(self) -> str:
        return " ".join((self.outcome, *self.words))

    def slots(self, state: RunState, row: Row) -> list[Slot]:
        """The slots of `row` that pass, in the order of the run."""
        passing = bytes(code in OUTCOMES[self.outcome] for code in range(max(Code) + 1))
        others = _rivals(state, row) if self.outcome == DISAGREE else []
        found = []
        for repeat, codes in enumerate(row.codes):
            for ordinal, passes in enumerate(codes.translate(passing.ljust(256, b"\0"))):
                if not passes or (self.words and not self._says(state, ordinal)):
                    continue
                if self.outcome != DISAGREE or _disagree(row, others, repeat, ordinal):
                    found.append(Slot(ordinal, repeat))
        return found

    def _says(self, state: RunState, ordinal: int) -> bool:
        samples = state.samples
        text = f"{samples.ids[ordinal]} {' '.join(samples.categories[ordinal])}".lower()
        return all(word in text for word in self.words)


def _rivals(state: RunState, row: Row) -> list[Row]:
    """The rows of other variants under the same condition; the LLM base is none."""
    return [
        other
        for other in state.rows.values()
        if other.condition == row.condition and other.variant != row.variant and not other.base
    ]


def _disagree(row: Row, others: list[Row], repeat: int, ordinal: int) -> bool:
    mine = row.codes[repeat][ordinal]
    for other in others:
        if repeat < len(other.codes) and ordinal < len(other.codes[repeat]):
            theirs = other.codes[repeat][ordinal]
            if theirs in OUTCOMES[DISAGREE] and theirs != mine:
                return True
    return False
