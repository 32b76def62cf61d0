"""What a request may cost at most, in counts that are the same on every machine.

A change that raises one of them has to raise it here, where everybody sees it; one that lowers it lowers the
bound too.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from pathlib import Path
from types import FrameType

import pytest

from tests.engine.conftest import Bench, ScriptedAdapter, lane_plan, sample, variant
from tests.engine.test_loopback import lane_to
from vlbench.catalog.entry import Limits
from vlbench.simulator.scenario import Quota, Scenario
from vlbench.types import Completion, Reply

pytestmark = pytest.mark.anyio

CALLS_OF_A_REQUEST = 255
CALLS_OF_A_CACHED_SLOT = 125


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


async def calls_of_a_run(bench: Bench, samples: int) -> int:
    """Python functions entered while a run of so many samples goes on."""
    calls = 0

    def count(frame: FrameType, event: str, argument: object) -> None:
        nonlocal calls
        calls += event == "call"

    bench.write(*(sample(str(number)) for number in range(samples)))
    (bench.folder / "journal.jsonl").unlink(missing_ok=True)
    sys.setprofile(count)
    try:
        await bench.go((lane_plan(variant(), concurrency=8), ScriptedAdapter()))
    finally:
        sys.setprofile(None)
    return calls


async def test_python_calls_of_a_request_beside_the_adapter(bench: Bench) -> None:
    few = await calls_of_a_run(bench, 50)
    bench.cache.entries.clear()
    many = await calls_of_a_run(bench, 250)

    assert (many - few) / 200 <= CALLS_OF_A_REQUEST


async def test_python_calls_of_a_slot_settled_from_the_cache(bench: Bench) -> None:
    await calls_of_a_run(bench, 250)

    few, many = await calls_of_a_run(bench, 50), await calls_of_a_run(bench, 250)

    assert (many - few) / 200 <= CALLS_OF_A_CACHED_SLOT


async def test_one_write_of_the_journal_for_each_event(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    writes: Counter[str] = Counter()
    real_write, real_fsync = os.write, os.fsync

    def write(descriptor: int, data: bytes) -> int:
        writes["write"] += 1
        return real_write(descriptor, data)

    def fsync(descriptor: int) -> None:
        writes["fsync"] += 1
        real_fsync(descriptor)

    bench.write(*(sample(str(number)) for number in range(40)))
    monkeypatch.setattr(os, "write", write)
    monkeypatch.setattr(os, "fsync", fsync)

    await bench.go((lane_plan(variant()), ScriptedAdapter()))

    assert writes == {"write": len(bench.events()), "fsync": 1}


async def test_one_connection_for_each_request_in_flight_and_one_body_for_each_request(bench: Bench) -> None:
    bench.write(*(sample(str(number)) for number in range(200)))
    limits = Limits(concurrency=8, max_concurrency=8)
    async with lane_to(Scenario(replies=["A"]), limits) as (plan, adapter, simulator):
        await bench.go((plan, adapter))

    assert simulator.connections <= 8
    assert len(simulator.log) == len(adapter.sent) == 200


async def test_no_request_is_wasted_on_a_limit_that_is_known(bench: Bench) -> None:
    bench.write(*(sample(str(number)) for number in range(50)))
    scenario = Scenario(replies=["A"], quota=Quota(rpm=3000, window_s=1))
    async with lane_to(scenario, Limits(rpm=3000, concurrency=32)) as (plan, adapter, simulator):
        await bench.go((plan, adapter))

    assert [entry.status for entry in simulator.log] == [200] * 50


async def test_identical_requests_are_paid_once(bench: Bench) -> None:
    bench.write(*(sample(str(number), "the same question") for number in range(50)))
    adapter = ScriptedAdapter(lambda request: Completion(Reply(text="A")), delay_s=0.01)

    await bench.go((lane_plan(variant(), concurrency=16), adapter))

    assert len(adapter.requests) == 1
