"""What a comparison of variants says, as plain named types. Proportions are fractions, None if undefined."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from vlbench.scoring.comparison import Comparison

SCHEMA_VERSION: Final = 1
"""Of the JSON document; grows whenever a field is renamed, removed or changes its meaning."""


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two that are compared: a variant of a run."""

    run: str
    variant: str


@dataclass(frozen=True, slots=True)
class Duel:
    """Two variants under one condition, on the samples both runs have.

    `left_out` counts samples (every repeat of each) for which one of the two failed, is unusable or has no
    reply yet; `pending` are those of them without a reply yet. `categories` is empty when they were not
    asked for.
    """

    condition: str
    first: Side
    second: Side
    left_out: int
    pending: int
    overall: Comparison
    categories: tuple[Comparison, ...]


@dataclass(frozen=True, slots=True)
class Stated:
    """What the manifest says of one run or variant (`who`)."""

    who: str
    value: str


@dataclass(frozen=True, slots=True)
class Differing:
    """Something that was not the same for all that are compared."""

    what: str
    stated: tuple[Stated, ...]


@dataclass(frozen=True, slots=True)
class Versus:
    """The variants of one run, or of two, compared pairwise under every condition they share.

    `runs` are one or two names, told apart where they are the same. `samples` are those that both have;
    `only_first` and `only_second` count the samples that one run alone has. `unmatched` are variants that
    were compared with no other. `readers` are the ids of the readers of all answers: one, unless two
    benchmarks have different official ones. `levels` name the levels of the category paths.
    """

    runs: tuple[str, ...]
    benchmark: str
    readers: tuple[str, ...]
    levels: tuple[str, ...]
    samples: int
    only_first: int
    only_second: int
    unmatched: tuple[Side, ...]
    differing: tuple[Differing, ...]
    duels: tuple[Duel, ...]
