"""The order in which samples are asked: shuffled by a seed, every category spread evenly over the whole.

Benchmark files are sorted by category, so their first rows stand for one category only. In this order any
beginning, be it `--limit N` or a run still going on, holds every category in its share.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from heapq import heappop, heappush


def run_order(ids: Sequence[str], categories: Sequence[str], seed: int) -> list[int]:
    """Positions into `ids` in the order to run; `categories` holds the stratum of each.

    After any number of samples every category has less than one sample more or fewer than its share, which
    is what Tijdeman's algorithm for the chairman assignment problem (Discrete Mathematics 32, 1980) ensures.
    Within a category the order is that of SHA-256(seed, id). Only whole numbers are used, so the order is
    the same on every machine and Python version.
    """
    strata: dict[str, list[int]] = {}
    for position, category in enumerate(categories):
        strata.setdefault(category, []).append(position)
    for members in strata.values():
        members.sort(key=lambda position: (_hash(seed, "id", ids[position]), position))
    if len(strata) < 2:
        return [position for members in strata.values() for position in members]

    waiting = _windows(strata, len(ids), seed)
    ready: list[tuple[int, bytes, int]] = []
    order: list[int] = []
    next_waiting = 0
    for slot in range(1, len(ids) + 1):
        while next_waiting < len(waiting) and waiting[next_waiting][0] <= slot:
            _, deadline, tie, position = waiting[next_waiting]
            heappush(ready, (deadline, tie, position))
            next_waiting += 1
        order.append(heappop(ready)[2])
    return order


def _windows(strata: dict[str, list[int]], total: int, seed: int) -> list[tuple[int, int, bytes, int]]:
    """(first slot, last slot, tie, position) of every sample, by first slot.

    The j-th of n samples may come when the category's share has passed j - 1 by 1 / (2m - 2), m categories
    being there, and must have come before it passes j less the same.
    """
    parts = 2 * len(strata) - 2
    windows = []
    for category, members in strata.items():
        unit = parts * len(members)
        tie = _hash(seed, "category", category)
        for place, position in enumerate(members):
            first = -(-(place * parts + 1) * total // unit)
            last = ((place + 1) * parts - 1) * total // unit
            windows.append((first, last, tie, position))
    return sorted(windows)


def _hash(seed: int, kind: str, name: str) -> bytes:
    return hashlib.sha256(f"{seed}\0{kind}\0{name}".encode(errors="surrogatepass")).digest()
