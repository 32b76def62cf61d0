"""Tables for any width."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from textual.content import Content

from vlbench.tui.grid import Column, beside, grid, text

COLUMNS = (
    Column("provider", least=8),
    Column("progress", leaves=2),
    Column("done", "right"),
    Column("spent", "right", leaves=3),
)
ROWS = ((text("gemini:gemini-3.8-flash"), text("━━━━━━━━━━━━"), text("1,170"), text("$1.84")),)


@given(st.lists(st.text(max_size=30), min_size=4, max_size=4), st.integers(10, 120))
def test_no_line_is_wider_than_the_table(cells: list[str], width: int) -> None:
    row = [Content(cell.replace("\n", " ").replace("\r", " ")) for cell in cells]
    for made in grid(COLUMNS, [row], width).split("\n"):
        assert made.cell_length <= width


def test_columns_leave_in_their_order_when_it_gets_narrow() -> None:
    wide, narrower, narrow = (grid(COLUMNS, ROWS, width).plain for width in (80, 35, 24))
    assert "spent" in wide
    assert "spent" not in narrower
    assert "progress" in narrower
    assert "progress" not in narrow
    assert "done" in narrow


def test_words_are_cut_with_an_ellipsis_and_numbers_never() -> None:
    narrow = grid(COLUMNS, ROWS, 16).plain.splitlines()[1]
    assert narrow.startswith("gemini:")
    assert "…" in narrow
    assert narrow.endswith("1,170")


def test_wide_characters_count_as_two_cells() -> None:
    rows = [[text("模型"), text(""), text("1"), text("")], [text("ab"), text(""), text("2"), text("")]]
    one, two = grid(COLUMNS, rows, 60).split("\n")[1:]
    assert one.cell_length == two.cell_length


def test_the_right_end_is_kept_when_both_do_not_fit() -> None:
    assert beside(text("a long name"), text("▶ running"), 16).plain == "a lo…  ▶ running"


def test_names_are_cut_in_the_middle_where_both_ends_matter() -> None:
    columns = (Column("provider", least=14, cut="middle"), Column("n", "right"))
    rows = [[text("local:shapes-eye-1"), text("5")], [text("local:shapes-eye-2"), text("5")]]
    one, two = grid(columns, rows, 17).plain.splitlines()[1:]
    assert one == "local:…s-eye-1  5"
    assert two == "local:…s-eye-2  5"
