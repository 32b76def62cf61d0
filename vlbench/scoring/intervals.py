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
    """By cluster: the sum of a value (`sums`), how many values (`sizes`), in which category (`index`)."""

    sums: IntArray
    sizes: IntArray
    index: IntArray

    @classmethod
    def of(cls, level: Level, sums: IntArray, sizes: IntArray) -> Clusters:
        """Gather per-sample sums and sizes (samples,) into the clusters of `level`."""
        import numpy as np

        count = len(level.cluster_index)
        if count == len(level.index):
            return cls(sums, sizes, level.index)
        return cls(
            np.bincount(level.cluster, sums, count).astype(np.int64),
            np.bincount(level.cluster, sizes, count).astype(np.int64),
            level.cluster_index,
        )

    def within(self, category: int) -> Clusters:
        """The clusters of one category that have values."""
        kept = (self.index == category) & (self.sizes > 0)
        return Clusters(self.sums[kept], self.sizes[kept], self.index[kept])


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


def effective_sizes(clusters: Clusters, squares: IntArray, categories: int) -> FloatArray:
    """The number of independent values that would give each category's mean the same variance (categories,).

    `squares` (categories,) are the sums of squared values. The variance of the mean over clusters of unequal
    size is that of a ratio: W. G. Cochran, Sampling Techniques (1977), section 9.7. Where it
    cannot be estimated (one cluster, or all values equal) the number of clusters stands in.
    """
    import numpy as np

    def per_category(weights: FloatArray | IntArray) -> FloatArray:
        # The bin behind the last one holds samples without a category.
        return np.bincount(clusters.index, weights, categories + 1)[:categories]

    size = per_category(clusters.sizes)
    count = per_category(np.minimum(clusters.sizes, 1))
    mean = per_category(clusters.sums) / np.maximum(size, 1)
    residual = clusters.sums - np.append(mean, 0.0)[clusters.index] * clusters.sizes
    between = per_category(residual**2) * count / np.maximum(count - 1, 1)
    within = np.maximum(squares - size * mean**2, 0.0)
    measurable = (count > 1) & (within > 1e-9)
    effect = np.maximum(between / np.where(measurable, within, 1.0), 1.0)
    independent: FloatArray = np.where(measurable, size / effect, count)
    return independent


def clustered_error(sums: IntArray, sizes: IntArray) -> float:
    """Standard error of `sum(sums) / sum(sizes)` when clusters were drawn; 0 for fewer than two of them."""
    import numpy as np

    used = sizes > 0
    count, total = int(np.count_nonzero(used)), int(sizes.sum())
    if count < 2:
        return 0.0
    residual = (sums - sums.sum() / total * sizes)[used]
    return sqrt(float(np.sum(residual**2)) * count / (count - 1)) / total


def bootstrap(
    sums: IntArray, sizes: IntArray, *, resamples: int = RESAMPLES, seed: int = SEED
) -> Interval | None:
    """Percentile interval of `sum(sums) / sum(sizes)` from drawing clusters with replacement.

    None when every cluster is alike, for then each draw is the same. Clusters with equal sum and
    size are interchangeable, so how often each kind is drawn is one multinomial: exact, independent of the
    order of samples, and its cost does not grow with their number.
    """
    import numpy as np

    used = sizes > 0
    sums, sizes = sums[used], sizes[used]
    stride = int(sizes.max(initial=0)) + 1
    _, kinds, counts = np.unique(sums * stride + sizes, return_index=True, return_counts=True)
    if len(counts) < 2:
        return None
    clusters = int(counts.sum())
    drawn = np.random.default_rng(seed).multinomial(clusters, counts / clusters, size=resamples)
    low, high = np.quantile((drawn @ sums[kinds]) / (drawn @ sizes[kinds]), [0.025, 0.975])
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
    return min(1.0, 2 * tail / 2**tosses)
