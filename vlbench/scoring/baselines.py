"""What guessing scores on the golds of this very run, without looking at anything."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean

from vlbench.scoring.facts import Facts, Path


@dataclass(frozen=True, slots=True)
class Baseline:
    """Guessing on one category of `samples` (broken rows left out); fractions, None when it is empty.

    `random` is the mean of 1 / number of options. `frequent` is the share of `label`, the commonest gold
    (the first in the alphabet of several).
    """

    path: Path
    samples: int
    random: float | None
    frequent: float | None
    label: str | None


@dataclass(frozen=True, slots=True)
class Baselines:
    """Guessing overall and by category.

    `frequent_by_level` is the frequent choice for the whole run when the commonest label of each category is
    played, from one label for all to one for each of the finest categories.
    """

    overall: Baseline
    categories: tuple[Baseline, ...]
    frequent_by_level: tuple[float | None, ...]


def baselines_of(facts: Facts) -> Baselines:
    """The random and the frequent choice measured on the run's golds."""
    import numpy as np

    labels = sorted(set(facts.golds))
    number = {label: at for at, label in enumerate(labels)}
    golds = np.array([number[gold] for gold in facts.golds], dtype=np.int64)
    options = np.array(facts.options, dtype=np.int64)
    usable = options > 0
    found: list[Baseline] = []
    by_level: list[float | None] = []
    for level in facts.levels:
        index, kinds = level.index[usable], len(level.paths)
        chance = np.bincount(index, 1 / options[usable], kinds + 1)
        cells = np.bincount(index * len(labels) + golds[usable], minlength=(kinds + 1) * len(labels))
        table = cells.reshape(kinds + 1, len(labels))[:kinds]
        rows = [
            _baseline(path, labels, counts, total)
            for path, counts, total in zip(level.paths, table.tolist(), chance[:kinds].tolist(), strict=True)
        ]
        found += rows
        by_level.append(_pooled(rows))
    return Baselines(found[0], tuple(found[1:]), tuple(by_level))


def _baseline(path: Path, labels: list[str], counts: list[int], chance: float) -> Baseline:
    samples = sum(counts)
    if not samples:
        return Baseline(path, 0, None, None, None)
    most = max(counts)
    return Baseline(path, samples, chance / samples, most / samples, labels[counts.index(most)])


def _pooled(rows: list[Baseline]) -> float | None:
    known = [row for row in rows if row.frequent is not None]
    return fmean([row.frequent or 0.0 for row in known], [row.samples for row in known]) if known else None
