from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from vlbench.printable import amount, printable

HOSTILE = "\x1b[2J\x07\u202eevil\u2066 a\tb\r\nc\x9b31m\u2028d\ue000\ud800"


def test_controls_and_direction_marks_become_blanks() -> None:
    assert printable(HOSTILE) == "[2J evil a b c 31m d"


def test_letters_of_any_script_stay() -> None:
    assert printable("Größe 答案 عربي ✓") == "Größe 答案 عربي ✓"


def test_a_long_text_ends_with_an_ellipsis() -> None:
    assert printable("x" * 50, limit=10) == "x" * 9 + "…"


def test_a_text_cut_before_cleaning_says_that_it_goes_on() -> None:
    assert printable(" " * 30 + "hidden", limit=10).endswith("…")


@given(st.text(max_size=60), st.integers(min_value=2, max_value=40))
def test_the_result_is_one_safe_line_within_the_limit(text: str, limit: int) -> None:
    line = printable(text, limit)
    assert len(line) <= limit
    assert all(unicodedata.category(char) not in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp") for char in line)
    assert printable(line, limit) == line


def test_a_sum_is_written_in_full_until_it_would_be_a_wall_of_digits() -> None:
    assert amount(1284.0625, 2) == "1,284.06"
    assert amount(0.00125, 4) == "0.0013"
    assert (amount(1e308, 2), amount(1e15, 4)) == ("1e+308", "1e+15")
