"""From a run on disk to what its report says. The same journal always gives the same report."""

from __future__ import annotations

from collections import Counter
from pathlib import PurePath, PureWindowsPath
from typing import Literal

from vlbench.report.cleaned import cleaned
from vlbench.report.data import (
    ChangedPictures,
    ModelFacts,
    Provenance,
    ReportData,
    ReportRow,
    ReportWarning,
    Retried,
    RuleCount,
    SentParameters,
    Servers,
    Stage,
)
from vlbench.report.replies import RepliesRead, read_replies
from vlbench.scoring.accuracy import AccuracyRow
from vlbench.scoring.intervals import RESAMPLES
from vlbench.scoring.readers import registry
from vlbench.scoring.readers.reader import Reader
from vlbench.scoring.scores import Scores
from vlbench.state.events import Warned
from vlbench.state.fold import RunState
from vlbench.state.loaded import LoadedRun, facts_of, further_sections, loaded, scores_of
from vlbench.state.rows import Row
from vlbench.state.spending import row_cost
from vlbench.store.manifest import Manifest
from vlbench.store.run_dir import RunDir
from vlbench.types import Variant

Against = Literal["official", "journal"]


def open_report(
    directory: RunDir, reader: str | None = None, *, against: tuple[Against, ...] = ("official",)
) -> ReportData:
    """The report of the run in `directory`.

    Answers are taken as journalled, or read again by the current version of the reader called `reader`.
    They are compared with those of the benchmark's official reader (of the strict one, when the official one
    is the report's own), and with the journalled ones when `against` says so. Raises StoreError for a run
    that cannot be read, UsageError for an unknown reader.
    """
    manifest = directory.manifest()
    chosen = registry.reader_for(manifest.benchmark.name, reader) if reader else None
    with loaded(directory, chosen) as run:
        facts = facts_of(run.samples)
        scores = scores_of(run.state, facts, resamples=RESAMPLES)
        others: list[Reader | None] = []
        if "journal" in against:
            others.append(None)
        other = _counterpart(chosen.name if chosen else manifest.reader, manifest.benchmark.name)
        if "official" in against and other is not None:
            others.append(other)
        return report_of(run, scores, read_replies(run, facts, scores, others), chosen)


def _counterpart(name: str, benchmark: str) -> Reader | None:
    """The reader to show beside the one called `name`: the official one, or the strict one beside that."""
    official, default = registry.official_for(benchmark), registry.DEFAULT
    other = default if name in (official, registry.OFFICIAL) else official
    return None if other == name else registry.reader(other)


def report_of(run: LoadedRun, scores: Scores, replies: RepliesRead, reader: Reader | None) -> ReportData:
    """What the report of a loaded run says; pure, and every text in it is safe to print.

    `scores` are the run's by `reader` (None: as journalled), `replies` what a walk over its replies found.
    """
    state, manifest = run.state, run.manifest
    rows = list(state.rows.values())
    return cleaned(
        ReportData(
            run=manifest.run,
            benchmark=manifest.benchmark.name,
            stage=_stage(state, scores),
            samples=state.started.samples if state.started else len(run.samples),
            slots=sum(row.total for row in rows),
            settled=sum(row.done for row in rows),
            reader=reader.id if reader else ", ".join(replies.readers) or registry.reader(manifest.reader).id,
            levels=manifest.benchmark.levels,
            warnings=_warnings(state, scores, is_import=not manifest.options) + _combined(manifest),
            rows=tuple(_row(run, row, one) for row, one in zip(rows, scores.rows, strict=True)),
            gains=scores.gains,
            baselines=scores.baselines,
            sections=further_sections(state, manifest.benchmark.metrics),
            comparisons=replies.comparisons,
            failures=dict(sorted(state.errors.items())),
            provenance=_provenance(manifest, replies),
        )
    )


def _stage(state: RunState, scores: Scores) -> Stage:
    if scores.provisional or not state.rows:
        return "provisional"
    return "partial" if scores.partial else "complete"


def _row(run: LoadedRun, row: Row, scored: AccuracyRow) -> ReportRow:
    price = next((one.price for one in run.manifest.variants if one.id == row.variant), None)
    counts = sorted(run.state.rule_counts(row).items(), key=lambda item: (-item[1], item[0]))
    return ReportRow(
        variant=row.variant,
        condition=row.condition,
        base=row.base,
        repeats=scored.repeats,
        overall=scored.overall,
        categories=scored.categories,
        averages=scored.averages,
        cached=row.cached,
        tokens=row.tokens,
        cost=row_cost(row, price),
        rules=tuple(RuleCount(rule, replies) for rule, replies in counts if rule),
    )


def _told(state: RunState, warned: Warned) -> str:
    """A warning in words that name the variant it is of."""
    is_of_variant = any(row.variant == warned.subject for row in state.rows.values())
    return f"{warned.subject}: {warned.message}" if is_of_variant else warned.message


def _warnings(state: RunState, scores: Scores, *, is_import: bool) -> tuple[ReportWarning, ...]:
    """What limits the numbers, the worst first; each sentence once."""
    found = _lost(scores, is_import=is_import)
    found += [ReportWarning("stopped", f"{stop.lane} stopped: {stop.message}") for stop in state.stopped]
    found += [ReportWarning(warned.subject, _told(state, warned)) for warned in state.warnings]
    # One sentence about all lost replies stands above; the table of outcomes has them row by row.
    found += [ReportWarning(one.kind, one.text) for one in scores.warnings if one.kind != "partial"]
    if state.samples.problems and state.rows:
        count = len(state.samples.problems)
        first = next(iter(state.samples.problems))
        found.append(
            ReportWarning(
                "unusable",
                f"{count:,} sample{'s are' if count > 1 else ' is'} unusable, the first being "
                f"{state.samples.ids[first]}: {state.samples.problems[first]}.",
            )
        )
    return tuple(dict.fromkeys(found))


def _combined(manifest: Manifest) -> tuple[ReportWarning, ...]:
    words = {"vertical": "one above the other", "horizontal": "side by side"}
    return tuple(
        ReportWarning(
            "combined",
            f"{variant} takes one picture a request: the two pictures of a question were drawn as one, "
            f"{words[layout]}. Its scores are of that protocol.",
        )
        for variant, layout in manifest.combined.items()
    )


def _lost(scores: Scores, *, is_import: bool) -> list[ReportWarning]:
    failed = sum(row.overall.counts.failed for row in scores.rows)
    unusable = sum(row.overall.counts.unusable for row in scores.rows)
    if not failed and not unusable:
        return []
    parts = [f"{failed:,} requests failed"] * bool(failed) + [f"{unusable:,} slots are unusable"] * bool(
        unusable
    )
    text = f"{' and '.join(parts)}. They count as not right in the accuracy and are left out of MG and ML."
    if failed and not is_import:
        text += " Run the same command again to ask only for those that failed."
    return [ReportWarning("partial", text)]


def _provenance(manifest: Manifest, replies: RepliesRead) -> Provenance:
    return Provenance(
        run=manifest.run,
        created=manifest.created.isoformat(timespec="seconds"),
        vlbench=manifest.vlbench,
        python=manifest.python,
        packages=dict(sorted(manifest.packages.items())),
        benchmark=manifest.benchmark.name,
        benchmark_version=manifest.benchmark.version,
        data=_file_name(manifest.data.source),
        data_sha256=manifest.data.sha256,
        data_revision=manifest.data.revision,
        data_rows=manifest.data.rows,
        prompt=manifest.prompt.id,
        prompt_version=manifest.prompt.version,
        prompt_sha256=manifest.prompt.sha256,
        selection=manifest.selection.model_dump(mode="json"),
        models=tuple(_model(manifest, variant, replies) for variant in manifest.variants),
        readers=replies.readers,
        image_max_side=manifest.image_max_side,
        changed=tuple(ChangedPictures(one.provider, one.pictures, one.steps) for one in manifest.changed),
        retried=tuple(Retried(one.kinds, one.max_output_tokens) for one in manifest.retried),
        servers=_servers(manifest),
    )


def _servers(manifest: Manifest) -> tuple[Servers, ...]:
    told = Counter((server.model, server.version, server.weights) for server in manifest.servers)
    return tuple(Servers(*said, replicas=replicas) for said, replicas in told.items())


def _model(manifest: Manifest, variant: Variant, replies: RepliesRead) -> ModelFacts:
    sent = manifest.decoding.get(variant.id, {})
    return ModelFacts(
        variant=variant.id,
        provider=variant.provider,
        model=variant.model,
        identity=variant.identity,
        base=variant.base,
        price=variant.price,
        reported=replies.reported.get(variant.id, ()),
        sent=tuple(
            SentParameters(condition, one.model_dump(mode="json", exclude_none=True, exclude_defaults=True))
            for condition, one in sorted(sent.items())
        ),
        adjustments=replies.adjustments.get(variant.id, ()),
    )


def _file_name(source: str) -> str:
    """A data file by its name alone: where it lay on one machine is nobody's business. Repositories stay."""
    for path in (PurePath(source), PureWindowsPath(source)):
        if path.is_absolute():
            return path.name
    return source
