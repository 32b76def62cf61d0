from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress
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


def test_a_link_stays_one_and_what_it_leads_to_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "link.md").symlink_to("real.md")
    (tmp_path / "real.md").write_text("old", encoding="utf-8")
    show_text("new", tmp_path / "link.md")
    assert (tmp_path / "link.md").is_symlink()
    assert (tmp_path / "real.md").read_text(encoding="utf-8") == "new"


def test_a_pipe_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    show_text("rows\n", pipe)
    assert os.read(reader, 100) == b"rows\n"
    os.close(reader)
    assert pipe.is_fifo()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
def test_a_full_standard_output_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    with suppress(OSError), open("/dev/full", "w", buffering=1, encoding="utf-8") as full:  # fails to close
        monkeypatch.setattr(sys, "stdout", full)
        with pytest.raises(StoreError, match="vlbench report"):
            show_text("x\n")


def test_a_directory_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="is a directory"):
        show_text("x", tmp_path)


def test_nothing_is_coloured_without_a_terminal() -> None:
    assert takes_colour() is False
