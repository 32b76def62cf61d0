"""Text from outside stays text."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from vlbench.tui.inert import LONGEST, block, excerpt, line

HOSTILE = "\x1b[31mred\x07 \u202eevil\u2066 a\u200bb \ufe0f z" + "\u0301" * 40 + "\x9b2J \U000e0041"


def _is_safe(text: str) -> bool:
    return all(c == "\n" or unicodedata.category(c) not in ("Cc", "Cf", "Cs", "Zl", "Zp") for c in text)


@given(st.text() | st.just(HOSTILE))
def test_a_block_keeps_every_character_at_its_place(text: str) -> None:
    shown = block(text)
    assert len(shown) == len(text)
    assert _is_safe(shown)
    assert [at for at, c in enumerate(shown) if c == "\n"] == [at for at, c in enumerate(text) if c == "\n"]


@given(st.text() | st.just(HOSTILE))
def test_a_line_has_no_breaks_and_no_marks_that_pile_up(text: str) -> None:
    shown = line(text, 80)
    assert _is_safe(shown)
    assert "\n" not in shown
    assert len(shown) <= 80
    assert cell_len(shown) >= sum(1 for c in shown if c.isascii())


def test_control_characters_become_their_pictures() -> None:
    assert block("a\x1b[2Jb\x7f") == "a␛[2Jb␡"


def test_markup_is_shown_as_it_was_written() -> None:
    assert excerpt("[bold red]x[/]", None, "bold").plain == "[bold red]x[/]"


def test_the_span_marks_the_characters_the_label_was_read_from() -> None:
    content = excerpt("Answer: B", (8, 9), "bold")
    assert [(span.start, span.end) for span in content.spans] == [(8, 9)]


def test_of_a_megabyte_only_the_surroundings_of_the_span_are_laid_out() -> None:
    text = "x" * 1_000_000
    content = excerpt(text[:600_000] + "B" + text[600_000:], (600_000, 600_001), "bold")
    assert len(content.plain) < LONGEST + 100
    marked = next(span for span in content.spans if span.style == "bold")
    assert content.plain[marked.start : marked.end] == "B"
    assert "characters before" in content.plain
    assert "characters more" in content.plain
