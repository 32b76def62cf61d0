"""Predictions of another tool as a finished run, which score and report read like any other."""

from __future__ import annotations

import hashlib
import os
import platform
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import vlbench
from vlbench.benchmarks.benchmark import Benchmark, Progress
from vlbench.benchmarks.index import indexed, silent
from vlbench.benchmarks.pack import Pack
from vlbench.benchmarks.registry import find_benchmark
from vlbench.engine.data_source import source_name
from vlbench.engine.importing.formats import READERS, FormatName, format_of
from vlbench.engine.importing.prediction import Prediction
from vlbench.errors import DatasetError, UsageError
from vlbench.scoring.readers import registry
from vlbench.scoring.readers.reader import Reader
from vlbench.state.events import (
    AnyEvent,
    AttemptFailed,
    ReplyArrived,
    RowPlan,
    RunEnded,
    RunStarted,
    Warned,
    to_line,
)
from vlbench.store.journal import Journal
from vlbench.store.manifest import BenchmarkFacts, DataFacts, Manifest, PromptFacts, Selection
from vlbench.store.run_dir import RunDir, create, new_run_id
from vlbench.types import Condition, Reply, Sample, Show, Variant

FILE_LANE: Final = "file"
_SHOWN_IDS: Final = 5


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """What the user says of a prediction file. `form` None: told by the file; `model` None: by its name.

    `data` is the benchmark's own file: its questions, options and golds are taken, and every sample of it
    that has no prediction counts as failed. Without it, predictions that hold no golds are joined with the
    data a run would take; `cache_dir` is where that is kept, None not to look for it. `show` is how the model
    was shown the samples.
    """

    benchmark: str
    form: FormatName | None = None
    model: str | None = None
    data: Path | None = None
    cache_dir: Path | None = None
    show: Show = "image"
    reader: str = registry.DEFAULT
    name: str | None = None


@dataclass(frozen=True, slots=True)
class _Ground:
    """What was asked: the samples in order, and where they come from."""

    samples: tuple[Sample, ...]
    facts: DataFacts


def import_predictions(
    path: Path, options: ImportOptions, runs_dir: Path, progress: Progress = silent
) -> RunDir:
    """Write the predictions in `path` as a finished run and return its directory.

    `progress` hears of data that is fetched. Raises DatasetError naming file and row, UsageError for an
    unknown benchmark or reader, StoreError when the run cannot be written.
    """
    benchmark, reader = find_benchmark(options.benchmark), registry.reader(options.reader)
    form = options.form or format_of(path)
    predictions = _read(path, form)
    ground = _ground(path, predictions, benchmark, options, progress)
    created = datetime.now(UTC)
    variant = _variant(path, form, options.model or model_of(path, benchmark.name))
    manifest = Manifest(
        run=options.name or new_run_id(f"{benchmark.name}-{form}", created),
        created=created,
        vlbench=vlbench.__version__,
        python=platform.python_version(),
        benchmark=BenchmarkFacts(
            name=benchmark.name,
            version=benchmark.version,
            levels=benchmark.levels,
            metrics=benchmark.metrics,
        ),
        data=ground.facts,
        prompt=PromptFacts(id=f"as {form} asked", version="unknown", sha256=""),
        variants=(variant,),
        conditions=(Condition(show=options.show),),
        selection=Selection(order="file"),
        reader=reader.name,
    )
    directory = create(runs_dir, manifest, ground.samples)
    with directory.lock(), Journal(directory.journal_path) as log:
        for event in _events(directory, manifest, predictions, ground.samples, reader):
            log.append(to_line(event))
    return directory


def model_of(path: Path, benchmark: str) -> str:
    """The model as the tools name it in a path.

    VLMEvalKit writes `<model>_<benchmark>.xlsx`, lmms-eval `<model>/<date>_samples_<task>.jsonl`.
    """
    if "_samples_" in path.name:
        return path.absolute().parent.name
    stem = path.stem
    cut = stem.lower().rfind(f"_{benchmark.lower()}")
    return stem[:cut] if cut > 0 else stem


def _read(path: Path, form: FormatName) -> dict[str, Prediction]:
    """The predictions by sample id. Raises DatasetError when there are none, or two for one sample."""
    found: dict[str, Prediction] = {}
    try:
        for prediction in READERS[form](path):
            known = found.setdefault(prediction.sample.id, prediction)
            if known is not prediction:
                raise DatasetError(
                    f"{path}: {known.place} and {prediction.place} are both of sample "
                    f"{prediction.sample.id!r}. Take one of them out."
                )
    except OSError as error:
        raise DatasetError(f"The prediction file {path} cannot be read ({error.strerror}).") from error
    if not found:
        raise DatasetError(f"{path} holds no predictions. Check that it is the right file.")
    return found


def _ground(
    path: Path,
    predictions: dict[str, Prediction],
    benchmark: Benchmark,
    options: ImportOptions,
    progress: Progress,
) -> _Ground:
    if options.data is not None:
        samples = _samples_in(options.data, benchmark)
        _check_belonging(path, predictions, str(options.data), samples)
        return _Ground(samples, _data_facts(options.data, len(samples)))
    unusable = [one for one in predictions.values() if one.sample.problem]
    if len(unusable) < len(predictions):
        depth = len(benchmark.levels)
        samples = tuple(
            one.sample.model_copy(update={"categories": one.sample.categories[:depth]})
            for one in predictions.values()
        )
        return _Ground(samples, _data_facts(path, len(samples)))
    if options.cache_dir is not None and (benchmark.draw is not None or benchmark.home is not None):
        return _ground_of_a_run(path, predictions, benchmark, options.cache_dir, progress)
    first = unusable[0]
    raise DatasetError(
        f"{path}: no row can be scored. {first.place} (sample {first.sample.id}): "
        f"{first.sample.problem}. Give the benchmark's own file with --data; the rows are joined by id."
    )


def _samples_in(data: Path, benchmark: Benchmark) -> tuple[Sample, ...]:
    """The samples of the benchmark's own file, without their pictures."""
    if benchmark.read is None:
        raise UsageError(f"The benchmark {benchmark.name} draws its own rows; --data cannot be used with it.")
    with tempfile.TemporaryDirectory(prefix="vlbench-") as scratch, Pack(Path(scratch) / "pictures") as pack:
        return tuple(row.sample for row in benchmark.read(data, pack))


def _ground_of_a_run(
    path: Path,
    predictions: dict[str, Prediction],
    benchmark: Benchmark,
    cache_dir: Path,
    progress: Progress,
) -> _Ground:
    """What a run of the benchmark would ask, fetched or drawn where it is not there yet."""
    found = indexed(benchmark, None, cache_dir, progress)
    samples = tuple(found.samples())
    name = source_name(benchmark, benchmark.home)
    _check_belonging(path, predictions, name, samples)
    facts = DataFacts(source=name, sha256=found.data_sha256, revision=found.revision, rows=found.rows)
    return _Ground(samples, facts)


def _check_belonging(
    path: Path, predictions: dict[str, Prediction], data: str, samples: Sequence[Sample]
) -> None:
    known = {sample.id for sample in samples}
    strange = [one for one in predictions if one not in known]
    if strange:
        raise DatasetError(
            f"{path} and {data} do not belong together: {len(strange):,} of {len(predictions):,} predicted "
            f"samples are not in the data, such as {', '.join(strange[:_SHOWN_IDS])}. Check both files."
        )


def _variant(path: Path, form: FormatName, model: str) -> Variant:
    return Variant(
        id=model,
        provider=form,
        model=model,
        lane=FILE_LANE,
        wire="file",
        urls=(),
        identity=f"predictions {_sha256(path)[:16]}",
    )


def _data_facts(source: Path, rows: int) -> DataFacts:
    return DataFacts(source=source.name, sha256=_sha256(source), rows=rows)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _events(
    directory: RunDir,
    manifest: Manifest,
    predictions: dict[str, Prediction],
    samples: Sequence[Sample],
    reader: Reader,
) -> Iterable[AnyEvent]:
    variant, condition = manifest.variants[0], manifest.conditions[0]
    yield RunStarted(
        run=directory.name,
        benchmark=manifest.benchmark.name,
        samples=len(samples),
        repeats=1,
        rows=(RowPlan(variant=variant.id, condition=condition),),
        pid=os.getpid(),
        vlbench=vlbench.__version__,
    )
    yield Warned(
        subject="imported", message=f"These are predictions of {variant.provider}, not asked by vlbench."
    )
    failed = 0
    for sample in samples:
        if sample.problem is not None:
            continue  # a broken row is unusable whatever was predicted
        prediction = predictions.get(sample.id)
        if prediction is None or prediction.is_failure:
            failed += 1
            yield _failure(variant, condition, sample, prediction)
            continue
        reply = Reply(text=prediction.text, model=variant.model)
        yield ReplyArrived(
            variant=variant.id,
            condition=condition.id,
            sample=sample.id,
            key="",
            reply=reply,
            answer=reader.read(reply, sample.options),
            reader=reader.id,
        )
    message = f"{failed:,} samples have no prediction" if failed else "every sample has a prediction"
    yield RunEnded(status="partial" if failed else "complete", message=message)


def _failure(
    variant: Variant, condition: Condition, sample: Sample, prediction: Prediction | None
) -> AttemptFailed:
    said = "there is no prediction for it" if prediction is None else prediction.text.strip()[:200]
    return AttemptFailed(
        variant=variant.id,
        condition=condition.id,
        sample=sample.id,
        lane=FILE_LANE,
        attempt=1,
        kind="not_predicted" if prediction is None else "failed_elsewhere",
        message=said,
        final=True,
    )
