"""The runs of a workspace in a few facts each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, Literal

from vlbench.errors import StoreError
from vlbench.report.cleaned import cleaned
from vlbench.report.figures import NONE, count, percent
from vlbench.report.layout import Column, Table
from vlbench.scoring.accuracy import Counts, accuracy_of
from vlbench.scoring.codes import Code
from vlbench.state.fold import RunState
from vlbench.state.loaded import loaded
from vlbench.state.rows import Row
from vlbench.store.run_dir import RunDir

Status = Literal["running", "complete", "partial", "budget", "interrupted", "damaged"]
SCHEMA_VERSION: Final = 1
# What else values changed by hand may come to; one directory must not hide the others.
_UNFORESEEN: Final = (ArithmeticError, LookupError, OSError, TypeError, ValueError)


@dataclass(frozen=True, slots=True)
class RunFacts:
    """One run of the list. `row` names the row of `accuracy` (a fraction), the first of the run.

    `last` is when the journal was last written to (ISO 8601, UTC), `problem` why a damaged run cannot be
    read.
    """

    name: str
    benchmark: str = ""
    variants: tuple[str, ...] = ()
    done: int = 0
    total: int = 0
    row: str = ""
    accuracy: float | None = None
    status: Status = "damaged"
    last: str | None = None
    problem: str | None = None


def run_facts(directory: RunDir) -> RunFacts:
    """The facts of one run; a run that cannot be read is `damaged`, and says why."""
    try:
        with loaded(directory) as run:
            state = run.state
            rows = list(state.rows.values())
            first = rows[0] if rows else None
            return cleaned(
                RunFacts(
                    name=directory.name,
                    benchmark=run.manifest.benchmark.name,
                    variants=tuple(variant.id for variant in run.manifest.variants),
                    done=sum(row.done for row in rows),
                    total=sum(row.total for row in rows),
                    row=f"{first.variant} · {first.condition.id}" if first else "",
                    accuracy=_accuracy(first) if first else None,
                    status=_status(directory, state),
                    last=_moment(state.last_time),
                )
            )
    except StoreError as error:
        return cleaned(RunFacts(name=directory.name, problem=str(error)))
    except _UNFORESEEN as error:
        return cleaned(RunFacts(name=directory.name, problem=f"{type(error).__name__}: {error}"))


def _accuracy(row: Row) -> float | None:
    counts = {code.name.lower(): row.counts[code] for code in Code}
    return accuracy_of(Counts(**counts)).value


def _status(directory: RunDir, state: RunState) -> Status:
    if directory.alive() is not None:
        return "running"
    if state.ended is None:
        return "interrupted"  # it was killed: nobody wrote its end
    if state.ended.status == "complete" and any(row.counts[Code.UNUSABLE] for row in state.rows.values()):
        return "partial"
    return state.ended.status


def _moment(seconds: float) -> str | None:
    try:
        return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds") if seconds else None
    except (ValueError, OverflowError, OSError):  # no moment that a calendar has
        return None


def run_table(runs: Iterable[RunFacts]) -> Table:
    """The list for people; times are UTC."""
    table = Table(
        "Runs, newest first",
        (
            Column("run"),
            Column("benchmark", wide=True),
            Column("variants"),
            Column("done", right=True),
            Column("accuracy %", right=True),
            Column("of", wide=True),
            Column("status"),
            Column("written (UTC)", right=True),
        ),
    )
    for run in runs:
        table.add(
            run.name,
            run.benchmark,
            ", ".join(run.variants),
            f"{count(run.done)}/{count(run.total)}",
            percent(run.accuracy),
            run.row,
            run.status,
            run.last[:16].replace("T", " ") if run.last else NONE,
        )
    return table


def run_list_json(runs: Sequence[RunFacts]) -> str:
    """`{"schema_version": 1, "runs": […]}` with the fields of `RunFacts`."""
    import orjson

    document = {"schema_version": SCHEMA_VERSION, "runs": list(runs)}
    return orjson.dumps(document, option=orjson.OPT_INDENT_2).decode() + "\n"
