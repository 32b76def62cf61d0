from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vlbench.report.layout import Column, Table
from vlbench.report.widths import FOLDED, fitted, folded

cells = st.text("ab1, ", min_size=1, max_size=30)
tables = st.integers(1, 7).flatmap(
    lambda numbers: st.lists(st.tuples(*[cells] * (numbers + 1)), min_size=1, max_size=4)
)


@given(tables, st.integers(46, 120))
def test_every_column_is_shown_once_and_numbers_keep_their_length(
    rows: list[tuple[str, ...]], width: int
) -> None:
    columns = (Column("name"), *(Column(f"n{at}", right=True) for at in range(1, len(rows[0]))))
    parts = fitted(Table("t", columns, rows), range(len(columns)), width, gap=1)
    shown = [at for part in parts for at in part if at > 0]
    assert shown == list(range(1, len(columns)))
    for part in parts:
        assert sum(part.values()) + len(part) - 1 <= width
        assert all(part[at] >= max(len(row[at]) for row in rows) for at in part if at > 0)


def test_a_table_that_fits_is_left_alone() -> None:
    table = Table("t", (Column("variant"), Column("accuracy", right=True)), [("m" * 30, "52.1")])
    assert fitted(table, (0, 1), 80, gap=1) == [{0: 30, 1: 8}]


def test_headings_break_before_names_are_folded() -> None:
    table = Table("t", (Column("variant"), Column("of answered", right=True)), [("m" * 30, "52.1")])
    assert fitted(table, (0, 1), 39, gap=1) == [{0: 30, 1: 8}]
    assert fitted(table, (0, 1), 30, gap=1) == [{0: 21, 1: 8}]


def test_wide_characters_count_twice() -> None:
    table = Table("t", (Column("v"), Column("n", right=True)), [("答案", "1")])
    assert fitted(table, (0, 1), 80, gap=1) == [{0: 4, 1: 1}]


def test_names_fold_only_so_far() -> None:
    table = Table("t", (Column("v"), Column("n", right=True)), [("m" * 30, "1" * 40)])
    assert fitted(table, (0, 1), 45, gap=1) == [{0: FOLDED, 1: 40}]


def test_names_that_leave_no_room_for_a_number_stand_once() -> None:
    columns = (Column("run"), Column("variants"), Column("status"), Column("written", right=True))
    table = Table("t", columns, [("r" * 12, "v" * 12, "complete", "2026-11-30 10:46")])
    parts = fitted(table, range(4), 40, gap=1)
    assert [list(part) for part in parts] == [[0, 1, 2], [0, 3]]
    assert all(sum(part.values()) + len(part) - 1 <= 40 for part in parts)


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("builtin:shapes-eye-1", 20, ["builtin:shapes-eye-1"]),
        ("builtin:shapes-eye-1", 17, ["builtin:shapes-", "eye-1"]),
        ("builtin:shapes-eye-1", 12, ["builtin:", "shapes-eye-1"]),
        ("openrouter:org/model+effort=low", 14, ["openrouter:", "org/model+", "effort=low"]),
        ("a name, then another", 12, ["a name, then", "another"]),
        ("unbreakable", 4, ["unbr", "eaka", "ble"]),
        ("答案答案", 4, ["答案", "答案"]),
        ("", 4, [""]),
    ],
)
def test_names_are_broken_at_their_own_marks(text: str, width: int, lines: list[str]) -> None:
    assert folded(text, width).splitlines() == [line for line in lines if line]


@given(st.text("ab:-/ 答", max_size=40), st.integers(2, 20))
def test_folding_loses_nothing_but_blanks(text: str, width: int) -> None:
    from rich.cells import cell_len

    lines = folded(text, width).splitlines()
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    assert all(cell_len(line) <= width for line in lines)
