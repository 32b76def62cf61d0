"""`vlbench watch` without a terminal, and what becomes of a run when its view breaks."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.tui.fake_run import FakeRun, fake_run
from vlbench.cli import watching
from vlbench.cli.watch import watch
from vlbench.cli.watching import watch_run, write_report


def _finish(run: FakeRun) -> None:
    run.start()
    for number in range(8):
        run.reply(number)
        run.reply(number, condition=run.conditions[1], label="A")
    run.end()


def test_a_finished_run_is_printed(tmp_path: Path) -> None:
    with fake_run(tmp_path) as run:
        _finish(run)
        result = CliRunner().invoke(watch, [str(run.directory.path)])
    assert result.exit_code == 0, result.output
    assert "gemini:flash" in result.stdout
    assert "100.0" in result.stdout
    assert "\x1b" not in result.output


def test_a_run_is_followed_in_lines_until_its_process_is_gone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watching, "LOOK_EVERY_S", 0.01)
    with fake_run(tmp_path) as run:
        run.start()
        standings = iter(["running", "running", "dead"])
        monkeypatch.setattr("vlbench.state.tail.LiveRun.standing", lambda _: next(standings))
        assert watch_run(run.directory, steers=False, drawing="plain") == "closed"
    assert "vlbench shapes" in capsys.readouterr().err


def test_a_broken_view_is_told_in_a_sentence_and_the_run_followed_in_lines(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(app: object) -> None:
        app.failure = ZeroDivisionError("drawing\x1b[2J")  # type: ignore[attr-defined]  # a stand-in for `run`

    monkeypatch.setattr("vlbench.tui.app.WatchApp.run", broken)
    with fake_run(tmp_path) as run:
        _finish(run)
        assert watch_run(run.directory, steers=False, drawing="full") == "closed"
    said = capsys.readouterr().err
    assert "The view had to close (ZeroDivisionError: drawing [2J)" in said
    assert "\x1b" not in said


def test_the_report_is_written_beside_the_journal(tmp_path: Path) -> None:
    with fake_run(tmp_path) as run:
        _finish(run)
        path = write_report(run.directory)
    assert path.parent == run.directory.path
    assert "gemini:flash" in path.read_text(encoding="utf-8")
