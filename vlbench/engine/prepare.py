"""From options to a run directory that is ready to be worked on. Nothing is sent here."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import vlbench
from vlbench.benchmarks.benchmark import Benchmark, Progress
from vlbench.benchmarks.index import IndexedData, indexed
from vlbench.benchmarks.problems import listed
from vlbench.benchmarks.registry import find_benchmark
from vlbench.catalog.load import Catalog
from vlbench.catalog.prices import price_of, require_prices
from vlbench.catalog.profile import PromptProfile
from vlbench.catalog.target import parse_target
from vlbench.engine.arrange import arranged
from vlbench.engine.asked import BUILT_IN, Asked, conditions_of, plan_lanes, resolve_all, worded
from vlbench.engine.data_source import source_name, source_of, whole_name
from vlbench.engine.fitting import FITTED, fitted
from vlbench.engine.options import RunOptions
from vlbench.engine.plan import LanePlan
from vlbench.engine.rehearsal import rehearse
from vlbench.engine.selection import choose, chosen_samples
from vlbench.engine.servers import check_routes, identified
from vlbench.errors import UsageError
from vlbench.prompting.fingerprint import profile_hash
from vlbench.scoring.readers.registry import reader_for
from vlbench.store.manifest import BenchmarkFacts, DataFacts, Manifest, PromptFacts, Retried, Selection
from vlbench.store.run_dir import RunDir, beginning, check_name, continuable, create, new_run_id
from vlbench.store.samples import SampleIndex
from vlbench.store.workspace import Workspace
from vlbench.types import Condition

HTTP_PACKAGES = ("httpx", "aiohttp")
SDK_PACKAGES = {
    "openai-chat": "openai",
    "responses": "openai",
    "messages": "anthropic",
    "gemini": "google-genai",
}


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Where a command runs: its directory, its environment, and the workspace they name."""

    cwd: Path
    environ: Mapping[str, str]
    workspace: Workspace

    @classmethod
    def of(cls, cwd: Path, environ: Mapping[str, str], cache_dir: Path | None = None) -> Surroundings:
        return cls(cwd, environ, Workspace.find(cwd, environ, cache_dir))


@dataclass(frozen=True, slots=True)
class Prepared:
    """A run that can begin: what is asked of whom, and which samples of which data."""

    benchmark: Benchmark
    data: IndexedData
    manifest: Manifest
    lanes: tuple[LanePlan, ...]
    chosen: list[int]
    index: SampleIndex


@contextmanager
def prepared(
    name: str,
    options: RunOptions,
    around: Surroundings,
    progress: Progress,
    *,
    ask_servers: bool = True,
    earlier: Manifest | None = None,
) -> Iterator[Prepared]:
    """Resolve everything one benchmark of a run needs; what can be wrong is found before data is fetched.

    Servers of the user's own are asked which weights they serve, unless `ask_servers` is off. `earlier` is
    the run to be continued, if it is known; its prices hold. Raises `UsageError`, `CatalogError` or
    `DatasetError`; broken rows end it unless `skip_bad` is set.
    """
    catalog = Catalog.open(around.cwd, trust=options.trust)
    benchmark = find_benchmark(name)
    reader = reader_for(benchmark.name, options.reader).name
    options = options.model_copy(update={"benchmarks": (name,), "reader": reader})
    profile = _profile(catalog, benchmark, options)
    cache_dir = around.workspace.cache_dir
    named = tuple(_priced(resolve_all(options, catalog, around.environ, around.cwd), earlier))
    if options.max_cost is not None:
        require_prices([(one.variant, catalog.provider_path(one.entry.id)) for one in named])
    check_routes(named)
    servers = identified(named, cache_dir, ask=ask_servers)
    asked = servers.asked
    lanes = plan_lanes(asked, profile, options)
    source = source_of(benchmark, options)
    data = indexed(benchmark, source, cache_dir, progress)
    if data.problems and not options.skip_bad:
        raise listed(data.problems, source_name(benchmark, source))
    with SampleIndex.open(Path(data.samples_path)) as index:
        selection = Selection(
            limit=options.limit,
            ids=options.ids,
            categories=options.category,
            skipped=tuple(problem.id for problem in data.problems),
            shuffle=options.shuffle_options,
            circular=options.circular,
        )
        facts = DataFacts(
            source=source_name(benchmark, source),
            sha256=data.data_sha256,
            revision=data.revision,
            rows=data.rows,
        )
        known = _facts(benchmark, index, selection)
        manifest = _manifest(options, known, facts, profile, asked, lanes, selection)
        scratch = cache_dir / "scratch"
        with (
            arranged(index, choose(index, selection), selection, scratch) as (shown, chosen),
            fitted(lanes, shown, chosen, data.extent, cache_dir / FITTED, progress) as sent,
        ):
            seen = {
                "combined": rehearse(sent.lanes, shown, chosen),
                "changed": sent.changed,
                "servers": servers.servers,
            }
            manifest = manifest.model_copy(update=seen)
            yield Prepared(benchmark, data, manifest, sent.lanes, chosen, shown)


def open_directory(ready: Prepared, options: RunOptions, runs_dir: Path) -> RunDir:
    """The directory to work in: the run these options continue, widened to them, or a new one.

    Raises StoreError when that run is alive, before anything in it is changed, or cannot be continued so.
    """
    samples = chosen_samples(ready.index, ready.chosen)
    with beginning(runs_dir):
        known = continued(ready, options, runs_dir)
        if known is not None:
            with known.lock():
                known.extend(ready.manifest, samples)
            return known
        if options.retry and options.decoding.max_output_tokens is not None:
            raise UsageError(
                "There is no run with this output limit whose replies could be asked again. To ask replies "
                "of an earlier run again with another limit: vlbench resume RUN --retry truncated "
                f"--max-tokens {options.decoding.max_output_tokens}"
            )
        return create(runs_dir, ready.manifest, samples)


def continued(ready: Prepared, options: RunOptions, runs_dir: Path) -> RunDir | None:
    """The run these options go on with, by the name given or by what it asks; None for a new one."""
    if options.fresh:
        return None
    if options.name is None:
        return continuable(runs_dir, ready.manifest)
    named = RunDir(runs_dir / check_name(options.name))
    return named if named.manifest_path.exists() else None


def _priced(asked: Iterable[Asked], earlier: Manifest | None) -> Iterator[Asked]:
    """With the prices of today, which the manifest keeps: a report must not change with a list of prices."""
    for one in asked:
        variant = one.variant.model_copy(update={"price": price_of(one.variant, one.entry)})
        yield replace(one, variant=earlier.at_price(variant) if earlier else variant)


def _profile(catalog: Catalog, benchmark: Benchmark, options: RunOptions) -> PromptProfile:
    profile = catalog.profile(benchmark.prompts or benchmark.name, options.prompt)
    profile = worded(profile, options)
    if options.shots == 2 and not profile.exemplars_for(profile.wording(Condition(show="text", shots=2))):
        raise UsageError(f"The prompt profile {profile.id} has no examples, so --shots 2 cannot be used.")
    return profile


def _facts(benchmark: Benchmark, index: SampleIndex, selection: Selection) -> BenchmarkFacts:
    """What the manifest says of the benchmark: no more category levels than its samples have."""
    depth = max(map(len, index.categories), default=0)
    circular = ("circular",) if selection.circular else ()
    return BenchmarkFacts(
        name=benchmark.name,
        version=benchmark.version,
        levels=benchmark.levels[:depth],
        metrics=(*benchmark.metrics, *circular),
    )


def _manifest(
    options: RunOptions,
    benchmark: BenchmarkFacts,
    data: DataFacts,
    profile: PromptProfile,
    asked: tuple[Asked, ...],
    lanes: tuple[LanePlan, ...],
    selection: Selection,
) -> Manifest:
    subjects = [conditions_of(one, options) for one in asked if not one.variant.base]
    bases = [conditions_of(one, options) for one in asked if one.variant.base]
    created = datetime.now(UTC)
    return Manifest(
        run=options.name or new_run_id(benchmark.name, created),
        created=created,
        vlbench=vlbench.__version__,
        python=platform.python_version(),
        benchmark=benchmark,
        data=data,
        prompt=PromptFacts(id=profile.id, version=str(profile.version), sha256=profile_hash(profile)),
        variants=tuple(one.variant for one in asked),
        conditions=_union(subjects),
        base_conditions=_union(bases),
        decoding={
            one.variant.id: {
                row.condition.id: row.decoding
                for lane in lanes
                for row in lane.rows
                if row.variant.id == one.variant.id
            }
            for one in asked
        },
        repeats=options.repeats,
        selection=selection,
        reader=options.reader,
        packages=_packages(lanes),
        image_max_side=options.image_max_side,
        retried=_retried(options),
        options=frozen(options, asked).model_dump(mode="json", exclude_defaults=True),
    )


def _retried(options: RunOptions) -> tuple[Retried, ...]:
    if not options.retry:
        return ()
    return (Retried(kinds=tuple(sorted(options.retry)), max_output_tokens=options.retry_max_tokens),)


def frozen(options: RunOptions, asked: tuple[Asked, ...]) -> RunOptions:
    """The options of this one run, with every target and path spelt out so that no default matters."""
    named = iter(asked)
    providers = tuple(_spelt(text, next(named)) for text in options.providers or (BUILT_IN,))
    base = None if options.base is None else _spelt(options.base, next(named))
    update = {
        "benchmarks": tuple(map(whole_name, options.benchmarks)),
        "providers": providers,
        "base": base,
        "data": options.data and options.data.expanduser().absolute(),
        "fresh": False,
        "retry": (),
        "retry_max_tokens": None,
    }
    return options.model_copy(update=update)


def _spelt(text: str, one: Asked) -> str:
    target = parse_target(text)
    urls = one.variant.urls if target.urls or target.url_file else ()
    return f"{one.variant.id}@{'|'.join(urls)}" if urls else one.variant.id


def _union(conditions: list[tuple[Condition, ...]]) -> tuple[Condition, ...]:
    return tuple(dict.fromkeys(condition for one in conditions for condition in one))


def _packages(lanes: tuple[LanePlan, ...]) -> dict[str, str]:
    found: dict[str, str] = {}
    sdks = {SDK_PACKAGES[lane.entry.wire] for lane in lanes if lane.entry.wire in SDK_PACKAGES}
    for package in (*HTTP_PACKAGES, "pillow", *sdks):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return dict(sorted(found.items()))
