"""What `vlbench cache why` says."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path

from pydantic import JsonValue

from vlbench.catalog.load import Catalog
from vlbench.engine.fitting import FITTED, known_fits
from vlbench.engine.rebuilt import rows_of
from vlbench.errors import UsageError
from vlbench.printable import printable
from vlbench.store.cache import ResponseCache
from vlbench.store.key import ingredients, request_key
from vlbench.store.manifest import Manifest
from vlbench.store.run_dir import find
from vlbench.store.samples import SampleIndex
from vlbench.store.why import Explanation, why, why_missed
from vlbench.store.workspace import Workspace

_LONGEST = 600

KEY = re.compile(r"[0-9a-f]{64}")


def explain(cache: ResponseCache, what: str, name: str | None) -> Iterator[str]:
    """Lines about every request of a run that is for sample `what`, or has the key `what`.

    Raises `UsageError` when there is none.
    """
    workspace = Workspace.find(Path.cwd(), os.environ)
    directory = find(workspace.runs_dir, name)
    manifest = directory.manifest()
    is_known = False
    with SampleIndex.open(directory.samples_path) as samples:
        for title, key, parts in _requests(manifest, samples, what, workspace.cache_dir / FITTED):
            is_known = True
            yield f"{printable(title, _LONGEST)}  {key}"
            found = why(cache, parts)
            yield from _sentences(found)
            if found.hit and (earlier := why_missed(cache, key)):
                yield from _earlier(earlier)
    if not is_known:
        kind = "request with this key" if KEY.fullmatch(what) else f"sample {what!r}"
        raise UsageError(f"The run {directory.name} has no {kind}. Name another run with --run.")


def _requests(
    manifest: Manifest, samples: SampleIndex, what: str, fitted_dir: Path
) -> Iterator[tuple[str, str, dict[str, JsonValue]]]:
    by_key = KEY.fullmatch(what) is not None and what not in samples.ids
    ordinals = range(len(samples)) if by_key else [at for at, one in enumerate(samples.ids) if one == what]
    with known_fits(rows_of(manifest, Catalog.open(Path.cwd())), fitted_dir) as rows:
        for row, ordinal, repeat in product(rows, ordinals, range(manifest.repeats)):
            sample = samples.get(ordinal)
            parts = ingredients(row.request(sample, repeat), row.variant)
            key = request_key(parts)
            if not by_key or key == what:
                title = f"{row.variant.id}  {row.condition.id}  sample {sample.id}"
                yield title + (f"  repeat {repeat}" if manifest.repeats > 1 else ""), key, parts


def _sentences(found: Explanation) -> Iterator[str]:
    if found.hit:
        yield "  found: this very request is stored"
    elif found.nearest is None:
        yield "  not found: the cache is empty"
    else:
        yield f"  not found; the nearest of {found.compared:,} stored requests is {found.nearest}"
        yield from _differences(found)


def _earlier(found: Explanation) -> Iterator[str]:
    if found.nearest is None:
        yield "  not found when it was asked: the cache was empty"
    else:
        yield f"  not found when it was asked; the nearest of {found.compared:,} was {found.nearest}"
        yield from _differences(found)


def _differences(found: Explanation) -> Iterator[str]:
    yield "  stored -> asked:"
    for difference in found.differences:
        yield f"    {printable(str(difference), _LONGEST)}"
