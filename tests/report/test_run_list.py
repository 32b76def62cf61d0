from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest

from vlbench.report import run_list
from vlbench.report.run_list import run_facts, run_list_json, run_table
from vlbench.store.run_dir import RunDir
from vlbench.types import Condition

IMAGE = Condition(show="image")
MakeRun = Callable[..., RunDir]


def test_a_finished_run_shows_its_first_accuracy(make_run: MakeRun) -> None:
    facts = run_facts(make_run({("m", IMAGE): ["A", "A", "B"]}, categories=[("x", "p")] * 3))
    assert (facts.status, facts.done, facts.total, facts.row) == ("complete", 3, 3, "m · image")
    assert facts.accuracy == pytest.approx(2 / 3)
    assert facts.last == "2026-01-02T03:04:05+00:00"


def test_a_killed_run_is_interrupted(make_run: MakeRun) -> None:
    facts = run_facts(make_run({("m", IMAGE): ["A"]}, categories=[("x", "p")] * 3, ended=False))
    assert (facts.status, facts.done, facts.total) == ("interrupted", 1, 3)


def test_a_run_somebody_holds_is_running(make_run: MakeRun) -> None:
    run = make_run({("m", IMAGE): ["A"]}, categories=[("x", "p")], ended=False)
    with run.lock():
        assert run_facts(run).status == "running"


def test_a_run_with_unusable_samples_is_partial(make_run: MakeRun) -> None:
    run = make_run({("m", IMAGE): ["A", None]}, categories=[("x", "p")] * 2, problems=(1,))
    assert run_facts(run).status == "partial"


def test_a_damaged_run_says_why_and_hides_no_other(make_run: MakeRun) -> None:
    run = make_run({("m", IMAGE): ["A"]}, categories=[("x", "p")])
    run.manifest_path.write_text("{}", encoding="utf-8")
    facts = run_facts(run)
    assert facts.status == "damaged"
    assert facts.problem is not None
    assert "manifest.json" in facts.problem
    assert run_table([facts]).rows[0][0] == "demo"


def test_the_json_list_has_a_version_and_every_field(make_run: MakeRun) -> None:
    document = json.loads(
        run_list_json([run_facts(make_run({("m", IMAGE): ["A"]}, categories=[("x", "p")]))])
    )
    assert document["schema_version"] == 1
    assert list(document["runs"][0]) == [
        "name", "benchmark", "variants", "done", "total", "row", "accuracy", "status", "last", "problem",
    ]  # fmt: skip


@pytest.mark.parametrize("time", [b"1e300", b"-1e300", b"1e18", b"253402300800"])
def test_a_moment_no_calendar_has_is_not_told_and_hides_nothing(make_run: MakeRun, time: bytes) -> None:
    run = make_run({("m", IMAGE): ["A"]}, categories=[("x", "p")])
    lines = run.journal_path.read_bytes()
    head, _, last = lines.rstrip(b"\n").rpartition(b"\n")
    changed = re.sub(rb'"time":[0-9.e+]+', b'"time":' + time, last)
    assert changed != last
    run.journal_path.write_bytes(head + b"\n" + changed + b"\n")
    facts = run_facts(run)
    assert (facts.status, facts.done, facts.last) == ("complete", 1, None)


def test_a_directory_that_breaks_in_a_way_nobody_foresaw_is_damaged(
    make_run: MakeRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = make_run({("m", IMAGE): ["A"]}, categories=[("x", "p")])

    def breaks(directory: RunDir) -> None:
        raise OverflowError("too large")

    monkeypatch.setattr(run_list, "loaded", breaks)
    facts = run_facts(run)
    assert (facts.status, facts.problem) == ("damaged", "OverflowError: too large")
