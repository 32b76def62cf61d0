"""Variants of one run or two against each other, with numbers counted by hand."""

from __future__ import annotations

import csv
import io
import json
import unicodedata
from collections.abc import Callable

import pytest

from vlbench.errors import UsageError
from vlbench.report.formats import FORMATS, Format
from vlbench.report.versus import open_versus
from vlbench.report.versus_blocks import verdict, versus_blocks
from vlbench.report.versus_data import Side, Versus
from vlbench.report.versus_formats import versus_text
from vlbench.scoring.comparison import Comparison
from vlbench.scoring.intervals import Interval
from vlbench.store.manifest import PromptFacts
from vlbench.store.run_dir import RunDir
from vlbench.store.samples import SampleIndex, write_samples
from vlbench.types import Condition, Decoding

IMAGE, TEXT, BASE = Condition(show="image"), Condition(show="text"), Condition(show="text", shots=2)
MakeRun = Callable[..., RunDir]
X, Y = ("x", "p"), ("y", "q")

EVIL = "\x1b[2J[/red]\u202e|`<b>`\x9b31m\n=1+1"


def of_pair(interval: tuple[float, float] | None, p_value: float) -> Comparison:
    bounds = None if interval is None else Interval(*interval, "paired")
    return Comparison((), 10, 0.5, 0.4, 0.1, bounds, 3, 2, p_value)


@pytest.mark.parametrize(
    ("interval", "p_value", "expected"),
    [
        ((-0.1, 0.3), 0.4, "chance"),
        ((0.0, 0.3), 0.4, "chance"),
        ((0.1, 0.3), 0.01, "ahead"),
        ((-0.3, -0.1), 0.01, "ahead"),
        ((0.1, 0.3), 0.06, "undecided"),
        ((-0.1, 0.3), 0.04, "undecided"),
        (None, 1.0, "nothing"),
    ],
)
def test_chance_is_named_only_when_the_interval_holds_0(
    interval: tuple[float, float] | None, p_value: float, expected: str
) -> None:
    assert verdict(of_pair(interval, p_value)) == expected


def test_variants_of_one_run_meet_once_under_each_condition_they_share(make_run: MakeRun) -> None:
    run = make_run(
        {
            ("a", IMAGE): ["A"],
            ("a", TEXT): ["A"],
            ("b", IMAGE): ["B"],
            ("b", TEXT): ["B"],
            ("c", IMAGE): ["B"],
            ("base", BASE): ["B"],
        },
        categories=[X],
        base="base",
    )
    versus = open_versus(run)
    met = [(duel.condition, duel.first.variant, duel.second.variant) for duel in versus.duels]
    assert met == [("image", "a", "b"), ("image", "a", "c"), ("image", "b", "c"), ("text", "a", "b")]
    assert versus.unmatched == (Side("demo", "base"),)
    assert versus.runs == ("demo",)


def test_a_failure_of_one_side_leaves_the_sample_out(make_run: MakeRun) -> None:
    run = make_run(
        {("a", IMAGE): ["A", "A", "A", None], ("b", IMAGE): ["B", "A", None, "A"]}, categories=[X, X, Y, Y]
    )
    (duel,) = open_versus(run, categories=True).duels
    assert (duel.overall.pairs, duel.overall.first, duel.overall.second) == (2, 1.0, 0.5)
    assert (duel.overall.first_ahead, duel.overall.second_ahead) == (1, 0)
    assert (duel.left_out, duel.pending) == (2, 0)
    by_path = {one.path: one.pairs for one in duel.categories}
    assert by_path == {("x",): 2, ("x", "p"): 2, ("y",): 0, ("y", "q"): 0}


def test_without_a_reply_yet_a_comparison_is_provisional(make_run: MakeRun) -> None:
    run = make_run({("a", IMAGE): ["A", "A"], ("b", IMAGE): ["A"]}, categories=[X, X], ended=False)
    versus = open_versus(run)
    assert versus.duels[0].pending == 1
    assert "PROVISIONAL" in versus_text(versus, "table")


def test_all_replies_are_read_by_the_strict_reader_unless_another_is_named(make_run: MakeRun) -> None:
    run = make_run({("a", IMAGE): ["**A**"], ("b", IMAGE): ["A"]}, categories=[X])
    strict, official = open_versus(run), open_versus(run, None, "official")
    assert (strict.duels[0].overall.first, strict.readers[0].split("@")[0]) == (1.0, "strict")
    assert (official.duels[0].overall.first, official.readers) == (0.0, ("mmstar-official@1",))
    with pytest.raises(UsageError, match="no answer reader called 'wrong'"):
        open_versus(run, None, "wrong")


def test_two_runs_are_compared_on_the_samples_both_have_wherever_they_stand(make_run: MakeRun) -> None:
    first = make_run({("m", IMAGE): ["A", "B", "A"]}, categories=[X, X, Y], name="one")
    second = make_run({("m", IMAGE): ["B", "A", "A", "A"]}, categories=[X, X, Y, Y], name="two")
    with SampleIndex.open(second.samples_path) as index:
        turned = list(index.samples())[::-1]
    write_samples(second.samples_path, turned)
    versus = open_versus(first, second)
    (duel,) = versus.duels
    assert (duel.first, duel.second) == (Side("one", "m"), Side("two", "m"))
    assert (versus.samples, versus.only_first, versus.only_second) == (3, 0, 1)
    assert duel.overall.first == duel.overall.second == pytest.approx(2 / 3)
    assert (duel.overall.first_ahead, duel.overall.second_ahead) == (1, 1)
    assert "left out: 0 that only one has, 1 that only two has" in versus_text(versus, "table", width=140)


def test_variants_of_two_runs_are_matched_by_id_and_the_others_named(make_run: MakeRun) -> None:
    first = make_run({("a", IMAGE): ["A"], ("b", IMAGE): ["A"]}, categories=[X], name="one")
    second = make_run({("b", IMAGE): ["B"], ("c", IMAGE): ["B"]}, categories=[X], name="two")
    versus = open_versus(first, second)
    assert [(duel.first.variant, duel.second.variant) for duel in versus.duels] == [("b", "b")]
    assert versus.unmatched == (Side("one", "a"), Side("two", "c"))
    assert "so not compared: a of one, c of two." in versus_text(versus, "table", width=140)


def test_without_a_common_id_each_meets_each(make_run: MakeRun) -> None:
    first = make_run({("a", IMAGE): ["A"], ("b", IMAGE): ["A"]}, categories=[X], name="one")
    second = make_run({("c", IMAGE): ["B"]}, categories=[X], name="two")
    duels = open_versus(first, second).duels
    assert [(duel.first.variant, duel.second.variant) for duel in duels] == [("a", "c"), ("b", "c")]


def test_two_runs_of_one_name_are_told_apart(
    make_run: MakeRun, tmp_path_factory: pytest.TempPathFactory
) -> None:
    first = make_run({("m", IMAGE): ["A"]}, categories=[X])
    moved = RunDir(first.path.rename(tmp_path_factory.mktemp("elsewhere") / "demo"))
    versus = open_versus(moved, make_run({("m", IMAGE): ["B"]}, categories=[X]))
    assert versus.runs == ("demo (first)", "demo (second)")
    assert versus.duels[0].overall.difference == 1.0


def test_a_sample_with_two_golds_is_named(make_run: MakeRun) -> None:
    first = make_run({("m", IMAGE): ["A", "A"]}, categories=[X, X], name="one")
    second = make_run({("m", IMAGE): ["A", "A"]}, categories=[X, X], name="two")
    with SampleIndex.open(second.samples_path) as index:
        kept, changed = index.samples()
    write_samples(second.samples_path, [kept, changed.model_copy(update={"gold": "C"})])
    with pytest.raises(UsageError, match="sample 's1' has the right answer 'A' in one and 'C' in two"):
        open_versus(first, second)


def test_runs_without_a_common_sample_cannot_be_compared(make_run: MakeRun) -> None:
    first = make_run({("m", IMAGE): ["A"]}, categories=[X], name="one")
    second = make_run({("m", IMAGE): []}, categories=[X], name="two")
    with SampleIndex.open(second.samples_path) as index:
        (sample,) = index.samples()
    write_samples(second.samples_path, [sample.model_copy(update={"id": "other"})])
    with pytest.raises(UsageError, match="one and two have no sample in common"):
        open_versus(first, second)


def test_a_run_of_one_variant_needs_another_run(make_run: MakeRun) -> None:
    with pytest.raises(UsageError, match="vlbench compare demo OTHER"):
        open_versus(make_run({("m", IMAGE): ["A"]}, categories=[X]))


def test_variants_under_different_conditions_cannot_be_compared(make_run: MakeRun) -> None:
    run = make_run({("a", IMAGE): ["A"], ("b", TEXT): ["A"]}, categories=[X])
    with pytest.raises(UsageError, match="a under image; b under text"):
        open_versus(run)


def test_a_run_that_has_not_begun_is_named(make_run: MakeRun) -> None:
    run = make_run({("a", IMAGE): ["A"], ("b", IMAGE): ["A"]}, categories=[X])
    run.journal_path.unlink()
    with pytest.raises(UsageError, match="vlbench resume demo"):
        open_versus(run)


def test_samples_added_before_a_kill_have_no_reply_yet(make_run: MakeRun) -> None:
    run = make_run({("a", IMAGE): ["A"], ("b", IMAGE): ["B"]}, categories=[X])
    with SampleIndex.open(run.samples_path) as index:
        (sample,) = index.samples()
    write_samples(run.samples_path, [sample, sample.model_copy(update={"id": "added"})])
    (duel,) = open_versus(run).duels
    assert (duel.overall.pairs, duel.pending) == (1, 1)


def test_what_the_manifests_do_not_have_in_common_is_said(make_run: MakeRun) -> None:
    def decoded(temperature: float) -> dict[str, dict[str, Decoding]]:
        return {"m": {"image": Decoding(temperature=temperature, max_output_tokens=64)}}

    first = make_run({("m", IMAGE): ["A"]}, categories=[X], name="one", facts={"decoding": decoded(0.0)})
    prompt = PromptFacts(id="cot", version="2", sha256="ef" * 32)
    second = make_run(
        {("m", IMAGE): ["A"]}, categories=[X], name="two", facts={"decoding": decoded(0.7), "prompt": prompt}
    )
    found = {one.what: [item.value for item in one.stated] for one in open_versus(first, second).differing}
    assert found == {
        "prompt": ["default, version 1 (cdcdcdcdcdcd)", "cot, version 2 (efefefefefef)"],
        "temperature with image": ["0.0", "0.7"],
    }
    text = versus_text(open_versus(first, second), "table", width=140)
    assert "Not the same for all: temperature with image (m of one: 0.0; m of two: 0.7)." in text


def test_a_condition_that_one_run_alone_asked_is_said(make_run: MakeRun) -> None:
    first = make_run({("m", IMAGE): ["A"], ("m", TEXT): ["A"]}, categories=[X], name="one")
    versus = open_versus(first, make_run({("m", IMAGE): ["A"]}, categories=[X], name="two"))
    assert [duel.condition for duel in versus.duels] == ["image"]
    (found,) = [one for one in versus.differing if one.what == "conditions"]
    assert [item.value for item in found.stated] == ["image, text", "image"]


@pytest.fixture
def decided(make_run: MakeRun) -> Versus:
    """12 samples: the first variant has all right, the second 2 of them."""
    run = make_run(
        {("good", IMAGE): ["A"] * 12, ("=bad", IMAGE): ["A"] * 2 + ["B"] * 10}, categories=[X] * 6 + [Y] * 6
    )
    return open_versus(run, categories=True)


def test_the_text_says_who_is_ahead(decided: Versus) -> None:
    text = versus_text(decided, "table", width=140)
    assert "A difference that chance alone would seldom make: good over =bad." in text
    assert "chance would not make" not in text
    assert "p is not corrected for looking at many categories" in text


@pytest.mark.parametrize("width", [60, 80, 116])
def test_the_table_fits_the_terminal(decided: Versus, width: int) -> None:
    text = versus_text(decided, "table", width=width)
    assert max(map(len, text.splitlines())) <= width
    assert "+83.3" in text


def test_csv_and_json_hold_the_same_numbers(decided: Versus) -> None:
    (duel,) = decided.duels
    document = json.loads(versus_text(decided, "json"))
    assert document["schema_version"] == 1
    assert document["comparison"]["duels"][0]["overall"]["p_value"] == duel.overall.p_value == 2 / 2**10
    lines = list(csv.DictReader(io.StringIO(versus_text(decided, "csv"))))
    assert [(line["level"], line["category"], line["pairs"]) for line in lines] == [
        ("all", "", "12"), ("core", "x", "6"), ("axis", "p", "6"), ("core", "y", "6"), ("axis", "q", "6"),
    ]  # fmt: skip
    assert float(lines[0]["difference"]) == duel.overall.difference == pytest.approx(10 / 12)
    assert float(lines[0]["p_value"]) == duel.overall.p_value
    assert lines[0]["second"] == "'=bad"


@pytest.mark.parametrize("form", FORMATS)
def test_no_control_or_direction_character_gets_through(make_run: MakeRun, form: Format) -> None:
    rows = {(EVIL, IMAGE): ["A"], ("m", IMAGE): ["B"]}
    prompt = PromptFacts(id=EVIL, version="1", sha256="")
    first = make_run(rows, categories=[(EVIL,)], name="one")
    second = make_run(rows, categories=[(EVIL,)], name="two", facts={"prompt": prompt})
    text = versus_text(open_versus(first, second, categories=True), form)
    bad = {char for char in text if char != "\n" and unicodedata.category(char) in ("Cc", "Cf", "Zl", "Zp")}
    assert bad == set()
    if form == "md":
        assert "<b>" not in text.replace("\\<", "")


def test_a_comparison_without_a_pair_has_no_p(make_run: MakeRun) -> None:
    run = make_run({("a", IMAGE): ["A", None], ("b", IMAGE): [None, "A"]}, categories=[X, X])
    versus = open_versus(run)
    (line,) = csv.DictReader(io.StringIO(versus_text(versus, "csv")))
    assert (line["pairs"], line["left_out"], line["p_value"], line["difference"]) == ("0", "2", "", "")
    text = versus_text(versus, "table")
    assert "Nothing to compare" in text
    assert len(versus_blocks(versus)) > 3
