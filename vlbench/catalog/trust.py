"""A workspace is often someone else's: it must not send the user's keys to another host."""

from __future__ import annotations

from collections.abc import Iterable

from vlbench.catalog.entry import ProviderEntry
from vlbench.catalog.urls import is_local, origin


def stranger(variables: Iterable[str], urls: Iterable[str], known: Iterable[ProviderEntry]) -> str | None:
    """The first of `urls` that is no home of a key among `variables`, in words; None when all are.

    A key is known when an entry of `known` (shipped or the user's own) names its variable; its homes are the
    hosts of those entries and this machine. Plain http is another home than https: others can read it.
    """
    wanted = set(variables)
    owners = [entry for entry in known if wanted & set(entry.key_variables)]
    if not owners:
        return None
    homes = {origin(url) for entry in owners for url in entry.urls}
    for url in urls:
        if not is_local(url) and origin(url) not in homes:
            scheme, host = origin(url)
            names = sorted(wanted & {name for entry in owners for name in entry.key_variables})
            return f"sends {' or '.join(names)} to {scheme}://{host}, which is not where this key belongs"
    return None
