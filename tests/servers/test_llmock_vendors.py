"""Three vendors at once as llmock plays them: limited, failing; we are killed, resumed and judged."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.servers.workspace import Workspace

pytestmark = pytest.mark.slow

SAMPLES = 40
SLOTS = 3 * 2 * SAMPLES
CONCURRENCY = 8
LIMITED = ("--rpm", "240", "--latency-ms", "100")
FAILING = ("--error-rate", "429=0.02", "--error-rate", "500=0.02", "--error-rate", "503=0.01")


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


class Llmock:
    """A running llmock at `root`, and what it saw."""

    def __init__(self, root: str) -> None:
        self.root = root

    @property
    def targets(self) -> str:
        return f"gpt@{self.root}/v1,claude@{self.root}/anthropic,gemini@{self.root}/gemini"

    # `Any`: llmock's own JSON.
    def _get(self, page: str) -> dict[str, Any]:
        got: dict[str, Any] = httpx.get(f"{self.root}/_llmock/{page}", trust_env=False, timeout=30).json()
        return got

    def requests(self) -> list[dict[str, Any]]:
        """Every request; llmock waits for those it is still answering."""
        found: list[dict[str, Any]] = self._get("requests")["requests"]
        return found

    def answered(self) -> Counter[str]:
        """How often each body was answered, by llmock's fingerprint."""
        return Counter(r["fingerprint"] for r in self.requests() if r["status"] == 200)

    def verdict(self) -> dict[str, Any]:
        return self._get("verdict")


@contextmanager
def llmock(*options: str) -> Iterator[Llmock]:
    port = _free_port()
    program = Path(sys.executable).with_name("llmock")
    root = f"http://127.0.0.1:{port}"
    with subprocess.Popen(
        [program, "serve", "--port", str(port), *options],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    ) as process:  # fmt: skip
        try:
            _wait_until_healthy(root)
            yield Llmock(root)
        finally:
            process.terminate()


def _wait_until_healthy(root: str) -> None:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        try:
            if httpx.get(f"{root}/health", trust_env=False).is_success:
                return
        except httpx.TransportError:
            time.sleep(0.1)
    pytest.fail("llmock did not start within 30 s")


def test_a_killed_run_over_three_vendors_is_completed_and_pays_for_no_answer_twice(
    workspace: Workspace,
) -> None:
    with llmock(*LIMITED, *FAILING) as server:
        words = ("-p", server.targets, "-n", str(SAMPLES), "--concurrency", str(CONCURRENCY), "--ui", "none")
        kept = workspace.kill_when(SLOTS // 2, "run", "shapes-diff", *words)
        # Answers on their way when the process died: paid, but nobody was there to write them down.
        lost = server.answered().total() - kept.total()

        workspace.vlbench("resume", "--ui", "none")
        answered, requests, verdict = server.answered(), server.requests(), server.verdict()

    assert SLOTS // 2 <= kept.total() < SLOTS
    assert 0 <= lost <= 3 * CONCURRENCY
    assert len(workspace.slots()) == SLOTS
    assert set(workspace.slots().values()) == {1}
    paid = [reply for reply in workspace.replies() if not reply.get("cached")]
    assert answered.total() == len(paid) + lost
    assert len(answered) == len(paid)
    assert {r["status"] for r in requests} <= {200, 429, 500, 503}
    assert any(r["fault"] for r in requests)
    assert verdict["passed"], verdict["findings"]
