"""A run as it stands on disk: everything a view or a resume needs, from its directory alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from vlbench.scoring.facts import Facts
from vlbench.scoring.metrics import Ground, sections_of
from vlbench.scoring.readers.reader import Reader
from vlbench.scoring.scores import Scores, score
from vlbench.scoring.section import Section
from vlbench.state.events import parse_event
from vlbench.state.fold import RunState, fold
from vlbench.store import journal
from vlbench.store.manifest import Manifest
from vlbench.store.run_dir import RunDir
from vlbench.store.samples import SampleIndex


@dataclass(frozen=True, slots=True)
class LoadedRun:
    """One run folded up to the last complete line of its journal."""

    directory: RunDir
    manifest: Manifest
    state: RunState

    @property
    def samples(self) -> SampleIndex:
        return self.state.samples


@contextmanager
def loaded(directory: RunDir, reader: Reader | None = None) -> Iterator[LoadedRun]:
    """Open a run; its replies are read again when a `reader` is given.

    Raises StoreError, naming file and line, when anything in the directory cannot be used.
    """
    manifest = directory.manifest()
    with SampleIndex.open(directory.samples_path) as samples:
        events = (parse_event(line.event) for line in journal.read(directory.journal_path))
        yield LoadedRun(directory, manifest, fold(events, samples, reader))


def facts_of(samples: SampleIndex) -> Facts:
    """What scoring knows of the samples of a run."""
    return Facts.of(
        categories=samples.categories,
        groups=samples.groups,
        golds=samples.golds,
        options=_options(samples),
    )


def _options(samples: SampleIndex) -> list[int]:
    return [
        0 if ordinal in samples.problems else count for ordinal, count in enumerate(samples.option_counts)
    ]


def further_sections(state: RunState, metrics: Iterable[str]) -> tuple[Section, ...]:
    """What a run reports beside its scores at this moment, by the further metrics of its manifest.

    Raises UsageError for a metric this version does not know.
    """
    samples = state.samples
    ground = Ground(
        categories=samples.categories,
        groups=samples.groups,
        golds=samples.golds,
        options=_options(samples),
        roles=samples.roles,
        null_labels=samples.null_labels,
        sources=samples.sources,
        labels=state.label_names,
        arms=tuple(row.arm() for row in state.rows.values() if not row.base),
    )
    return sections_of(metrics, ground)


def scores_of(state: RunState, facts: Facts, *, resamples: int = 0) -> Scores:
    """The scores of a run at this moment; see `vlbench.scoring.scores.score` for `resamples`."""
    base = next((row.variant for row in state.rows.values() if row.base), None)
    return score(facts, [row.arm() for row in state.rows.values()], base=base, resamples=resamples)
