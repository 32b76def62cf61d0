"""Only one process at a time looks for a run and makes one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from vlbench.errors import StoreError
from vlbench.store import run_dir
from vlbench.store.run_dir import beginning, list_runs

PROCESS = """
import sys
from pathlib import Path
from vlbench.store.run_dir import beginning
folder = Path(sys.argv[1])
for _ in range(30):
    with beginning(folder):
        count = folder / "count"
        seen = int(count.read_text()) if count.exists() else 0
        count.write_text(str(seen + 1))
"""


def test_several_processes_take_turns(tmp_path: Path) -> None:
    running = [subprocess.Popen([sys.executable, "-c", PROCESS, str(tmp_path)]) for _ in range(3)]
    assert [process.wait(60) for process in running] == [0, 0, 0]
    assert (tmp_path / "count").read_text(encoding="utf-8") == "90"


def test_the_lock_is_no_run(tmp_path: Path) -> None:
    with beginning(tmp_path):
        assert list_runs(tmp_path) == ()


def test_who_waits_for_long_is_told_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_dir, "_BEGIN_WAIT_S", 0.02)
    with beginning(tmp_path), pytest.raises(StoreError, match="beginning a run"), beginning(tmp_path):
        pass


def test_a_place_that_cannot_be_written_is_a_store_error(tmp_path: Path) -> None:
    (tmp_path / "runs").write_bytes(b"")
    with (
        pytest.raises(StoreError, match=r"Cannot write to .*runs.*nothing was sent"),
        beginning(tmp_path / "runs"),
    ):
        pass
