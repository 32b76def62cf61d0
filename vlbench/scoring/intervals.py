"""Uncertainty of proportions and of paired differences, as fractions 0..1 and 95 % intervals.

Samples that share pictures, and repeats of one sample, are not independent. Where a run has either, clusters
(samples with common pictures, with all their repeats) are the unit: the variance between clusters is turned
into an effective number of independent samples, never more than there are, and put into the same formulas.
That number rests on the clusters of its category; below some twenty of them it is itself uncertain.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING, Literal

from vlbench.scoring.facts import Level

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    IntArray = NDArray[np.int64]
    FloatArray = NDArray[np.float64]

Z = 1.959963984540054
"""The 97.5 % quantile of the normal distribution."""
RESAMPLES = 2_000
SEED = 20_240_329
"""Fixed, so that the same journal always prints the same interval."""

# A table of categories x kinds with more cells than this is first rid of the kinds that do not occur.
_LARGE_TABLE = 1 << 20

Method = Literal["wilson", "wilson-clustered", "paired", "paired-clustered", "bootstrap"]


@dataclass(frozen=True, slots=True)
class Interval:
    """A 95 % interval and how it was made; fractions, -1..1 for a difference."""

    low: float
    high: float
    method: Method

    def clipped(self, low: float, high: float) -> Interval:
        """The part of it within the bounds; an interval outside of them shrinks to the nearer bound."""
        return Interval(min(max(self.low, low), high), min(max(self.high, low), high), self.method)


@dataclass(frozen=True, slots=True, eq=False)
class Clusters:
    """Clusters counted by kind: those with the same sum and number of values are interchangeable.

    Kind j has the sum `sums[j]` over `sizes[j]` values; `counts` (categories, kinds) is how many of each kind
    a category has. `squares` (categories,) are the sums of squared values.
    """

    sums: IntArray
    sizes: IntArray
    counts: IntArray
    squares: IntArray

    @classmethod
    def of(cls, level: Level, sums: IntArray, sizes: IntArray, squares: IntArray) -> Clusters:
        """Gather per-sample sums and sizes (samples,), |sum| <= size, into the clusters of `level`."""
        import numpy as np

        clusters, categories = len(level.cluster_index), len(level.paths)
        index = level.cluster_index
        if clusters == len(level.index):
            index = level.index
        else:
            sums = np.bincount(level.cluster, sums, clusters).astype(np.int64)
            sizes = np.bincount(level.cluster, sizes, clusters).astype(np.int64)
        most = int(sizes.max(initial=0))
        kind = (sums + most) * (most + 1) + sizes
        kinds = np.arange((2 * most + 1) * (most + 1))
        if (categories + 1) * len(kinds) > _LARGE_TABLE:
            kinds, kind = np.unique(kind, return_inverse=True)
        table = np.bincount(index * len(kinds) + kind, minlength=(categories + 1) * len(kinds))
        counts = table.reshape(categories + 1, len(kinds))[:categories]
        return cls(kinds // (most + 1) - most, kinds % (most + 1), counts, squares)


def wilson(proportion: float, size: float, *, clustered: bool = False) -> Interval:
    """Wilson's score interval of a proportion of `size` (effective) samples; 0..1 when there are none.

    E. B. Wilson (1927), Journal of the American Statistical Association 22, 209-212.
    """
    method: Method = "wilson-clustered" if clustered else "wilson"
    if size <= 0:
        return Interval(0.0, 1.0, method)
    z2 = Z * Z / size
    centre = (proportion + z2 / 2) / (1 + z2)
    half = Z / (1 + z2) * sqrt(proportion * (1 - proportion) / size + z2 / (4 * size))
    # Rounding must not push the estimate itself out of its interval at 0 and 1.
    return Interval(
        max(0.0, min(centre - half, proportion)), min(1.0, max(centre + half, proportion)), method
    )


def paired_difference(
    only_first: float, only_second: float, size: float, *, clustered: bool = False
) -> Interval:
    """Interval of first minus second proportion over `size` pairs, from the pairs that only one has right.

    Wald's interval with one pair added to each kind of disagreement: it has a width when nothing disagrees.
    D. G. Bonett, R. M. Price (2012), Journal of Educational and Behavioral Statistics 37, 479-488.
    """
    method: Method = "paired-clustered" if clustered else "paired"
    if size <= 0:
        return Interval(-1.0, 1.0, method)
    first, second = (only_first + 1) / (size + 2), (only_second + 1) / (size + 2)
    half = Z * sqrt((first + second - (first - second) ** 2) / (size + 2))
    estimate = (only_first - only_second) / size
    low, high = first - second - half, first - second + half
    return Interval(min(low, estimate), max(high, estimate), method).clipped(-1.0, 1.0)


def effective_sizes(clusters: Clusters) -> FloatArray:
    """The number of independent values that would give each category's mean the same variance (categories,).

    The variance of a mean over clusters of unequal size is that of a ratio: W. G. Cochran, Sampling
    Techniques (1977), chapter 6. Where it cannot be estimated (one cluster, or all values equal) the
    number of clusters stands in. Never more than there are values.
    """
    import numpy as np

    size = clusters.counts @ clusters.sizes
    count = clusters.counts @ np.minimum(clusters.sizes, 1)
    mean = clusters.counts @ clusters.sums / np.maximum(size, 1)
    residuals = clusters.sums - mean[:, None] * clusters.sizes
    between = (clusters.counts * residuals**2).sum(axis=1) * count / np.maximum(count - 1, 1)
    within = clusters.squares - size * mean**2
    is_measurable = (count > 1) & (within > 1e-9)
    effect = np.maximum(between / np.where(is_measurable, within, 1.0), 1.0)
    independent: FloatArray = np.where(is_measurable, size / effect, count).astype(np.float64)
    return independent


def bootstrap(
    sums: IntArray, sizes: IntArray, counts: IntArray, *, resamples: int = RESAMPLES, seed: int = SEED
) -> Interval | None:
    """Percentile interval of sum / size from drawing clusters with replacement.

    There are `counts[j]` clusters with the sum `sums[j]` over `sizes[j]` values. How often each kind is drawn
    is one multinomial: exact, the same for every order of samples, and no dearer for many of them.
    None when all clusters are alike, for then every draw is the same.
    """
    import numpy as np

    used = (sizes > 0) & (counts > 0)
    sums, sizes, counts = sums[used], sizes[used], counts[used]
    if len(counts) < 2:
        return None
    clusters = int(counts.sum())
    drawn = np.random.default_rng(seed).multinomial(clusters, counts / clusters, size=resamples)
    low, high = np.quantile((drawn @ sums) / (drawn @ sizes), [0.025, 0.975])
    return Interval(float(low), float(high), "bootstrap")


def mcnemar(only_first: int, only_second: int) -> float:
    """Exact two-sided p-value of McNemar's test, from the pairs that only one of two has right.

    The disagreements are a fair coin's under the null hypothesis; 1 when there are none.
    Q. McNemar (1947), Psychometrika 12, 153-157, in its binomial form.
    """
    tosses, fewer = only_first + only_second, min(only_first, only_second)
    tail = term = 1
    for heads in range(fewer):
        term = term * (tosses - heads) // (heads + 1)
        tail += term
    return min(1.0, 2 * tail / (1 << tosses))
