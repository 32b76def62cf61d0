"""What one whole `vlbench run` does, in counts that are the same on every machine.

Each bound has today's figure beside it. A change that lowers a figure lowers the bound; one that must raise
it raises it here, where everybody sees it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from anyio.from_thread import start_blocking_portal

from tests.soak.arena import REPOSITORY, write_data
from vlbench.simulator.scenario import Quota, Scenario
from vlbench.simulator.server import Simulator, serve

SAMPLES = 120
REQUESTS = 2 * SAMPLES
CONCURRENCY = 8
RPM = 12_000


@dataclass(frozen=True)
class Counted:
    """The counts of `tests.counting`, and the heavy modules that were loaded."""

    counts: Counter[str]
    loaded: set[str]


@dataclass(frozen=True)
class Runs:
    """One run that asked everything, then one of the same questions that found everything in the cache."""

    asked: Counted
    cached: Counted
    simulator: Simulator


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Runs]:
    folder = tmp_path_factory.mktemp("counts")
    write_data(folder, SAMPLES)
    scenario = Scenario(replies=["A"], quota=Quota(rpm=RPM, window_s=1))
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(serve(scenario)) as simulator,
    ):
        yield Runs(_counted(folder, simulator, "asked"), _counted(folder, simulator, "cached"), simulator)


def _counted(folder: Path, simulator: Simulator, name: str) -> Counted:
    out = folder / f"{name}.json"
    words = ["run", str(folder / "data.jsonl"), "-p", f"local:m+tag=t@{simulator.url}", "--ui", "none"]
    words += ["--conditions", "image,text", "--rpm", str(RPM), "--concurrency", str(CONCURRENCY)]
    places = {"HOME": folder, "XDG_DATA_HOME": folder / "home", "VLBENCH_CACHE_DIR": folder / "cache"}
    subprocess.run(
        [sys.executable, "-m", "tests.counting", str(out), *words, "--name", name],
        env=os.environ | {"PYTHONPATH": str(REPOSITORY)} | {key: str(path) for key, path in places.items()},
        cwd=folder,
        check=True,
        capture_output=True,
    )
    found = json.loads(out.read_text(encoding="utf-8"))
    return Counted(Counter(found["counts"]), set(found["loaded"]))


def test_each_request_is_sent_once_and_none_is_wasted_on_a_known_limit(runs: Runs) -> None:
    assert Counter(entry.status for entry in runs.simulator.log) == {200: REQUESTS}


def test_connections_are_used_again(runs: Runs) -> None:
    assert runs.simulator.connections <= CONCURRENCY  # 1 to 3
    assert runs.cached.counts["connections"] == 0


def test_a_body_is_built_once_and_a_picture_encoded_once(runs: Runs) -> None:
    assert runs.asked.counts["bodies"] == REQUESTS
    assert runs.asked.counts["pictures encoded"] == SAMPLES
    assert runs.cached.counts["bodies"] == runs.cached.counts["pictures encoded"] == 0


@pytest.mark.parametrize("kind", ["asked", "cached"])
def test_a_reply_is_one_write_of_the_journal(kind: str, runs: Runs) -> None:
    counts = getattr(runs, kind).counts
    # Beside the replies: the first and the last event, and a state of the lane about once a second.
    assert REQUESTS < counts["journal lines"] <= REQUESTS + 10  # 243 to 246
    assert counts["fsyncs"] <= 6  # 6 and 5: index, samples, manifest, their directories, the closed journal


def test_replies_reach_the_cache_in_batches(runs: Runs) -> None:
    assert runs.asked.counts["sql COMMIT"] <= REQUESTS // 4  # 24: one each 50 ms
    assert runs.cached.counts["sql COMMIT"] <= 2  # 0
    assert runs.cached.counts["sql SELECT"] <= REQUESTS + 20  # 250: one a slot, the rest at opening


def test_files_are_opened_a_fixed_number_of_times(runs: Runs) -> None:
    assert runs.asked.counts["open data.jsonl"] <= 7  # 7: looked over, hashed and read while it is indexed
    assert runs.cached.counts["open data.jsonl"] <= 2  # 2
    for counted in (runs.asked, runs.cached):
        assert counted.counts["open journal.jsonl"] <= 2  # 2
        assert counted.counts["open samples.jsonl"] <= 3  # 3 and 2
        assert counted.counts["open manifest.json"] <= 2  # 2
        assert counted.counts["processes"] == 0
    for number in range(8):
        assert runs.asked.counts[f"open {number}.png"] <= 2  # 2: inspected, sent
        assert runs.cached.counts[f"open {number}.png"] == 0


def test_nothing_is_loaded_that_is_not_used(runs: Runs) -> None:
    assert runs.asked.loaded <= {"PIL", "aiohttp", "rich"}  # to inspect, to send; httpx brings rich
    assert runs.cached.loaded <= {"rich"}
