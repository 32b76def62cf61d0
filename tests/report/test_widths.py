from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from vlbench.report.layout import Column, Table
from vlbench.report.widths import FOLDED, fitted

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
