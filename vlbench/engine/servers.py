"""Which weights the user's own servers serve: what identifies their models in the cache."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from pydantic import Field, ValidationError

from vlbench.adapters.http import Http
from vlbench.adapters.probe import Server, probe
from vlbench.catalog.resolve import has_unnamed_weights, with_weights
from vlbench.catalog.urls import normalised
from vlbench.engine.asked import Asked
from vlbench.errors import StoreError, UsageError
from vlbench.store.atomic import write_atomically
from vlbench.store.manifest import ServerFacts
from vlbench.types import Record

_FILE: Final = "servers.json"


class _Remembered(Record):
    """What servers reported when they were last reached, by address and model."""

    weights: dict[str, str] = Field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Identified:
    """Everybody asked, with identities by reported weights, and what the servers said of themselves."""

    asked: tuple[Asked, ...]
    servers: tuple[ServerFacts, ...] = ()


def identified(asked: Sequence[Asked], cache_dir: Path, *, ask: bool = True) -> Identified:
    """Identify models of the user's own servers by the weights these report.

    A server that cannot be reached now, or must not be asked, is taken for what it reported last. Raises
    `UsageError` when the replicas of one model serve different weights.
    """
    unnamed = [one for one in asked if has_unnamed_weights(one.variant)]
    if not unnamed:
        return Identified(tuple(asked))
    servers = facts_of(_probed(unnamed) if ask else {})
    memory = remember(servers, cache_dir)
    return Identified(tuple(_named(one, memory) for one in asked), servers)


def check_routes(asked: Iterable[Asked]) -> None:
    """See that everybody asked can be spoken to at all, without sending anything.

    Raises `UsageError` for a key, an address, a proxy or certificates that can never work.
    """
    for one in asked:
        if not one.entry.built_in:
            Http.of(one.entry, one.variant.urls, _key_of(one)).check()


def _key_of(one: Asked) -> str | None:
    return one.key.get_secret_value() if one.key else None


def facts_of(found: Mapping[tuple[str, str], Server]) -> tuple[ServerFacts, ...]:
    """What the servers that answered said of themselves, by address and model."""
    return tuple(
        ServerFacts(url=server.url, model=model, version=server.version, weights=server.weights)
        for (_, model), server in found.items()
        if server.state == "ready"
    )


def remember(servers: Iterable[ServerFacts], cache_dir: Path) -> dict[str, str]:
    """Keep which weights were reported, and return all that is known of any server."""
    memory = _read(cache_dir)
    reported = {_place(server.url, server.model): server.weights for server in servers if server.weights}
    if reported.items() - memory.items():
        memory |= reported
        _write(cache_dir, memory)
    return memory


def _probed(asked: Iterable[Asked]) -> dict[tuple[str, str], Server]:
    wanted = {(url, one.variant.model): one for one in asked for url in one.variant.urls}
    with ThreadPoolExecutor(min(16, len(wanted))) as pool:
        servers = pool.map(lambda item: probe_one(item[1], item[0][0]), wanted.items())
        return dict(zip(wanted, servers, strict=True))


def probe_one(one: Asked, url: str) -> Server:
    """Look at one server of a target."""
    return probe(url, one.variant.model, key=_key_of(one), headers=one.entry.headers)


def _named(one: Asked, memory: dict[str, str]) -> Asked:
    if not has_unnamed_weights(one.variant):
        return one
    model = one.variant.model
    known = {url: weights for url in one.variant.urls if (weights := memory.get(_place(url, model)))}
    if not known:
        return one
    if len(set(known.values())) > 1:
        told = "; ".join(f"{url} serves {weights}" for url, weights in known.items())
        raise UsageError(
            f"The replicas of {one.variant.id} serve different weights under one name: {told}. Give each its "
            "own target, or a common name with +tag=NAME if they are the same."
        )
    return replace(one, variant=with_weights(one.variant, next(iter(known.values()))))


def _place(url: str, model: str) -> str:
    return f"{normalised(url)} {model}"


def _read(cache_dir: Path) -> dict[str, str]:
    try:
        return _Remembered.model_validate_json((cache_dir / _FILE).read_bytes()).weights
    except (OSError, ValidationError):
        return {}


def _write(cache_dir: Path, weights: dict[str, str]) -> None:
    # A memory only: a run must not end because it cannot be kept.
    with suppress(StoreError, OSError):
        cache_dir.mkdir(parents=True, exist_ok=True)
        write_atomically(cache_dir / _FILE, [_Remembered(weights=weights).model_dump_json().encode()])
