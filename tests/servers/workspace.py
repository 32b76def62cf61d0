"""A workspace of its own in which `vlbench` runs as a process that can be killed."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

Slot = tuple[str, str, str]


@dataclass(frozen=True)
class Workspace:
    """A folder with its own runs and cache, and the environment of the commands run in it."""

    folder: Path
    environ: dict[str, str]

    def vlbench(self, *words: str, code: int = 0) -> str:
        """The standard output of a command that must end with `code`."""
        done = subprocess.run(
            self._command(words), cwd=self.folder, env=self.environ, capture_output=True, encoding="utf-8"
        )
        assert done.returncode == code, done.stderr + done.stdout
        return done.stdout

    def start(self, *words: str) -> subprocess.Popen[bytes]:
        """A command of which only the process matters."""
        return subprocess.Popen(
            self._command(words), cwd=self.folder, env=self.environ,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip

    def kill_when(self, replies: int, *words: str) -> Counter[Slot]:
        """Start a run, kill it (no clean-up, no last word) when it has so many replies; what it kept."""
        running = self.start(*words)
        try:
            self.wait_for_replies(replies)
        finally:
            running.kill()
            running.wait()
        return self.slots()

    def _command(self, words: tuple[str, ...]) -> list[str]:
        return [sys.executable, "-m", "vlbench", *words]

    # `Any`: events as plain JSON, so that the program is not judged by its own reading of them.
    def events(self) -> list[dict[str, Any]]:
        """The whole lines of the only run's journal."""
        (journal,) = (self.folder / "runs").glob("*/journal.jsonl")
        return [json.loads(line) for line in journal.read_bytes().splitlines() if line.endswith(b"}")]

    def replies(self) -> list[dict[str, Any]]:
        """The journal's replies."""
        return [event for event in self.events() if event["event"] == "reply"]

    def slots(self) -> Counter[Slot]:
        """How often each slot (variant, condition, sample) got a reply."""
        return Counter((r["variant"], r["condition"], r["sample"]) for r in self.replies())

    def wait_for_replies(self, count: int, within_s: float = 60.0) -> None:
        """Return as soon as the only run has `count` replies."""
        deadline = time.monotonic() + within_s
        while time.monotonic() < deadline:
            if list((self.folder / "runs").glob("*/journal.jsonl")) and len(self.replies()) >= count:
                return
            time.sleep(0.02)
        pytest.fail(f"no {count} replies within {within_s:g} s")
