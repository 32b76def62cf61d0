"""Three vendors at once as the simulator plays them, each with limits of its own form, killed and resumed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack

import pytest
from anyio.from_thread import start_blocking_portal

from tests.servers.workspace import Workspace
from vlbench.simulator.log import LogEntry
from vlbench.simulator.scenario import FaultKind, Latency, Quota, Scenario
from vlbench.simulator.server import Simulator, serve

pytestmark = pytest.mark.slow

SAMPLES = 30
SLOTS = 3 * 2 * SAMPLES
CONCURRENCY = 8
FAULTS: Mapping[FaultKind, float] = {"429": 0.01, "500": 0.01, "529": 0.01, "cut": 0.01, "stall": 0.01}
# Five in any second; one vendor tells it beforehand, one only when it refuses, and one in the body.
QUOTAS = {
    "gpt": Quota(rpm=300, window_s=1),
    "claude": Quota(rpm=300, window_s=1, headers=False),
    "gemini": Quota(rpm=300, window_s=1, headers=False, wait="body"),
}


@pytest.fixture
def vendors() -> Iterator[dict[str, Simulator]]:
    """A simulator for each vendor, in an event loop beside the test."""
    with start_blocking_portal() as portal, ExitStack() as stack:
        yield {
            vendor: stack.enter_context(
                portal.wrap_async_context_manager(
                    serve(Scenario(quota=quota, faults=FAULTS, latency=Latency(0.05), seed=seed))
                )
            )
            for seed, (vendor, quota) in enumerate(QUOTAS.items())
        }


def _log(vendors: Mapping[str, Simulator]) -> list[LogEntry]:
    return [entry for simulator in vendors.values() for entry in simulator.log]


def _answered(vendors: Mapping[str, Simulator]) -> Counter[str]:
    """How often each body was answered."""
    return Counter(entry.body_sha256 for entry in _log(vendors) if entry.status == 200)


def test_a_killed_run_over_three_limited_and_failing_vendors_is_completed_and_pays_for_no_answer_twice(
    workspace: Workspace, vendors: Mapping[str, Simulator]
) -> None:
    targets = ",".join(f"{vendor}@{simulator.url}" for vendor, simulator in vendors.items())
    words = ("-p", targets, "-n", str(SAMPLES), "--concurrency", str(CONCURRENCY), "--timeout", "3")
    kept = workspace.kill_when(SLOTS // 2, "run", "shapes-diff", *words, "--ui", "none")
    # Answers on their way when the process died: paid, but nobody was there to write them down.
    lost = _answered(vendors).total() - kept.total()

    workspace.vlbench("resume", "--timeout", "3", "--ui", "none")

    assert SLOTS // 2 <= kept.total() < SLOTS
    assert 0 <= lost <= 3 * CONCURRENCY
    assert len(workspace.slots()) == SLOTS
    assert set(workspace.slots().values()) == {1}
    paid = [reply for reply in workspace.replies() if not reply.get("cached")]
    assert _answered(vendors).total() == len(paid) + lost
    assert len(_answered(vendors)) == len(paid)
    statuses = Counter(entry.status for entry in _log(vendors))
    assert statuses[0] > 0
    assert statuses[500] > 0
    assert statuses.keys() <= {0, 200, 429, 500, 529}
    pictures = {len(entry.images) for entry in _log(vendors)}
    assert pictures == {0, 2}
