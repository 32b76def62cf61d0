"""A model served by several equal servers: one dies half-way, and nothing of the run is lost."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest

SAMPLES = 60


@pytest.fixture
def servers() -> Iterator[list[tuple[subprocess.Popen[str], str]]]:
    """Two simulated providers in processes of their own, with their addresses."""
    command = [sys.executable, "-m", "vlbench", "simulate", "--port", "0", "--latency", "0.05"]
    with ExitStack() as stack:
        found = []
        for process in [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]:
            stack.callback(process.wait)
            stack.callback(process.kill)
            assert process.stdout is not None
            stack.callback(process.stdout.close)
            found.append((process, process.stdout.readline().split()[-1]))
        yield found


def served_by(url: str) -> int:
    return len(httpx.get(url.removesuffix("/v1") + "/_log", trust_env=False).json())


def test_a_dying_replica_is_left_out_and_its_samples_are_asked_elsewhere(
    servers: list[tuple[subprocess.Popen[str], str]], tmp_path: Path
) -> None:
    (dying, first), (_, second) = servers
    (tmp_path / "providers").mkdir()
    shutil.copy(Path(__file__).parent.parent / "providers" / "local.toml", tmp_path / "providers")
    (tmp_path / "urls.txt").write_text(f"# two of them\n{first}\n{second}\n", encoding="utf-8")
    words = ["run", "shapes", "-p", "local:shapes-eye-1+tag=t@file:urls.txt", "--conditions", "image"]
    running = subprocess.Popen(
        [sys.executable, "-m", "vlbench", *words, "-n", str(SAMPLES), "--concurrency", "4", "--ui", "none"],
        cwd=tmp_path,
        env={**os.environ, "XDG_CONFIG_HOME": str(tmp_path)},
        stderr=subprocess.PIPE,
        text=True,
    )
    while served_by(first) < 15:
        assert running.poll() is None
        time.sleep(0.01)
    dying.kill()
    _, said = running.communicate(timeout=40)

    assert running.returncode == 0, said
    (journal,) = (tmp_path / "runs").glob("*/journal.jsonl")
    events = [json.loads(line) for line in journal.read_bytes().splitlines()]
    answered = [event["sample"] for event in events if event["event"] == "reply"]
    assert len(answered) == len(set(answered)) == SAMPLES
    failed = [event for event in events if event["event"] == "attempt_failed"]
    assert {event["kind"] for event in failed} <= {"network"}
    assert not any(event.get("final") for event in failed)
    assert served_by(second) > SAMPLES / 2
    manifest = json.loads((journal.parent / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["variants"][0]["urls"] == [first, second]
