"""A key is in memory and on the wire, and nowhere else."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import partial
from pathlib import Path

import anyio.to_thread
import pytest

from vlbench.simulator.exchange import Asked, Failed
from vlbench.simulator.scenario import Scenario
from vlbench.simulator.server import serve

pytestmark = pytest.mark.anyio

KEY = "sk-canary-0123456789abcdef"


def echo(asked: Asked) -> Failed:
    """A provider that repeats the key it was given in its error, as some do."""
    return Failed(401, "invalid_api_key", f"Incorrect API key provided: {KEY}")


@pytest.mark.parametrize("scenario", [Scenario(key=KEY), Scenario(replies=echo)], ids=["accepted", "refused"])
async def test_a_key_is_in_no_file_and_on_no_screen(scenario: Scenario, tmp_path: Path) -> None:
    workspace = tmp_path / "workspace"
    (workspace / "providers").mkdir(parents=True)
    (workspace / "providers" / "mine.toml").write_text(
        'name = "Mine"\nwire = "chat"\nkey_variables = ["MINE_KEY"]\ndefault_model = "shapes-eye-1"\n',
        encoding="utf-8",
    )
    environ = {**os.environ, "MINE_KEY": KEY, "XDG_CONFIG_HOME": str(tmp_path / "config")}
    async with serve(scenario) as server:
        words = ["run", "shapes", "-p", f"mine@{server.url}", "--limit", "4"]
        shown = ""
        for command in ([*words, "--ui", "json"], words, ["report", "--format", "json"], ["cache", "stats"]):
            run = partial(
                subprocess.run,
                [sys.executable, "-m", "vlbench", *command],
                cwd=workspace, env=environ, capture_output=True, text=True,
            )  # fmt: skip
            done = await anyio.to_thread.run_sync(run)
            assert "Traceback" not in done.stderr
            shown += done.stdout + done.stderr
        assert len(server.log) >= 1

    assert "shapes" in shown
    assert KEY not in shown
    files = {path.name: path.read_bytes() for path in _files(tmp_path)}
    assert {"journal.jsonl", "manifest.json", "cache.db"} <= set(files)
    assert not [name for name, content in files.items() if KEY.encode() in content]


def _files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]
