"""What a run would send, counted without sending anything."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from vlbench.catalog.prices import cost
from vlbench.engine.plan import LanePlan, PlannedRow
from vlbench.state.fold import RunState
from vlbench.state.spending import told_usage
from vlbench.store.cache import ResponseCache
from vlbench.store.key import ingredients, request_key
from vlbench.store.samples import SampleIndex
from vlbench.types import Price, Sample, Usage


@dataclass(slots=True)
class Forecast:
    """One row of a dry run. `requests` and `images` would be sent; `bytes` are those of the pictures.

    `cached` replies are there already, `settled` ones stand in the journal of the run that is continued.
    `known` are the replies to go by that the row has, from either, and `tokens` what they needed in all;
    `price` is the variant's.
    """

    lane: str
    variant: str
    condition: str
    requests: int = 0
    cached: int = 0
    settled: int = 0
    images: int = 0
    bytes: int = 0
    known: int = 0
    tokens: Usage = field(default_factory=Usage)
    price: Price | None = None

    @property
    def cost(self) -> float | None:
        """US dollars for `requests` like the known ones; None without a price or a reply to go by."""
        if not self.requests:
            return 0.0
        known = cost(self.price, self.tokens, self.known) if self.known else None
        return None if known is None else known / self.known * self.requests

    def learn(self, tokens: Usage, replies: int) -> None:
        """Go by `replies` more, which needed `tokens` in all; those of which none are told say nothing."""
        if tokens.input_tokens or tokens.output_tokens:
            self.known += replies
            self.tokens = Usage(
                input_tokens=(self.tokens.input_tokens or 0) + (tokens.input_tokens or 0),
                output_tokens=(self.tokens.output_tokens or 0) + (tokens.output_tokens or 0),
                cached_input_tokens=(self.tokens.cached_input_tokens or 0)
                + (tokens.cached_input_tokens or 0),
            )


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
            counts = Forecast(lane.id, row.variant.id, row.condition.id, price=row.variant.price)
            if kept:
                counts.learn(told_usage(kept), kept.tokens.told)
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
    known = cache.get(key) if cache is not None else None
    if known is not None:
        counts.learn(known.reply.usage, 1)
    if key in seen or known is not None:
        counts.cached += 1
        return
    seen.add(key)
    counts.requests += 1
    counts.images += len(request.images)
    counts.bytes += sum(image.size for image in request.images)
