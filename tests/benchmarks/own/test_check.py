"""A check names every broken row and what looks unintended, with its place in the file."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from vlbench.benchmarks.own.check import Checked, Finding, check_set, findings_of
from vlbench.benchmarks.registry import find_benchmark
from vlbench.types import Sample

Check = Callable[..., Checked]
ROW = {"question": "?", "options": ["a", "b"], "answer": "A", "image": "1.jpg"}


@pytest.fixture
def check(tmp_path: Path, jpeg: Callable[[int], bytes]) -> Check:
    def run(*rows: Mapping[str, Any] | str) -> Checked:  # Any: whatever JSON holds
        (tmp_path / "1.jpg").write_bytes(jpeg(1))
        lines = (row if isinstance(row, str) else json.dumps(row) for row in rows)
        (tmp_path / "my.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
        benchmark = find_benchmark(str(tmp_path / "my.jsonl"))
        return check_set(benchmark, benchmark.home, tmp_path / "cache")

    return run


def test_a_sound_set_has_nothing_to_say(check: Check) -> None:
    checked = check(ROW, ROW | {"answer": "b", "category": "x"})
    assert checked.errors == 0
    assert checked.golds == {"A": 1, "B": 1}
    assert [finding.reason for finding in checked.findings] == ["1 of 2 rows have no category"]


def test_every_broken_row_is_named_by_its_line(check: Check) -> None:
    checked = check(ROW, "", ROW | {"id": "x", "answer": "Z"}, "{", ROW | {"image": "2.jpg"})
    errors = [(one.place, one.sample) for one in checked.findings if one.kind == "error"]
    assert errors == [("line 3", "x"), ("line 4", "row-4"), ("line 5", "row-5")]
    assert checked.errors == 3


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"options": ["a", "b", "a "], "answer": "B"}, "its options A and C are equal ('a')"),
        ({"question": "In <image 2>?"}, "it speaks of <image 2>, but has 1 picture"),
        ({"image": None}, "it has no picture"),
    ],
)
def test_what_real_sets_have_is_a_warning(check: Check, change: dict[str, object], reason: str) -> None:
    checked = check(ROW | change)
    assert checked.findings == (Finding("warning", "row-1", reason, "line 1"),)


def test_a_gap_between_letters_is_a_warning() -> None:
    sample = Sample(id="1", question="?", options={"A": "x", "C": "y"}, gold="A")
    reasons = [finding.reason for finding in findings_of(sample)]
    assert reasons == ["its options are A, C: is one in between missing?", "it has no picture"]


def test_rotations_that_are_read_as_questions_are_a_warning(check: Check) -> None:
    checked = check(ROW | {"id": 7}, ROW | {"id": 1000007}, ROW | {"id": 1000008})
    (finding,) = checked.findings
    assert finding.reason.startswith("1 rows have the index of another row and some millions")


def test_golds_that_are_nearly_always_one_label_are_a_warning(check: Check) -> None:
    checked = check(*[ROW] * 20)
    (finding,) = checked.findings
    assert finding.reason.startswith("100% of the right answers are A: always answering A scores that")
