from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from vlbench.errors import StoreError
from vlbench.report.show import print_run, show_text, takes_colour
from vlbench.store.run_dir import RunDir
from vlbench.types import Condition

MakeRun = Callable[..., RunDir]


def test_a_run_that_ends_shows_its_numbers_in_short(
    make_run: MakeRun, capsys: pytest.CaptureFixture[str]
) -> None:
    print_run(make_run({("m", Condition(show="image")): ["A", "B"]}, categories=[("x", "p")] * 2))
    shown = capsys.readouterr()
    assert shown.out.startswith("Complete: demo")
    assert "50.0" in shown.out
    assert "Where these numbers come from" not in shown.out
    assert shown.err == "The whole report: vlbench report demo\n"


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    path = tmp_path / "report.md"
    path.write_text("old and longer", encoding="utf-8")
    show_text("neu — 新\n", path)
    assert path.read_text(encoding="utf-8") == "neu — 新\n"
    assert list(tmp_path.iterdir()) == [path]


def test_a_directory_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="is a directory"):
        show_text("x", tmp_path)


def test_nothing_is_coloured_without_a_terminal() -> None:
    assert takes_colour() is False
