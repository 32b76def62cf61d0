"""Further targets for a run that goes on, planned as if they had been named at its start."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from types import TracebackType
from typing import Self

from vlbench.benchmarks.index import silent
from vlbench.engine.notes import notes_of
from vlbench.engine.options import RunOptions
from vlbench.engine.prepare import Prepared, Surroundings, prepared
from vlbench.engine.selection import chosen_samples
from vlbench.engine.steering import Addition
from vlbench.errors import UsageError
from vlbench.store.manifest import Manifest
from vlbench.store.run_dir import RunDir


class FurtherTargets:
    """Plans targets that are added to the run in `directory`, and holds what their lanes read until closed.

    `options` are those the run goes on with: its limits are the new lanes' too. The caller holds the run's
    lock, and plans one target at a time.
    """

    def __init__(self, directory: RunDir, options: RunOptions, around: Surroundings) -> None:
        self._directory = directory
        self._options = options
        self._around = around
        self._held = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._held.close()

    def plan_for(self, target: str) -> Addition:
        """The rows of `target`, with pictures as its provider takes them; the run on disk is widened by it.

        Blocks: servers are asked which weights they serve, pictures may be made. Raises `VlbenchError`, and
        leaves the run as it was, when the target cannot be asked all that the run asks.
        """
        manifest = self._directory.manifest()
        options = self._widened(manifest, target)
        (benchmark,) = options.benchmarks
        with ExitStack() as stack:
            ready = stack.enter_context(prepared(benchmark, options, self._around, silent, earlier=manifest))
            addition = _new_in(ready, manifest, target)
            self._directory.extend(ready.manifest, chosen_samples(ready.index, ready.chosen))
            self._held.enter_context(stack.pop_all())
        return addition

    def _widened(self, manifest: Manifest, target: str) -> RunOptions:
        """The run's options with one target more; those it has are spelt out in the manifest."""
        frozen = RunOptions.model_validate(manifest.options)
        update = {
            "benchmarks": frozen.benchmarks or (manifest.benchmark.name,),
            "data": frozen.data,
            "providers": (*frozen.providers, target),
            "base": frozen.base,
        }
        return self._options.model_copy(update=update)


def _new_in(ready: Prepared, manifest: Manifest, target: str) -> Addition:
    known = {variant.id for variant in manifest.variants}
    for lane in ready.lanes:
        rows = tuple(row for row in lane.rows if row.variant.id not in known)
        if rows:
            providers = {row.entry.id for row in rows}
            changed = [one for one in ready.manifest.changed if one.provider in providers]
            plan = replace(lane, rows=rows)
            return Addition(plan, notes_of((plan,), changed))
    raise UsageError(f"{target} is asked already.")
