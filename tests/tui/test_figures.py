"""Numbers as they are written."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vlbench.state.events import Warned
from vlbench.state.fold import RunState
from vlbench.store.samples import SampleIndex
from vlbench.tui.figures import bar, clock, gauge, money, percent, seconds, short, signed, sparkline
from vlbench.tui.trouble import log_lines


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (percent(0.7134), "71.3"),
        (percent(None), "—"),
        (signed(-0.031), "-3.1"),
        (signed(-0.0001), "0.0"),
        (clock(12 * 60 + 41.4), "12:41"),
        (clock(3723), "1:02:03"),
        (clock(None), "—"),
        (clock(1e300), "—"),
        (seconds(0.34), "340 ms"),
        (seconds(4.0), "4.0 s"),
        (short(940), "940"),
        (short(12_345), "12.3k"),
        (short(1_200_000), "1.2M"),
        (money(1.84), "$1.84"),
        (money(0.0123), "$0.0123"),
        (money(None), "—"),
        (money(1e308), "$1e+308"),
    ],
)
def test_numbers_are_short_and_the_unknown_is_a_dash(made: str, expected: str) -> None:
    assert made == expected


@given(st.integers(0, 500), st.integers(0, 500), st.integers(1, 60))
def test_a_bar_is_as_wide_as_asked_and_full_only_at_the_end(part: int, whole: int, width: int) -> None:
    drawn = bar(min(part, whole), whole, width)
    assert drawn.cell_length == width
    assert ("─" not in drawn.plain and "╸" not in drawn.plain) == (part >= whole)


@given(st.none() | st.floats(0, 1), st.none() | st.floats(0, 1), st.integers(4, 60))
def test_a_gauge_shows_chance_whatever_the_value(value: float | None, mark: float | None, width: int) -> None:
    drawn = gauge(value, mark, width)
    assert drawn.cell_length == width
    assert (("┊" in drawn.plain) or ("┿" in drawn.plain)) == (mark is not None)


def test_a_sparkline_shows_the_last_values_at_its_right_end() -> None:
    assert sparkline([0, 4, 8], 8, 5) == "  ▁▅█"
    assert sparkline(range(100), 100, 3) == "███"


@pytest.mark.parametrize("time", [1e300, -1e300, 1e18, 253402300800.0 + 86400])
def test_an_event_of_a_time_no_calendar_has_is_shown_without_one(time: float, tmp_path: Path) -> None:
    (tmp_path / "samples.jsonl").touch()
    with SampleIndex.open(tmp_path / "samples.jsonl") as samples:
        state = RunState(samples)
        state.apply(Warned(seq=1, time=time, subject="m", message="look"))
        assert log_lines(state).plain.startswith("—  ")
