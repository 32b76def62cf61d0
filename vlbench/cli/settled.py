"""Whether anything of a run is left to ask, told by its directory alone."""

from __future__ import annotations

from vlbench.state.events import RunEnded
from vlbench.state.fold import RunState
from vlbench.state.tail import LiveRun
from vlbench.store.journal import JournalDamaged
from vlbench.store.manifest import Manifest
from vlbench.store.run_dir import RunDir

CATCH_UP_S = 5.0


def settled(directory: RunDir) -> RunEnded | None:
    """How the run ended, when every reply it asks for is there; None when some are not, or it goes on.

    Neither its data nor keys are needed for that. Raises StoreError when the directory cannot be
    read.
    """
    with LiveRun.open(directory) as live:
        try:
            while live.poll(CATCH_UP_S):
                pass
        except JournalDamaged:
            return None  # going on mends it, and asks again for what stood there
        state, manifest = live.state, live.manifest
    if state.ended is None or state.open_slots or _asks_more(manifest, state):
        return None
    return state.ended


def _asks_more(manifest: Manifest, state: RunState) -> bool:
    """Whether the run was widened after the engine last began."""
    conditions = {one.id for one in (*manifest.conditions, *manifest.base_conditions)}
    return (
        state.started is None
        or state.started.samples < len(state.samples)
        or state.started.repeats < manifest.repeats
        or {variant.id for variant in manifest.variants} != {variant for variant, _ in state.rows}
        or conditions != {condition for _, condition in state.rows}
    )
