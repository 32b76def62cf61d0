"""What a rule of the grammar is, and how much its commitments weigh."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum

from vlbench.scoring.readers.mention import Mention


class Rank(IntEnum):
    """How much a commitment weighs. `NONE` is no commitment; a `TENTATIVE` one must be the only one."""

    NONE = 0
    TENTATIVE = 1
    PLACE = 2
    CLAUSE = 3
    HEDGED = 4
    STATED = 5


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of mention. `examples` are replies with the label they are read as (None for no label)."""

    name: str
    rank: Rank
    doc: str
    fits: Callable[[Mention], bool]
    examples: tuple[tuple[str, str | None], ...]
