"""What is known of one row (a variant under a condition) at one moment of a run."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

from vlbench.scoring.arm import Arm
from vlbench.scoring.codes import Code, new_codes
from vlbench.types import Condition, Usage

OPEN = (Code.PENDING, Code.FAILED)
"""Codes of slots that a resumed run asks again."""

_CODES = tuple(Code)


class Mark(NamedTuple):
    """What a row keeps of one reply: its code, the numbers of its rule and label, whether it was cut off."""

    code: Code
    rule: int
    chosen: int
    cut: bool


@dataclass(slots=True)
class Tokens:
    """Token counts summed over the replies that were paid for (cached ones are not).

    `replies` counts them, each time one came: a slot that was asked again may have paid for two. `told` of
    them came with the tokens they took, and the sums are of these alone.
    """

    input: int = 0
    output: int = 0
    cached_input: int = 0
    reasoning: int = 0
    replies: int = 0
    told: int = 0

    def add(self, usage: Usage) -> None:
        """Count one reply in."""
        self.count(
            usage.input_tokens or 0,
            usage.output_tokens or 0,
            usage.cached_input_tokens or 0,
            usage.reasoning_tokens or 0,
        )

    def count(self, input: int, output: int, cached_input: int, reasoning: int) -> None:
        """Count one reply in; with neither `input` nor `output` it told nothing."""
        self.replies += 1
        self.told += bool(input or output)
        self.input += input
        self.output += output
        self.cached_input += cached_input
        self.reasoning += reasoning


@dataclass(slots=True)
class Row:
    """One code per sample and repeat, with the counters a view needs at every redraw.

    `codes[r][i]` is what became of sample `i` in repeat `r`. Beside it stand, in arrays of the same shape,
    the number of the rule that read the reply, whether the answer was committed before a cut-off (1), and
    the number of the label chosen (0: none); `RunState` keeps the names of rules and labels. Counters follow
    the codes: a slot that is asked again replaces what it was before.
    """

    variant: str
    condition: Condition
    base: bool = False
    codes: list[bytearray] = field(default_factory=list)
    counts: Counter[Code] = field(default_factory=Counter)
    cached: int = 0
    cut: list[bytearray] = field(default_factory=list)
    chosen: list[bytearray] = field(default_factory=list)
    rules: list[bytearray] = field(default_factory=list)
    tokens: Tokens = field(default_factory=Tokens)

    def grow(self, samples: int, repeats: int, unusable: tuple[int, ...]) -> None:
        """Make room for `samples` × `repeats` slots; broken rows are unusable from the start."""
        while len(self.codes) < repeats:
            for arrays in (self.codes, self.rules, self.cut, self.chosen):
                arrays.append(bytearray())
        for repeat, codes in enumerate(self.codes):
            self._extend(codes, samples - len(codes), unusable)
            for arrays in (self.rules, self.cut, self.chosen):
                arrays[repeat].extend(bytes(len(codes) - len(arrays[repeat])))

    def _extend(self, codes: bytearray, by: int, unusable: tuple[int, ...]) -> None:
        if by <= 0:
            return
        first = len(codes)
        codes.extend(new_codes(by))
        self.counts[Code.PENDING] += by
        for ordinal in unusable:
            if first <= ordinal < len(codes):
                codes[ordinal] = Code.UNUSABLE
                self.counts[Code.PENDING] -= 1
                self.counts[Code.UNUSABLE] += 1

    def settle(self, ordinal: int, repeat: int, code: Code) -> None:
        """Record what became of one slot."""
        codes, counts = self.codes[repeat], self.counts
        counts[_CODES[codes[ordinal]]] -= 1
        counts[code] += 1
        codes[ordinal] = code

    def mark(self, ordinal: int, repeat: int, mark: Mark) -> None:
        """Record the reply to one slot."""
        code, rule, chosen, cut = mark
        self.settle(ordinal, repeat, code)
        self.rules[repeat][ordinal] = rule
        self.chosen[repeat][ordinal] = chosen
        self.cut[repeat][ordinal] = cut

    def has(self, ordinal: int, repeat: int) -> bool:
        """Whether there is such a slot."""
        return 0 <= repeat < len(self.codes) and 0 <= ordinal < len(self.codes[repeat])

    def is_open(self, ordinal: int, repeat: int) -> bool:
        """Whether the slot still needs a reply."""
        return self.codes[repeat][ordinal] in OPEN

    def is_settled(self, ordinal: int, repeat: int) -> bool:
        """Whether there is such a slot and it needs no reply any more."""
        return self.has(ordinal, repeat) and not self.is_open(ordinal, repeat)

    @property
    def total(self) -> int:
        return sum(len(codes) for codes in self.codes)

    @property
    def done(self) -> int:
        """Slots with an outcome, failed ones included."""
        return self.total - self.counts[Code.PENDING]

    def arm(self) -> Arm:
        """The row as metrics take it; the arrays are shared, not copied."""
        return Arm(self.variant, self.condition, tuple(self.codes), tuple(self.cut), tuple(self.chosen))

    @property
    def right(self) -> int:
        return self.counts[Code.RIGHT]
