"""The quick way into the state gives what the careful one gives."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from pydantic import JsonValue

from tests.tui.fake_run import TEXT, FakeRun, fake_run
from vlbench.errors import StoreError
from vlbench.scoring.readers.strict import STRICT
from vlbench.state.events import Control, parse_event
from vlbench.state.fold import RunState
from vlbench.state.places import Places
from vlbench.state.replay import Intake
from vlbench.store import journal
from vlbench.store.samples import SampleIndex
from vlbench.types import Outcome

Line = dict[str, JsonValue]
WHO = ("gemini:flash", "image")


@pytest.fixture
def run(tmp_path: Path) -> Iterator[FakeRun]:
    with fake_run(tmp_path) as made:
        made.start(repeats=2)
        yield made


@pytest.fixture
def samples(run: FakeRun) -> Iterator[SampleIndex]:
    with SampleIndex.open(run.directory.samples_path) as index:
        yield index


@pytest.fixture
def lines(run: FakeRun) -> list[Line]:
    """How the run started, and one reply."""
    run.reply(0)
    return [line.event for line in journal.read(run.directory.journal_path)]


def _begun(samples: SampleIndex, started: Line) -> Intake:
    intake = Intake(RunState(samples), Places())
    intake.take(started, 0)
    return intake


def test_both_ways_lead_to_the_same_state(run: FakeRun, samples: SampleIndex) -> None:
    run.reply(0)
    run.reply(0, repeat=1, label="C")
    run.reply(1, condition=TEXT, outcome=Outcome.REFUSED, cached=True)
    run.reply(0, label="B")
    run.fail(2)
    run.fail(2, final=False, kind="timeout", status=None)
    run.lane()
    run.write(Control(action="pause"))
    run.end("partial")
    quick, careful, offset, plain = Intake(RunState(samples), Places()), RunState(samples), 0, 0
    for line in journal.read(run.directory.journal_path):
        if quick.take_plain(line.event, offset):
            plain += 1
        else:
            quick.take(line.event, offset)
        careful.apply(parse_event(line.event))
        offset = line.offset_after
    assert plain == 4, "the replies"
    assert quick.state == careful
    assert quick.state.rows[WHO].right == 0


def test_each_way_notes_where_the_last_word_on_a_slot_stands(
    samples: SampleIndex, lines: list[Line], run: FakeRun
) -> None:
    started, reply = lines
    intake = _begun(samples, started)
    assert intake.take_plain(reply, 70)
    assert intake.places.find(WHO, 0, 0) == 70
    intake.take(reply, 90)
    assert intake.places.find(WHO, 0, 0) == 90
    run.fail(3, final=False)
    run.fail(4, final=True)
    for offset, line in enumerate(list(journal.read(run.directory.journal_path))[-2:], start=100):
        intake.take(line.event, offset)
    assert intake.places.find(WHO, 0, 3) is None
    assert intake.places.find(WHO, 0, 4) == 101


def test_a_state_that_reads_replies_itself_is_never_short_cut(
    samples: SampleIndex, lines: list[Line]
) -> None:
    intake = Intake(RunState(samples, STRICT), Places())
    intake.take(lines[0], 0)
    assert not intake.take_plain(lines[1], 0)


# --- whatever stands in a line ---

SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(-2, 3), st.floats(-2, 2), st.sampled_from(["", "A", "B", "0", "no"])
)
NAMES = st.sampled_from(["outcome", "label", "usage", "input_tokens", "text"])
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=4,
)
COUNTING = [
    ("seq",), ("time",), ("variant",), ("condition",), ("sample",), ("repeat",), ("cached",),
    ("reply", "usage"), ("reply", "usage", "input_tokens"), ("reply", "usage", "output_tokens"),
    ("reply", "usage", "reasoning_tokens"), ("reply", "usage", "image_tokens"), ("reply", "usage", "more"),
    ("answer",), ("answer", "outcome"), ("answer", "label"), ("answer", "rule"), ("answer", "span"),
    ("answer", "reason"), ("answer", "also"), ("answer", "cut"), ("answer", "more"),
]  # fmt: skip
"""Everything in the line of a reply that a number depends on, and names that do not belong there."""
SOUND = st.sampled_from(
    ["answered", "refused", "failed", "text", "s00001", [0, 1], [0, 1, 2], ["B"],
     [["outcome", "answered"]], {"outcome": "unparsed"}, {"outcome": "answered", "label": "B"}]
)  # fmt: skip
CHANGES = st.lists(st.tuples(st.sampled_from(COUNTING), VALUES | SOUND), min_size=1, max_size=3)


def _change(line: Line, path: tuple[str, ...], value: JsonValue) -> None:
    for name in path[:-1]:
        inner = line.setdefault(name, {})
        if not isinstance(inner, dict):
            return
        line = inner
    line[path[-1]] = value


@settings(max_examples=400, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(changes=CHANGES)
@example(changes=[(("answer",), [["outcome", "answered"]])])
@example(changes=[(("answer", "span"), ["A", 1])])
@example(changes=[(("answer", "cut"), 1), (("answer", "cut"), 2)])
def test_no_line_is_counted_otherwise_than_the_careful_way_counts_it(
    samples: SampleIndex, lines: list[Line], changes: list[tuple[tuple[str, ...], JsonValue]]
) -> None:
    started, reply = lines
    quick, careful = _begun(samples, started), _begun(samples, started)
    changed = copy.deepcopy(reply)
    # What was memorised of one line must not answer for another.
    quick.take_plain(reply, 7)
    careful.take(reply, 7)
    for path, value in changes:
        _change(changed, path, copy.deepcopy(value))
        before = copy.deepcopy(changed)
        try:
            careful.take(changed, 7)
        except StoreError:
            with pytest.raises(StoreError):
                _take(quick, changed)
        else:
            _take(quick, changed)
        assert changed == before
        assert quick.state.rule_names == careful.state.rule_names
        assert quick.state == careful.state
        assert quick.places == careful.places


def _take(intake: Intake, line: Line) -> None:
    """Take a line in as one that is followed."""
    if not intake.take_plain(line, 7):
        intake.take(line, 7)


@pytest.mark.parametrize(
    "damage",
    [
        {"answer": {"outcome": "answered", "labels": "A"}},
        {"answer": None},
        {"reply": "text"},
        {"reply": {"text": "A", "usage": {"input_tokens": "many"}}},
        {"repeat": "first"},
        {"repeat": 2},
        {"repeat": -1},
        {"sample": "another"},
        {"condition": "grey"},
    ],
)
def test_a_line_that_is_no_reply_changes_nothing_and_is_named(
    run: FakeRun, samples: SampleIndex, lines: list[Line], damage: Line
) -> None:
    started, reply = lines
    intake = _begun(samples, started)
    with pytest.raises(StoreError):
        _take(intake, reply | damage)
    assert all(row.done == 0 for row in intake.state.rows.values())


def test_answers_that_never_repeat_are_not_all_remembered(samples: SampleIndex, lines: list[Line]) -> None:
    started, reply = lines
    intake = _begun(samples, started)
    for number in range(5_000):
        answer: Line = {"outcome": "refused", "reason": f"declines: {number}"}
        assert intake.take_plain(reply | {"answer": answer}, 0)
    assert len(intake._marks) < 5_000
    assert intake.state.rows[WHO].done == 1
