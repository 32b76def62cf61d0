from __future__ import annotations

import sys

import pytest

from vlbench.report.listing import print_rows

ROWS = [
    {"name": "mmstar", "default": "", "source": "see https://example.org/a-long-address/of-it and the paper"},
    {"name": "other", "default": "yes", "source": "—"},
]


def test_on_a_narrow_terminal_lines_end_between_words_and_addresses_stay_whole(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "30")
    monkeypatch.setenv("TERM", "xterm")
    print_rows(ROWS)
    assert capsys.readouterr().out.splitlines() == [
        "mmstar",
        "  default  —",
        "  source   see",
        "           https://example.org/a-long-address/of-it",
        "           and the paper",
        "other",
        "  default  yes",
        "  source   —",
    ]
