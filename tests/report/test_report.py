"""What a report says of small runs, against numbers counted by hand."""

from __future__ import annotations

import shutil
from collections.abc import Callable

import pytest

from vlbench.errors import UsageError
from vlbench.report.data import ReportData
from vlbench.report.formats import FORMATS, rendered
from vlbench.report.report import open_report
from vlbench.scoring.intervals import wilson
from vlbench.state.events import LaneStopped, Warned
from vlbench.store.run_dir import RunDir
from vlbench.types import Condition

IMAGE, TEXT, BASE = Condition(show="image"), Condition(show="text"), Condition(show="text", shots=2)
CATEGORIES = [("x", "p"), ("x", "q"), ("y", "r"), ("y", "r")]

MakeRun = Callable[..., RunDir]


@pytest.fixture
def three_rows(make_run: MakeRun) -> RunDir:
    """A model with and without the picture and a base on four samples; every gold is A."""
    return make_run(
        {
            ("m", IMAGE): ["A", "A", "B", None],
            ("m", TEXT): ["A", "B", "?", "A"],
            ("b", BASE): ["B", "B", "B", "A"],
        },
        categories=CATEGORIES,
        base="b",
    )


def test_accuracy_counts_a_failure_as_not_right(three_rows: RunDir) -> None:
    seen = open_report(three_rows).rows[0]
    assert (seen.variant, seen.condition) == ("m", IMAGE)
    assert (seen.overall.right, seen.overall.total, seen.overall.answered) == (2, 4, 3)
    assert seen.overall.value == 0.5
    assert seen.overall.of_answered == pytest.approx(2 / 3)
    assert seen.overall.coverage == 0.75
    assert seen.overall.interval == wilson(0.5, 4)
    assert seen.overall.counts.failed == 1


def test_the_three_averages_differ_and_have_their_names(three_rows: RunDir) -> None:
    averages = open_report(three_rows).rows[0].averages
    assert averages.sample_mean == 0.5
    assert averages.coarse_mean == 0.5
    assert averages.fine_mean == pytest.approx(2 / 3)


def test_gain_rests_on_pairs_and_leakage_on_the_base(three_rows: RunDir) -> None:
    (gain,) = open_report(three_rows).gains
    assert gain.overall.pairs == 3
    assert gain.overall.mg == pytest.approx(2 / 3 - 1 / 3)
    assert gain.overall.ml == pytest.approx(1 / 3)
    assert gain.overall.leakage is not None
    assert gain.overall.leakage.value == pytest.approx(2 / 4 - 1 / 4)


def test_leakage_without_a_base_is_undefined_not_zero(make_run: MakeRun) -> None:
    run = make_run({("m", IMAGE): ["A"], ("m", TEXT): ["B"]}, categories=[("x", "p")])
    (gain,) = open_report(run).gains
    assert gain.overall.leakage is None
    assert "—" in rendered([open_report(run)], "table")


def test_a_failed_request_makes_the_first_line_partial(three_rows: RunDir) -> None:
    report = open_report(three_rows)
    assert report.stage == "partial"
    assert [warning.kind for warning in report.warnings] == ["partial"]
    assert rendered([report], "table").startswith("PARTIAL, 1 of 12 without a reply: demo")


def test_an_open_slot_makes_the_first_line_provisional(make_run: MakeRun) -> None:
    run = make_run({("m", IMAGE): ["A"]}, categories=[("x", "p"), ("x", "p")], ended=False)
    report = open_report(run)
    assert report.stage == "provisional"
    assert rendered([report], "md").startswith("## PROVISIONAL, 1 of 2 done: demo")


def test_an_unusable_sample_is_named_with_its_problem(make_run: MakeRun) -> None:
    run = make_run({("m", IMAGE): ["A", None]}, categories=[("x", "p")] * 2, problems=(1,))
    report = open_report(run)
    assert report.stage == "partial"
    assert any("s1: its image is broken" in warning.text for warning in report.warnings)


def test_refusals_without_the_picture_are_warned_of_beside_the_gain(make_run: MakeRun) -> None:
    refusal = "I'm sorry, but I can't help with that."
    run = make_run({("m", IMAGE): ["A"] * 4, ("m", TEXT): ["A", "A", "A", refusal]}, categories=CATEGORIES)
    (warning,) = open_report(run, "strict").warnings
    assert warning.kind == "refusals"
    assert "--shots 2" in warning.text


def test_stopped_lanes_and_warnings_of_the_run_are_passed_on(make_run: MakeRun) -> None:
    run = make_run(
        {("m", IMAGE): ["A"]},
        categories=[("x", "p")],
        extra=(
            LaneStopped(lane="local", kind="auth_failed", message="The key is wrong."),
            Warned(subject="cache", message="No cache."),
            Warned(subject="m", message="temperature=0.7 is not sent"),
        ),
    )
    texts = [warning.text for warning in open_report(run).warnings]
    assert texts == ["local stopped: The key is wrong.", "No cache.", "m: temperature=0.7 is not sent"]


def test_a_run_killed_before_its_first_event_has_a_report(make_run: MakeRun) -> None:
    run = make_run({("m", IMAGE): ["A"]}, categories=[("x", "p")])
    run.journal_path.unlink()
    for form in FORMATS:
        assert rendered([open_report(run)], form)


def test_rules_are_counted_by_row(three_rows: RunDir) -> None:
    rules = open_report(three_rows).rows[1].rules
    assert [(rule.rule, rule.replies) for rule in rules] == [("official", 3)]


def test_provenance_names_the_data_by_file_and_hash_alone(three_rows: RunDir) -> None:
    report = open_report(three_rows)
    facts = report.provenance
    assert (facts.data, facts.data_sha256) == ("mmstar.tsv", "ab" * 32)
    assert facts.models[0].reported == ("m-model",)
    assert facts.models[0].sent[0].parameters == {"temperature": 0.0, "max_output_tokens": 64}
    assert facts.readers == ("mmstar-official@1",)
    for form in FORMATS:
        text = rendered([report], form)
        assert "/home/someone" not in text
        assert str(three_rows.path) not in text


@pytest.mark.parametrize("form", FORMATS)
def test_the_same_journal_gives_the_same_bytes_anywhere(three_rows: RunDir, form: str) -> None:
    before = rendered([open_report(three_rows)], form)  # type: ignore[arg-type]  # one of FORMATS
    moved = RunDir(three_rows.path.parent.parent / "elsewhere" / "copy")
    shutil.copytree(three_rows.path, moved.path)
    assert rendered([open_report(moved)], form) == before  # type: ignore[arg-type]  # one of FORMATS


def test_a_line_cut_by_a_kill_changes_nothing(three_rows: RunDir) -> None:
    whole = open_report(three_rows)
    with three_rows.journal_path.open("ab") as file:
        file.write(b'{"v":1,"seq":99')
    assert open_report(three_rows) == whole


def mixed(report: ReportData) -> dict[str, bool]:
    return {one.sample: one.changes_verdict for one in report.comparisons[0].differences}


def test_the_second_reader_stands_beside_the_first(make_run: MakeRun) -> None:
    run = make_run({("m", IMAGE): ["A", "**A**", "An owl? No: B", "D"]}, categories=CATEGORIES)
    report = open_report(run)
    assert report.reader == "mmstar-official@1"
    (comparison,) = report.comparisons
    assert comparison.other.startswith("strict@")
    assert mixed(report)["s1"] is True
    assert "s0" not in mixed(report)
    assert "s3" not in mixed(report)
    (row,) = comparison.rows
    assert row.value == 2 / 4
    assert row.only_other >= 1
    assert comparison.verdict_changes == row.only_first + row.only_other


def test_reading_again_can_be_compared_with_the_journal(make_run: MakeRun) -> None:
    run = make_run({("m", IMAGE): ["A", "**A**"]}, categories=[("x", "p")] * 2)
    report = open_report(run, "strict", against=("journal",))
    (comparison,) = report.comparisons
    assert comparison.journalled
    assert comparison.other == "mmstar-official@1"
    (row,) = comparison.rows
    assert (row.value, row.other, row.only_first, row.only_other) == (1.0, 0.5, 1, 0)


def test_official_is_the_benchmarks_own_reader(make_run: MakeRun) -> None:
    run = make_run({("m", IMAGE): ["A"]}, categories=[("x", "p")])
    assert open_report(run, "official").reader == "mmstar-official@1"
    with pytest.raises(UsageError, match="no answer reader called 'wrong'"):
        open_report(run, "wrong")


def test_only_the_last_reply_of_a_slot_counts_in_a_comparison(make_run: MakeRun) -> None:
    run = make_run({("m", IMAGE): ["**A**"]}, categories=[("x", "p")])
    again = run.journal_path.read_bytes().splitlines()[1].replace(b"**A**", b"A")
    fresh = again.replace(b'"outcome":"unparsed"', b'"outcome":"answered","label":"A"')
    with run.journal_path.open("ab") as file:
        file.write(fresh.replace(b'"seq":2', b'"seq":9') + b"\n")
    assert open_report(run).comparisons[0].differences == ()
