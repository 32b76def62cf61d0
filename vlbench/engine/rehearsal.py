"""Whether the requests of a run can be built at all, found out before any of them is sent."""

from __future__ import annotations

from collections.abc import Sequence

from vlbench.engine.plan import LanePlan
from vlbench.store.samples import SampleIndex
from vlbench.types import Combined, Layout


def rehearse(lanes: Sequence[LanePlan], index: SampleIndex, chosen: Sequence[int]) -> dict[str, Layout]:
    """Build the request of the first sample of every role under every row, and throw it away.

    Returns the variants that get two pictures as one, and in which layout. Raises the `UsageError` or
    `CatalogError` of what cannot be built: a wording that needs a text the data do not have, pictures without
    labels in reverse, a model that cannot answer such questions.
    """
    first: dict[str, int] = {}
    for ordinal in chosen:
        if ordinal not in index.problems:
            first.setdefault(index.roles[ordinal], ordinal)
    samples = [index.get(ordinal) for ordinal in first.values()]
    requests = [
        (row.variant.id, row.request(sample, 0)) for lane in lanes for row in lane.rows for sample in samples
    ]
    return {
        variant: image.source.layout
        for variant, request in requests
        for image in request.images
        if isinstance(image.source, Combined)
    }
