"""What scoring knows of the samples, prepared once for a run: categories, clusters, golds, options."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    IntArray = NDArray[np.int64]

Path = tuple[str, ...]
"""A category with what it is part of, coarse first; `()` is the whole run."""


@dataclass(frozen=True, slots=True, eq=False)
class Level:
    """The categories of one depth. Depth 0 has one: the whole run.

    `paths` (k) are sorted. `index` (samples) is each sample's place in `paths`, or k when it has no category
    this deep. `cluster` (samples) numbers the groups of samples that share pictures, counted anew in every
    category; `cluster_index` (clusters) is the place in `paths` of each.
    """

    paths: tuple[Path, ...]
    index: IntArray
    cluster: IntArray
    cluster_index: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Facts:
    """The samples of a run by ordinal.

    `levels` go from the whole run to the finest categories. `shares_pictures` says whether any two samples
    are in one group. `golds` are the gold labels, `options` the number of options (0 on a broken row).
    """

    size: int
    levels: tuple[Level, ...]
    shares_pictures: bool
    golds: tuple[str, ...]
    options: tuple[int, ...]

    @classmethod
    def of(
        cls,
        *,
        categories: Sequence[Path],
        groups: Sequence[str],
        golds: Sequence[str],
        options: Sequence[int],
    ) -> Facts:
        """The facts from one value per sample. Raises ValueError when the lengths differ."""
        size = len(categories)
        if not size == len(groups) == len(golds) == len(options):
            raise ValueError("categories, groups, golds and options must have one value per sample")
        depth = max(map(len, categories), default=0)
        group_number = {group: number for number, group in enumerate(dict.fromkeys(groups))}
        numbers = [group_number[group] for group in groups]
        return cls(
            size=size,
            levels=tuple(_level(categories, numbers, at) for at in range(depth + 1)),
            shares_pictures=len(group_number) < size,
            golds=tuple(golds),
            options=tuple(options),
        )


def _level(categories: Sequence[Path], groups: Sequence[int], depth: int) -> Level:
    import numpy as np

    prefixes = [path[:depth] if len(path) >= depth else None for path in categories]
    paths = tuple(
        sorted({prefix for prefix in prefixes if prefix is not None} | ({()} if depth == 0 else set()))
    )
    place: dict[Path | None, int] = {path: at for at, path in enumerate(paths)} | {None: len(paths)}
    index = np.array([place[prefix] for prefix in prefixes], dtype=np.int64)
    by_category = index * (max(groups, default=0) + 1) + np.array(groups, dtype=np.int64)
    _, first, cluster = np.unique(by_category, return_index=True, return_inverse=True)
    return Level(paths, index, cluster.astype(np.int64), index[first])
