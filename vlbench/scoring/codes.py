"""One byte for what became of one sample: the whole input of every metric is arrays of these."""

from __future__ import annotations

from enum import IntEnum

from vlbench.types import Outcome


class Code(IntEnum):
    """What became of one sample of one variant under one condition, in one repeat.

    `RIGHT` and `WRONG` are the two verdicts on an `answered` outcome; the others are the outcomes that hold
    no answer. `PENDING` (0, so a fresh `bytearray` is all pending) has no outcome yet. In memory only: a
    journal stores names.
    """

    PENDING = 0
    RIGHT = 1
    WRONG = 2
    UNPARSED = 3
    REFUSED = 4
    BLOCKED = 5
    TRUNCATED = 6
    FAILED = 7
    UNUSABLE = 8


def code_of(outcome: Outcome, right: bool) -> Code:
    """The code of an outcome; `right` is the verdict and counts only when the outcome is `answered`."""
    if outcome is Outcome.ANSWERED:
        return Code.RIGHT if right else Code.WRONG
    return _WITHOUT_ANSWER[outcome]


def new_codes(samples: int) -> bytearray:
    """An array with every one of `samples` pending."""
    return bytearray(samples)


_WITHOUT_ANSWER = {
    Outcome.UNPARSED: Code.UNPARSED,
    Outcome.REFUSED: Code.REFUSED,
    Outcome.BLOCKED: Code.BLOCKED,
    Outcome.TRUNCATED: Code.TRUNCATED,
    Outcome.FAILED: Code.FAILED,
    Outcome.UNUSABLE: Code.UNUSABLE,
}
