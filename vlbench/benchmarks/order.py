"""The order in which samples are asked: shuffled by a seed, every category spread evenly over the whole.

Benchmark files are sorted by category, so their first rows stand for one category only. In this order any
beginning, `--limit N` or a run still going on, holds every category in nearly its share.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence


def run_order(ids: Sequence[str], categories: Sequence[str], seed: int) -> list[int]:
    """Positions into `ids` in the order to run. `categories` names each sample's stratum.

    The same on every machine and Python version: places come from SHA-256 and whole-number arithmetic. Each
    category is shuffled by itself, and its k-th of n samples is due when the share (k - 1/2) / n of the run
    is over. Of the samples that may come next, the one with the earliest deadline does.
    """
    strata: dict[str, list[int]] = {}
    for position, category in enumerate(categories):
        strata.setdefault(category, []).append(position)
    raise NotImplementedError
