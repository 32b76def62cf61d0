"""What was not the same when the compared answers were made, as the manifests say."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from vlbench.report.versus_data import Differing, Duel, Side, Stated
from vlbench.store.canonical import json_bytes
from vlbench.store.manifest import Manifest

_NOT_SENT: Final = "not sent"
_SHORT: Final = 12
"""Characters of a hash that people are shown."""


def differing(manifests: Mapping[str, Manifest], duels: Iterable[Duel]) -> tuple[Differing, ...]:
    """What differs between the runs (data, prompt, handling of samples) and between the sides (parameters).

    `manifests` are by the name of the run in the comparison.
    """
    asked = {run: _asked(manifest) for run, manifest in manifests.items()}
    names = next(iter(asked.values()))
    found = [_stated(name, ((run, values[name]) for run, values in asked.items())) for name in names]
    return tuple(one for one in (*found, *_parameters(manifests, duels)) if one is not None)


def _asked(manifest: Manifest) -> dict[str, str]:
    selection, prompt = manifest.selection, manifest.prompt
    side = manifest.image_max_side
    return {
        "benchmark": f"{manifest.benchmark.name}, version {manifest.benchmark.version}",
        "data SHA-256": manifest.data.sha256[:_SHORT] or "no hash",
        "prompt": f"{prompt.id}, version {prompt.version} ({prompt.sha256[:_SHORT] or 'no hash'})",
        "conditions": ", ".join(sorted(condition.id for condition in manifest.conditions)),
        "longest side of pictures": "as they are" if side is None else f"{side:,} pixels",
        "shuffled options": "no" if selection.shuffle is None else f"seed {selection.shuffle}",
        "circular evaluation": "yes" if selection.circular else "no",
        "repeats": f"{manifest.repeats:,}",
    }


def _parameters(manifests: Mapping[str, Manifest], duels: Iterable[Duel]) -> Iterator[Differing | None]:
    """One entry for every parameter of generation that is not the same for all sides under one condition."""
    by_condition: dict[str, dict[Side, dict[str, str]]] = {}
    for duel in duels:
        sent = by_condition.setdefault(duel.condition, {})
        for side in (duel.first, duel.second):
            sent[side] = _sent(manifests[side.run], side, duel.condition)
    for condition, sent in by_condition.items():
        for name in dict.fromkeys(name for values in sent.values() for name in values):
            stated = ((_named(side, manifests), values.get(name, _NOT_SENT)) for side, values in sent.items())
            yield _stated(f"{name} with {condition}", stated)


def _sent(manifest: Manifest, side: Side, condition: str) -> dict[str, str]:
    decoding = manifest.decoding.get(side.variant, {}).get(condition)
    layout = manifest.combined.get(side.variant)
    values: dict[str, str] = {} if layout is None else {"two pictures drawn as one": layout}
    if decoding is not None:
        sent = decoding.model_dump(mode="json", exclude_none=True, exclude_defaults=True)
        values |= {name: json_bytes(value).decode() for name, value in sent.items()}
    return values


def _named(side: Side, manifests: Mapping[str, Manifest]) -> str:
    return side.variant if len(manifests) == 1 else f"{side.variant} of {side.run}"


def _stated(what: str, values: Iterable[tuple[str, str]]) -> Differing | None:
    stated = tuple(Stated(who, value) for who, value in values)
    return Differing(what, stated) if len({one.value for one in stated}) > 1 else None
