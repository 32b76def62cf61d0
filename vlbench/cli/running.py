"""Doing what `vlbench run` and `vlbench resume` ask for: one run after the other, watched and reported."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from functools import partial
from pathlib import Path

import anyio

from vlbench.adapters.adapter import Adapter
from vlbench.adapters.registry import adapter_for
from vlbench.benchmarks.registry import find_benchmark
from vlbench.cli.detached import Left, run_detached
from vlbench.cli.outcome import EXIT_CODES, how_to_go_on, worst
from vlbench.cli.progress import tell_progress
from vlbench.cli.settled import settled
from vlbench.cli.watching import drawing_for
from vlbench.engine.adding import FurtherTargets
from vlbench.engine.forecast import Forecast, forecast
from vlbench.engine.notes import notes_of
from vlbench.engine.options import RunOptions
from vlbench.engine.plan import LanePlan
from vlbench.engine.prepare import Prepared, Surroundings, continued, open_directory, prepared
from vlbench.engine.session import Session, session
from vlbench.errors import StoreError, UsageError, VlbenchError
from vlbench.printable import printable
from vlbench.state.events import AnyEvent, RunEnded, to_line
from vlbench.state.loaded import loaded
from vlbench.store.cache import ResponseCache
from vlbench.store.cache_opening import open_cache
from vlbench.store.canonical import json_bytes
from vlbench.store.run_dir import RunDir, find
from vlbench.store.workspace import Workspace

BUILT_IN_BENCHMARKS = ("shapes", "shapes-diff", "shapes-min")
DEFAULT_BENCHMARKS = ("mmstar",)
MESSAGE_LENGTH = 500


class RunBroken(StoreError):
    """The directory of a run failed under it: requests were sent, so this is no usage error."""

    exit_code = EXIT_CODES["partial"]


def run_all(asked: RunOptions, *, ui: str, dry_run: bool) -> int:
    """One run per benchmark, in order; the exit code is that of the worst.

    What is wrong with a later benchmark than the first cannot be a usage error any more, after which nothing
    was sent: it is told, and the command was partial.
    """
    around = Surroundings.of(Path.cwd(), os.environ, asked.cache_dir)
    names = asked.benchmarks or (DEFAULT_BENCHMARKS if asked.providers else BUILT_IN_BENCHMARKS)
    ui = _resolved(ui)
    for later in names[1:]:
        find_benchmark(later)  # A slip in the last name is told before the first is paid for.
    codes: list[int] = []
    for number, name in enumerate(names, start=1):
        options = _named(asked, name, len(names))
        try:
            left = _run_one(name, options, around, ui, dry_run=dry_run, is_last=number == len(names))
        except VlbenchError as error:
            if not codes or dry_run:
                raise
            _say(f"vlbench: {error}")
            left = Left(EXIT_CODES["partial"], goes_on=False)
        codes.append(left.code)
        if left.goes_on and names[number:]:
            _say(f"Not begun: {', '.join(names[number:])}. Run the same command again to go on.")
        if left.goes_on or left.code == EXIT_CODES["interrupted"]:
            break
    return worst(codes)


def _run_one(
    name: str, options: RunOptions, around: Surroundings, ui: str, *, dry_run: bool, is_last: bool
) -> Left:
    with prepared(name, options, around, tell_progress, ask_servers=not dry_run) as ready:
        if dry_run:
            return Left(_show_forecast(ready, options, around), goes_on=False)
        directory = open_directory(ready, options, around.workspace.runs_dir)
        left = _carry_out(directory, ready, options, around, ui, is_last=is_last)
    if not left.goes_on:
        _show_result(directory, ui)
    return left


def _named(options: RunOptions, benchmark: str, benchmarks: int) -> RunOptions:
    """The options of one of several runs: a name that was given for all is made one of its own."""
    if options.name is None or benchmarks == 1:
        return options
    own = re.sub(r"[^A-Za-z0-9._-]+", "-", benchmark)
    return options.model_copy(update={"name": f"{options.name}-{own}"})


def resume_run(name: str | None, typed: Mapping[str, object], *, ui: str) -> int:
    """Go on with one run as its manifest says, under the limits typed now."""
    ui = _resolved(ui)
    workspace = Workspace.find(Path.cwd(), os.environ)
    directory = find(workspace.runs_dir, name)
    manifest = directory.manifest()
    if not manifest.options:
        raise UsageError(f"{directory.name} holds predictions of another tool: there is nobody to ask.")
    asked = RunOptions.model_validate({**manifest.options, **typed, "name": directory.name})
    if not asked.retry and (ended := settled(directory)):
        return _show_ended(directory, ended, ui)
    around = Surroundings.of(Path.cwd(), os.environ, asked.cache_dir)
    (benchmark,) = asked.benchmarks or (manifest.benchmark.name,)
    with prepared(benchmark, asked, around, tell_progress, earlier=manifest) as ready:
        directory = open_directory(ready, asked, directory.path.parent)
        left = _carry_out(directory, ready, asked, around, ui, is_last=True)
    if not left.goes_on:
        _show_result(directory, ui)
    return left.code


def _show_ended(directory: RunDir, ended: RunEnded, ui: str) -> int:
    message = printable(ended.message, MESSAGE_LENGTH).rstrip(".")
    _say(f"run {directory.name}: {ended.status}; {message}. Nothing is left to ask.")
    if ui == "json":
        _event_printer()(ended)
    _show_result(directory, ui)
    return EXIT_CODES[ended.status]


def _resolved(ui: str) -> str:
    """What `--ui auto` and `full` come to in this process: without a terminal nothing draws."""
    return drawing_for(ui, os.environ) if ui in ("auto", "full") else ui


def _carry_out(
    directory: RunDir, ready: Prepared, options: RunOptions, around: Surroundings, ui: str, *, is_last: bool
) -> Left:
    if ui == "full":
        return run_detached(directory, options, closes_at_end=not is_last)
    ended = _work_on(directory, ready, options, around, ui)
    return Left(EXIT_CODES[ended.status], goes_on=False)


def _work_on(
    directory: RunDir, ready: Prepared, options: RunOptions, around: Surroundings, ui: str
) -> RunEnded:
    _say(f"run {directory.name}: {', '.join(variant.id for variant in ready.manifest.variants)}")
    notes = notes_of(ready.lanes, ready.manifest.changed)
    for note in notes:
        _say(f"{note.subject}: {printable(note.message, MESSAGE_LENGTH)}")
    with (
        _cache(around) as (cache, warnings),
        FurtherTargets(directory, options, around) as further,
        session(
            directory,
            ready.lanes,
            options,
            cache=cache,
            adapter_of=adapter_of,
            listeners=(_event_printer(),) if ui == "json" else (),
            warnings=warnings,
            notes=notes,
            plan_for=further.plan_for,
        ) as work,
    ):
        try:
            ended = anyio.run(partial(work.run, beside=_view(work, ready, ui)))
        except StoreError as error:
            raise RunBroken(str(error)) from error
    _say(f"run {directory.name}: {ended.status}; {printable(ended.message, MESSAGE_LENGTH)}")
    if ended.status != "complete":
        _say(how_to_go_on(ended))
    return ended


def adapter_of(plan: LanePlan) -> Adapter:
    """The adapter of a lane; the built-in model's starts its server when it is first asked."""
    if plan.entry.built_in:
        from vlbench.simulator.built_in import BuiltInAdapter

        return BuiltInAdapter(plan.entry)
    return adapter_for(plan.entry, plan.urls, plan.key.get_secret_value() if plan.key else None)


def _view(work: Session, ready: Prepared, ui: str) -> Callable[[], Coroutine[None, None, None]] | None:
    if ui in ("json", "none"):
        return None
    from vlbench.report.plain import follow

    return partial(follow, work.work.state, f"vlbench {ready.benchmark.name}")


@contextmanager
def _cache(around: Surroundings) -> Iterator[tuple[ResponseCache, tuple[str, ...]]]:
    opened = open_cache(around.workspace.cache_dir, on_warning=_say)
    for warning in opened.warnings:
        _say(warning)
    try:
        yield opened.cache, opened.warnings
    finally:
        opened.cache.close()


def _show_forecast(ready: Prepared, options: RunOptions, around: Surroundings) -> int:
    from vlbench.report.forecast import print_forecast

    rows: list[Forecast]
    try:
        with _cache(around) as (cache, _):
            rows = _counted(ready, options, around, cache)
    except StoreError as error:
        _say(f"{error} Counting without the cache.")
        rows = _counted(ready, options, around, None)
    print_forecast(ready.benchmark.name, rows)
    return 0


def _counted(
    ready: Prepared, options: RunOptions, around: Surroundings, cache: ResponseCache | None
) -> list[Forecast]:
    known = continued(ready, options, around.workspace.runs_dir)
    with loaded(known) if known else nullcontext() as run:
        state = run.state if run else None
        return forecast(ready.lanes, ready.index, ready.chosen, options.repeats, cache, state)


def _show_result(directory: RunDir, ui: str) -> None:
    if ui in ("json", "none"):
        return
    from vlbench.report.show import print_run

    print_run(directory)


def _event_printer() -> Callable[[AnyEvent], None]:
    """Prints every event as a line until nobody reads them any more: what is paid for goes on without."""
    is_read = True

    def tell(event: AnyEvent) -> None:
        nonlocal is_read
        if not is_read:
            return
        line = {"v": event.v, "seq": event.seq, "time": event.time, **to_line(event)}
        try:
            sys.stdout.buffer.write(json_bytes(line) + b"\n")
            sys.stdout.buffer.flush()
        except OSError as error:
            is_read = False
            # What is still in the buffer would fail again when Python ends.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            _say(f"Standard output takes no more ({error.strerror}). The run goes on without it.")

    return tell


def _say(text: str) -> None:
    # A terminal that was closed must not cost the run its end.
    with suppress(OSError):
        print(text, file=sys.stderr, flush=True)
