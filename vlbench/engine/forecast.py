"""What a run would send, counted without sending anything."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from vlbench.engine.plan import LanePlan, PlannedRow
from vlbench.state.fold import RunState
from vlbench.store.cache import ResponseCache
from vlbench.store.key import ingredients, request_key
from vlbench.store.samples import SampleIndex
from vlbench.types import Sample


@dataclass(slots=True)
class Forecast:
    """One row of a dry run. `requests` and `images` would be sent; `bytes` are those of the pictures.

    `cached` replies are there already, `settled` ones stand in the journal of the run that is continued.
    """

    lane: str
    variant: str
    condition: str
    requests: int = 0
    cached: int = 0
    settled: int = 0
    images: int = 0
    bytes: int = 0


def forecast(
    lanes: Sequence[LanePlan],
    index: SampleIndex,
    chosen: Sequence[int],
    repeats: int,
    cache: ResponseCache | None,
    state: RunState | None = None,
) -> list[Forecast]:
    """One forecast per row. Identical requests, which are sent once, are counted once."""
    seen: set[str] = set()
    found: list[Forecast] = []
    for lane in lanes:
        for row in lane.rows:
            kept = state.rows.get((row.variant.id, row.condition.id)) if state else None
            counts = Forecast(lane.id, row.variant.id, row.condition.id)
            for place, ordinal in enumerate(chosen):
                if ordinal in index.problems:
                    continue
                for repeat in range(repeats):
                    if kept and kept.is_settled(place, repeat):
                        counts.settled += 1
                    else:
                        _count(counts, row, index.get(ordinal), repeat, cache, seen)
            found.append(counts)
    return found


def _count(
    counts: Forecast,
    row: PlannedRow,
    sample: Sample,
    repeat: int,
    cache: ResponseCache | None,
    seen: set[str],
) -> None:
    request = row.request(sample, repeat)
    key = request_key(ingredients(request, row.variant))
    if key in seen or (cache is not None and cache.get(key) is not None):
        counts.cached += 1
        return
    seen.add(key)
    counts.requests += 1
    counts.images += len(request.images)
    counts.bytes += sum(image.size for image in request.images)
