"""Which samples a run asks, and in which order."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches

from vlbench.benchmarks.order import run_order
from vlbench.errors import UsageError
from vlbench.store.manifest import Selection
from vlbench.store.samples import SampleIndex
from vlbench.types import Sample

SHOWN_NAMES = 20


def choose(index: SampleIndex, selection: Selection) -> list[int]:
    """Ordinals into `index`, in the order of the run: filtered, shuffled by the seed, then cut to the limit.

    Samples that belong together (they have roles) stay together, and the last of them are not cut off.
    Raises `UsageError` for an id or a category that is not there, or when nothing is left.
    """
    kept = _of_ids(index, selection.ids)
    kept = [at for at in kept if _in_categories(index.categories[at], selection.categories)]
    _check_categories(index, selection.categories)
    if not kept:
        raise UsageError("No sample is left by --ids and --category together. Ask for more.")
    units = _units(index, kept)
    finest = ["\x1f".join(index.categories[unit[0]]) for unit in units.values()]
    members = list(units.values())
    chosen: list[int] = []
    for place in run_order(list(units), finest, selection.seed):
        if selection.limit is not None and len(chosen) >= selection.limit:
            break
        chosen += members[place]
    return chosen


def _units(index: SampleIndex, kept: list[int]) -> dict[str, list[int]]:
    """What is put in order as one, by name: a sample, or all samples with roles of one group."""
    units: dict[str, list[int]] = {}
    for at in kept:
        # The mark keeps a group apart from a sample that has its name as an id.
        name = f"\x1f{index.groups[at]}" if index.roles[at] else index.ids[at]
        units.setdefault(name, []).append(at)
    return units


def chosen_samples(index: SampleIndex, ordinals: list[int]) -> Iterator[Sample]:
    """The samples themselves, read one by one."""
    return map(index.get, ordinals)


def _of_ids(index: SampleIndex, ids: tuple[str, ...]) -> list[int]:
    if not ids:
        return list(range(len(index)))
    place = {name: at for at, name in enumerate(index.ids)}
    missing = [name for name in ids if name not in place]
    if missing:
        raise UsageError(
            f"There is no sample {', '.join(map(repr, missing[:SHOWN_NAMES]))} in this benchmark. "
            f"Ids: {index.ids[0]!r} to {index.ids[-1]!r}."
        )
    return sorted({place[name] for name in ids})


def _in_categories(path: tuple[str, ...], wanted: tuple[str, ...]) -> bool:
    return not wanted or any(name.casefold() in {level.casefold() for level in path} for name in wanted)


def _check_categories(index: SampleIndex, wanted: tuple[str, ...]) -> None:
    known = {level.casefold(): level for path in index.categories for level in path}
    for name in wanted:
        if name.casefold() not in known:
            near = get_close_matches(name.casefold(), known, n=1)
            hint = f" Did you mean {known[near[0]]!r}?" if near else ""
            some = ", ".join(sorted(known.values())[:SHOWN_NAMES])
            raise UsageError(f"There is no category {name!r}.{hint} Categories: {some}.")
