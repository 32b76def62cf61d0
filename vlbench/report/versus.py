"""From one run or two on disk to what a comparison of their variants says."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import combinations, product

from vlbench.errors import UsageError
from vlbench.printable import printable
from vlbench.report.cleaned import cleaned
from vlbench.report.versus_data import Duel, Side, Versus
from vlbench.report.versus_manifests import differing
from vlbench.scoring.arm import Arm
from vlbench.scoring.codes import Code
from vlbench.scoring.comparison import compare
from vlbench.scoring.facts import Facts
from vlbench.scoring.intervals import RESAMPLES
from vlbench.scoring.readers import registry
from vlbench.scoring.readers.reader import Reader
from vlbench.state.loaded import LoadedRun, loaded
from vlbench.state.rows import Row
from vlbench.store.run_dir import RunDir
from vlbench.store.samples import SampleIndex


def open_versus(
    first: RunDir, second: RunDir | None = None, reader: str | None = None, *, categories: bool = False
) -> Versus:
    """The variants of `first` against each other, or against those of `second`, all by one answer reader.

    Every reply is read again by `reader` (the strict one for None). Variants of two runs are matched by their
    ids; when none match, each of the one meets each of the other. Raises UsageError when there is nothing to
    compare, a sample has two golds, or the reader is unknown; StoreError for a run that cannot be read.
    """
    directories = [first] if second is None else [first, second]
    readers = [
        registry.reader_for(one.manifest().benchmark.name, reader or registry.DEFAULT) for one in directories
    ]
    with ExitStack() as stack:
        runs = [stack.enter_context(loaded(one, by)) for one, by in zip(directories, readers, strict=True)]
        return cleaned(_versus(_named(runs), readers, by_category=categories))


@dataclass(frozen=True, slots=True)
class _Entrant:
    """A run by the name it has in the comparison."""

    name: str
    run: LoadedRun

    @property
    def samples(self) -> SampleIndex:
        return self.run.samples

    @property
    def rows(self) -> list[Row]:
        return list(self.run.state.rows.values())

    def sides(self) -> list[Side]:
        return [Side(self.name, variant) for variant in dict.fromkeys(row.variant for row in self.rows)]

    def rows_of(self, side: Side) -> list[_RowOf]:
        return [_RowOf(side, row) for row in self.rows if row.variant == side.variant]


def _named(runs: Sequence[LoadedRun]) -> list[_Entrant]:
    """The runs by their names; two of one name, which lie in two workspaces, are told apart."""
    names = [run.manifest.run for run in runs]
    if len(set(names)) < len(names):
        names = [f"{name} ({place})" for name, place in zip(names, ("first", "second"), strict=True)]
    return [_Entrant(name, run) for name, run in zip(names, runs, strict=True)]


def _versus(runs: Sequence[_Entrant], readers: Sequence[Reader], *, by_category: bool) -> Versus:
    left, right = runs[0], runs[-1]
    shared = _shared(left, right)
    matches = _within(left) if len(runs) == 1 else _across(left, right)
    facts = _facts(left.samples, shared.first, by_category=by_category)
    duels = [
        _duel(facts, shared, first, second)
        for match in matches
        for first in left.rows_of(match.first)
        for second in right.rows_of(match.second)
        if first.row.condition == second.row.condition
    ]
    if not duels:
        raise UsageError(_nothing_to_compare(runs, matches))
    # Tables are by condition; the order of the pairs stays inside each.
    order = list(dict.fromkeys(duel.condition for duel in duels))
    duels.sort(key=lambda duel: order.index(duel.condition))
    met = {side for duel in duels for side in (duel.first, duel.second)}
    return Versus(
        runs=tuple(run.name for run in runs),
        benchmark=left.run.manifest.benchmark.name,
        readers=tuple(dict.fromkeys(reader.id for reader in readers)),
        levels=left.run.manifest.benchmark.levels,
        samples=len(shared.first),
        only_first=len(left.samples) - len(shared.first),
        only_second=len(right.samples) - len(shared.second),
        unmatched=tuple(side for run in runs for side in run.sides() if side not in met),
        differing=differing({run.name: run.run.manifest for run in runs}, duels),
        duels=tuple(duels),
    )


@dataclass(frozen=True, slots=True)
class _Shared:
    """The ordinals of the samples both runs have, in the order of the first."""

    first: list[int]
    second: list[int]


def _shared(left: _Entrant, right: _Entrant) -> _Shared:
    places = {sample: at for at, sample in enumerate(right.samples.ids)}
    first = [at for at, sample in enumerate(left.samples.ids) if sample in places]
    second = [places[left.samples.ids[at]] for at in first]
    names = f"{left.name} and {right.name}"
    if not first:
        raise UsageError(f"{names} have no sample in common. Compare runs of the same benchmark or file.")
    for mine, theirs in zip(first, second, strict=True):
        if mine in left.samples.problems or theirs in right.samples.problems:
            continue  # A broken row may lack its gold, and is not compared.
        golds = left.samples.golds[mine], right.samples.golds[theirs]
        if golds[0] != golds[1]:
            sample, one, other = map(printable, (left.samples.ids[mine], *golds))
            raise UsageError(
                f"The sample {sample!r} has the right answer {one!r} in {left.name} and {other!r} in "
                f"{right.name}: these are not the same questions. Compare runs on the same data, "
                "with the options in the same order."
            )
    return _Shared(first, second)


def _facts(samples: SampleIndex, ordinals: Sequence[int], *, by_category: bool) -> Facts:
    return Facts.of(
        categories=[samples.categories[at] if by_category else () for at in ordinals],
        groups=[samples.groups[at] for at in ordinals],
        golds=[samples.golds[at] for at in ordinals],
        options=[samples.option_counts[at] for at in ordinals],
    )


@dataclass(frozen=True, slots=True)
class _Match:
    """Two variants to be compared."""

    first: Side
    second: Side


@dataclass(frozen=True, slots=True)
class _RowOf:
    """A row with the side it is of."""

    side: Side
    row: Row


def _within(run: _Entrant) -> list[_Match]:
    return [_Match(*pair) for pair in combinations(run.sides(), 2)]


def _across(left: _Entrant, right: _Entrant) -> list[_Match]:
    theirs = {side.variant: side for side in right.sides()}
    same = [_Match(side, theirs[side.variant]) for side in left.sides() if side.variant in theirs]
    return same or [_Match(*pair) for pair in product(left.sides(), theirs.values())]


def _duel(facts: Facts, shared: _Shared, first: _RowOf, second: _RowOf) -> Duel:
    arms = _arm(first.row, shared.first), _arm(second.row, shared.second)
    whole, *categories = compare(facts, *arms, resamples=RESAMPLES)
    slots = [
        pair
        for codes in zip(arms[0].repeats, arms[1].repeats, strict=False)
        for pair in zip(*codes, strict=True)
    ]
    return Duel(
        condition=first.row.condition.id,
        first=first.side,
        second=second.side,
        left_out=len(slots) - whole.pairs,
        pending=sum(Code.PENDING in pair for pair in slots),
        overall=whole,
        categories=tuple(sorted(categories, key=lambda one: one.path)),
    )


def _arm(row: Row, ordinals: Sequence[int]) -> Arm:
    """The row on the samples at `ordinals` alone, in their order."""
    # A run that was killed while it grew has samples that no row knows of yet.
    repeats = tuple(
        bytes(codes[at] if at < len(codes) else Code.PENDING for at in ordinals) for codes in row.codes
    )
    return Arm(row.variant, row.condition, repeats)


def _nothing_to_compare(runs: Sequence[_Entrant], matches: Sequence[_Match]) -> str:
    for run in runs:
        if not run.rows:
            return f"{run.name} has not begun. Start with: vlbench resume {run.run.manifest.run}"
    if not matches:
        name = runs[0].name
        return f"{name} has one variant. Name a second run to compare it with: vlbench compare {name} OTHER"
    shown = "; ".join(f"{row.variant} under {row.condition.id}" for run in runs for row in run.rows)
    return f"No two variants were asked under the same condition ({printable(shown, 400)})."
