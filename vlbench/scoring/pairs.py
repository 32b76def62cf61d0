"""Two arms side by side, sample by sample: the ground of every difference.

Repeat r of one side is paired with repeat r of the other. A pair counts when neither side is pending, failed
or unusable; whatever else is not right counts as not right.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from vlbench.scoring.codes import Code
from vlbench.scoring.facts import Facts, Level, Path
from vlbench.scoring.intervals import (
    Clusters,
    Interval,
    bootstrap,
    effective_sizes,
    paired_difference,
    wilson,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from vlbench.scoring.arm import CodeGrid

    IntArray = NDArray[np.int64]

# A pair's kind is 2 * (first right) + (second right), in the order of the fields of PairCounts.
_KINDS = 5
_NO_PAIR = 4


@dataclass(frozen=True, slots=True)
class PairCounts:
    """Pairs of one category by which side is right; `missing` ones do not count."""

    neither: int
    only_second: int
    only_first: int
    both: int
    missing: int

    @property
    def pairs(self) -> int:
        return self.neither + self.only_second + self.only_first + self.both

    @property
    def first(self) -> float | None:
        """The share of pairs that the first side has right, 0..1; None without pairs."""
        return (self.both + self.only_first) / self.pairs if self.pairs else None

    @property
    def second(self) -> float | None:
        """The share of pairs that the second side has right, 0..1; None without pairs."""
        return (self.both + self.only_second) / self.pairs if self.pairs else None


@dataclass(frozen=True, slots=True)
class Paired:
    """One category's pairs with 95 % intervals: of the difference first - second, and of the second's share.

    `first_ahead` and `second_ahead` count clusters in which one side has more right than the other.
    """

    counts: PairCounts
    difference: Interval | None
    second: Interval | None
    first_ahead: int
    second_ahead: int


def pair(facts: Facts, first: CodeGrid, second: CodeGrid, *, resamples: int = 0) -> dict[Path, Paired]:
    """Both sides (repeats, samples) paired, by category: the whole run first, then coarse before fine.

    The difference's interval is the bootstrap's when `resamples` is set (and can tell anything), else the
    closed form. Clusters come in when samples share pictures or are repeated. Repeats that only one side
    has are left out.
    """
    import numpy as np

    repeats = min(len(first), len(second))
    first, second = first[:repeats], second[:repeats]
    counts = _counted(first) & _counted(second)
    first_right, second_right = first == Code.RIGHT, second == Code.RIGHT
    kinds = np.where(counts, 2 * first_right + second_right, _NO_PAIR)
    sides = _Sides(
        kinds=kinds,
        sizes=counts.sum(axis=0),
        difference=((kinds == 2).sum(axis=0) - (kinds == 1).sum(axis=0)),
        second=((counts & second_right).sum(axis=0)),
        is_clustered=facts.shares_pictures or repeats > 1,
        resamples=resamples,
    )
    return {path: paired for level in facts.levels for path, paired in _level_pairs(level, sides).items()}


@dataclass(frozen=True, slots=True, eq=False)
class _Sides:
    """Both sides per sample: the kind of every pair (repeats, samples) and sums over repeats (samples,)."""

    kinds: IntArray
    sizes: IntArray
    difference: IntArray
    second: IntArray
    is_clustered: bool
    resamples: int


def _counted(grid: CodeGrid) -> NDArray[np.bool_]:
    import numpy as np

    return ~np.isin(grid, [Code.PENDING, Code.FAILED, Code.UNUSABLE])


def _level_pairs(level: Level, sides: _Sides) -> dict[Path, Paired]:
    import numpy as np

    width = len(level.paths)
    table = np.bincount((level.index * _KINDS + sides.kinds).ravel(), minlength=(width + 1) * _KINDS)
    rows = table.reshape(-1, _KINDS)[:width]
    counts = [PairCounts(*row) for row in rows.tolist()]
    clusters = Clusters.of(level, sides.difference, sides.sizes, rows[:, 1] + rows[:, 2])
    ahead = (clusters.counts @ (clusters.sums > 0)).tolist()
    behind = (clusters.counts @ (clusters.sums < 0)).tolist()
    sizes = second_sizes = [float(count.pairs) for count in counts]
    if sides.is_clustered:
        second = Clusters.of(level, sides.second, sides.sizes, rows[:, 1] + rows[:, 3])
        sizes, second_sizes = effective_sizes(clusters).tolist(), effective_sizes(second).tolist()
    return {
        path: Paired(
            count,
            _difference(count, sizes[at], clusters, at, sides),
            None
            if count.second is None
            else wilson(count.second, second_sizes[at], clustered=sides.is_clustered),
            ahead[at],
            behind[at],
        )
        for at, (path, count) in enumerate(zip(level.paths, counts, strict=True))
    }


def _difference(
    counts: PairCounts, size: float, clusters: Clusters, at: int, sides: _Sides
) -> Interval | None:
    if not counts.pairs:
        return None
    drawn = None
    if sides.resamples:
        drawn = bootstrap(clusters.sums, clusters.sizes, clusters.counts[at], resamples=sides.resamples)
    scale = size / counts.pairs
    return drawn or paired_difference(
        counts.only_first * scale, counts.only_second * scale, size, clustered=sides.is_clustered
    )
