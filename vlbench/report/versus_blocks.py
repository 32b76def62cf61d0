"""A comparison of variants laid out for people, the same for terminal and Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final, Literal

from vlbench.report.figures import NONE, bounds, count, difference, percent
from vlbench.report.layout import Block, Caution, Column, Heading, Note, Table
from vlbench.report.versus_data import Duel, Versus
from vlbench.scoring.comparison import Comparison

Verdict = Literal["ahead", "chance", "undecided", "nothing"]

LEVEL: Final = 0.05
"""One is said to be ahead when p is below this and the 95 % interval leaves out 0."""

_WORDS: Final[dict[Verdict, str]] = {
    "ahead": "A difference that chance alone would seldom make",
    "chance": "No difference that chance would not make (the interval holds 0)",
    "undecided": "Undecided, for the interval and p say different things",
    "nothing": "Nothing to compare, for no sample has a reply of both",
}

_CATEGORY_NOTE: Final = (
    "p is not corrected for looking at many categories: some fall below 0.05 by chance. With few pairs the "
    "interval can be too narrow; p is exact."
)
_LEGEND: Final = (
    "Diff.: first − second, in points, with its 95 % interval. Ahead: in how many samples (groups, where "
    "samples share pictures or are repeated) one has more right. p: McNemar's exact test, two-sided."
)


def verdict(comparison: Comparison) -> Verdict:
    """What may be said of a difference. Chance is named only when the interval holds 0."""
    interval = comparison.interval
    if interval is None:
        return "nothing"
    holds_zero, is_rare = interval.low <= 0 <= interval.high, comparison.p_value < LEVEL
    if holds_zero == is_rare:
        return "undecided"
    return "chance" if holds_zero else "ahead"


def versus_blocks(versus: Versus) -> tuple[Block, ...]:
    """Everything a comparison for people shows; what limits the numbers comes before them."""
    blocks: list[Block] = [Heading(_heading(versus)), Note(_samples(versus))]
    blocks += _cautions(versus)
    for condition, duels in groupby(versus.duels, lambda duel: duel.condition):
        blocks += _condition(versus, condition, list(duels))
    blocks.append(Note(_LEGEND))
    if len(versus.duels) > 1:
        blocks.append(Note(f"p is not corrected for looking at {count(len(versus.duels))} comparisons."))
    tables = [_categories(versus, duel) for duel in versus.duels if duel.categories]
    blocks += tables
    if tables:
        blocks.append(Note(_CATEGORY_NOTE))
    return tuple(blocks)


def _heading(versus: Versus) -> str:
    if len(versus.runs) == 1:
        return f"Variants of {versus.runs[0]} · {versus.benchmark}"
    return f"{versus.runs[0]} (first) and {versus.runs[1]} (second) · {versus.benchmark}"


def _samples(versus: Versus) -> str:
    text = f"{count(versus.samples)} samples compared"
    if len(versus.runs) == 2:
        first, second = versus.runs
        text = f"{count(versus.samples)} samples that both runs have are compared"
        text += f"; left out: {count(versus.only_first)} that only {first} has, "
        text += f"{count(versus.only_second)} that only {second} has"
    return f"{text}. All replies read by {', '.join(versus.readers)}."


def _cautions(versus: Versus) -> Iterator[Block]:
    if any(duel.pending for duel in versus.duels):
        yield Caution("PROVISIONAL: replies are still missing, so these numbers will change.")
    for one in versus.differing:
        stated = "; ".join(f"{item.who}: {item.value}" for item in one.stated)
        yield Caution(f"Not the same for all: {one.what} ({stated}).")
    if len(versus.readers) > 1:
        yield Caution("The two runs are read by different readers: part of a difference may be theirs.")
    if versus.unmatched:
        names = ", ".join(f"{side.variant} of {side.run}" for side in versus.unmatched)
        yield Note(f"Without a counterpart, so not compared: {names}.")


def _condition(versus: Versus, condition: str, duels: Sequence[Duel]) -> Iterator[Block]:
    # The same id on both sides says nothing twice: the heading tells which run is first.
    is_same = all(duel.first.variant == duel.second.variant for duel in duels)
    names = [Column("variant")] if is_same else [Column("first"), Column("second")]
    table = Table(f"Accuracy shown {condition}", (*names, *_columns(wide=not is_same)))
    for duel in duels:
        named = (duel.first.variant, duel.second.variant)[: len(names)]
        table.add(*named, *_figures(duel.overall))
    yield table
    for kind, words in _WORDS.items():
        told = [_told(duel, kind) for duel in duels if verdict(duel.overall) == kind]
        if told:
            yield Note(f"{words}: {'; '.join(told)}.")
    left_out = [duel for duel in duels if duel.left_out]
    if left_out:
        numbers = "; ".join(f"{count(duel.left_out)} of {_pair(duel)}" for duel in left_out)
        yield Note(f"Left out, for one of the two failed, is unusable or has no reply yet: {numbers}.")


def _columns(*, wide: bool = False) -> tuple[Column, ...]:
    """The columns of figures; the number of pairs gives way beside two names when `wide`."""
    return (
        Column("pairs", right=True, wide=wide),
        Column("first %", right=True),
        Column("second %", right=True),
        Column("diff.", right=True),
        Column("95 % CI", right=True),
        Column("first ahead", right=True),
        Column("second ahead", right=True),
        Column("p", right=True),
    )


def _figures(one: Comparison) -> tuple[str, ...]:
    return (
        count(one.pairs),
        percent(one.first),
        percent(one.second),
        difference(one.difference),
        bounds(one.interval),
        count(one.first_ahead),
        count(one.second_ahead),
        _p(one),
    )


def _p(one: Comparison) -> str:
    if not one.pairs:
        return NONE
    return "<0.001" if one.p_value < 0.001 else f"{one.p_value:.3f}"


def _told(duel: Duel, kind: Verdict) -> str:
    if kind != "ahead":
        return _pair(duel)
    first, second = _names(duel)
    return f"{first} over {second}" if (duel.overall.difference or 0) > 0 else f"{second} over {first}"


def _pair(duel: Duel) -> str:
    return " and ".join(_names(duel))


def _names(duel: Duel) -> tuple[str, str]:
    if duel.first.variant != duel.second.variant:
        return duel.first.variant, duel.second.variant
    return f"{duel.first.variant} of {duel.first.run}", f"{duel.second.variant} of {duel.second.run}"


def _categories(versus: Versus, duel: Duel) -> Table:
    """One line per category, its parts indented below it; the whole run last."""
    levels = " and ".join(versus.levels) or "category"
    table = Table(f"{_pair(duel)}, shown {duel.condition}, by {levels}", (Column("category"), *_columns()))
    for one in duel.categories:
        table.add("  " * (len(one.path) - 1) + one.path[-1], *_figures(one))
    table.add("all", *_figures(duel.overall))
    return table
