"""The engine with the real adapter and a real server on the loopback: faults, limits, connections."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import anyio
import pytest

from tests.engine.conftest import Bench, lane_plan, sample, variant
from vlbench.adapters.adapter import ImageBytes
from vlbench.adapters.chat import ChatAdapter
from vlbench.catalog.entry import Limits
from vlbench.engine.plan import LanePlan
from vlbench.engine.retry import RetryPolicy
from vlbench.errors import Fault
from vlbench.scoring.codes import Code
from vlbench.simulator.exchange import Failed
from vlbench.simulator.scenario import FaultKind, Latency, Quota, Scenario, WhenFull
from vlbench.simulator.server import Simulator, serve
from vlbench.state.events import AttemptFailed, LaneState, RunEnded
from vlbench.state.fold import RunState
from vlbench.types import Completion, Request

pytestmark = pytest.mark.anyio

ROW = ("p:m", "text")
FAULTS: tuple[FaultKind, ...] = ("429", "500", "503", "529", "stall", "cut", "malformed", "error_in_200")
UNHURRIED = RetryPolicy(attempt_deadline_s=30)
PATIENT = RetryPolicy(attempts=8, attempt_deadline_s=0.5, first_wait_s=0.01, longest_wait_s=0.1)


@dataclass
class Timed:
    """The real adapter, which can tell when each request was sent, and what came when after how long."""

    real: ChatAdapter
    sent: list[float]
    over: list[tuple[float, float]] = field(default_factory=list)

    async def open(self, images: ImageBytes) -> None:
        await self.real.open(images)

    async def complete(self, request: Request) -> Completion:
        sent = anyio.current_time()
        self.sent.append(sent)
        completion = await self.real.complete(request)
        now = anyio.current_time()
        self.over.append((now, now - sent))
        return completion

    def busy(self, start: float, end: float) -> float:
        """How many successful requests were in flight on average (Little's law)."""
        return sum(seconds for time, seconds in self.over if start <= time < end) / (end - start)

    def explain(self, error: Exception) -> Fault | None:
        return self.real.explain(error)

    async def close(self) -> None:
        await self.real.close()


@asynccontextmanager
async def lane_to(scenario: Scenario, limits: Limits) -> AsyncIterator[tuple[LanePlan, Timed, Simulator]]:
    async with serve(scenario) as simulator:
        plan = lane_plan(variant())
        entry = plan.entry.model_copy(update={"limits": limits})
        plan = LanePlan(plan.id, entry, (simulator.url,), None, plan.rows)
        yield plan, Timed(ChatAdapter(entry, (simulator.url,), None), []), simulator


async def go(
    bench: Bench, scenario: Scenario, limits: Limits, policy: RetryPolicy = PATIENT
) -> tuple[RunEnded, RunState, Timed, Simulator]:
    async with lane_to(scenario, limits) as (plan, adapter, simulator):
        ended, state = await bench.go((plan, adapter), policy=policy)
        return ended, state, adapter, simulator


async def test_every_kind_of_fault_mixed_at_20_percent_loses_no_sample(bench: Bench) -> None:
    bench.write(*(sample(str(number)) for number in range(300)))
    scenario = Scenario(replies=["A"], faults=dict.fromkeys(FAULTS, 0.2 / len(FAULTS)), seed=3)

    ended, state, adapter, simulator = await go(bench, scenario, Limits(concurrency=32))

    assert ended.status == "complete"
    assert state.rows[ROW].right == 300
    failed = [event for event in bench.events() if isinstance(event, AttemptFailed)]
    assert len(failed) == len(adapter.sent) - 300 == state.errors.total() > 30
    assert {event.kind for event in failed} == {
        "rate_limited", "server_failed", "overloaded", "timeout", "network",
    }  # fmt: skip
    assert all(event.retry_in_s is not None for event in failed)
    assert f"{len(failed)} of {len(adapter.sent)} requests" in ended.message
    # Whoever got an answer was never asked again.
    paid = Counter(entry.body_sha256 for entry in simulator.log if entry.status == 200)
    spoilt = sum(event.kind == "server_failed" and event.status == 200 for event in failed)
    rate_in_200 = sum(event.kind == "rate_limited" for event in failed)
    assert paid.total() - 300 <= spoilt + rate_in_200


async def test_a_page_in_place_of_a_reply_is_asked_for_twice_more_for_each_sample(bench: Bench) -> None:
    bench.write(*(sample(str(number)) for number in range(3)))
    page = Failed(200, body=b"<html>Please sign in to the network</html>")

    ended, state, adapter, _ = await go(bench, Scenario(replies=[page]), Limits(concurrency=2))

    assert ended.status == "partial"
    assert len(adapter.sent) == 9
    assert state.rows[ROW].counts[Code.FAILED] == 3
    assert "sign in to the network" in ended.message


@pytest.mark.measured
@pytest.mark.parametrize("rpm", [600, 1800, 6000])
@pytest.mark.parametrize("told", [True, False], ids=["with headers", "without"])
async def test_a_rate_measured_for_some_time(bench: Bench, rpm: int, told: bool) -> None:
    seconds = 40
    bench.write(*(sample(str(number)) for number in range(rpm * seconds // 60)))
    quota = Quota(rpm=rpm, window_s=1, headers=told, wait="seconds")
    limits = Limits(rpm=None if told else rpm, max_concurrency=128)

    _, state, adapter, _ = await go(
        bench, Scenario(replies=["A"], quota=quota, latency=Latency(0.2, 0.3)), limits, UNHURRIED
    )

    late = [time for time in adapter.sent if time > adapter.sent[0] + 10]
    assert len(late) / (late[-1] - late[0]) * 60 >= 0.97 * rpm
    assert state.errors.total() <= 0.01 * len(adapter.sent) + 16 * told


@pytest.mark.measured
@pytest.mark.parametrize("rpm", [600, 3000])
async def test_an_unknown_rate_is_learnt_in_earnest(bench: Bench, rpm: int) -> None:
    bench.write(*(sample(str(number)) for number in range(rpm * 150 // 60)))
    quota = Quota(rpm=rpm, window_s=1, headers=False, wait="none")
    scenario = Scenario(replies=["A"], quota=quota, latency=Latency(0.2, 0.3))

    _, state, adapter, _ = await go(bench, scenario, Limits(max_concurrency=128), UNHURRIED)

    begin = adapter.sent[0] + 75
    late = [time for time in adapter.sent if time > begin]
    assert len(late) / (late[-1] - late[0]) * 60 >= 0.97 * rpm
    assert state.errors.total() <= 0.03 * len(adapter.sent)


@pytest.mark.measured
@pytest.mark.parametrize("when_full", ["503", "429", "slow"])
async def test_a_hidden_capacity_is_found_and_followed(bench: Bench, when_full: WhenFull) -> None:
    latency = 0.2
    bench.write(*(sample(str(number)) for number in range(20_000)))
    scenario = Scenario(replies=["A"], latency=Latency(latency), capacity=24, when_full=when_full)
    done: list[int] = []
    busy: list[float] = []

    async with lane_to(scenario, Limits()) as (plan, adapter, simulator):

        async def change() -> None:
            for capacity in (24, 10, 40):
                simulator.capacity = capacity
                await anyio.sleep(30)
                before, start = sum(entry.status == 200 for entry in simulator.log), anyio.current_time()
                await anyio.sleep(10)
                done.append(sum(entry.status == 200 for entry in simulator.log) - before)
                busy.append(adapter.busy(start, anyio.current_time()))
            group.cancel_scope.cancel()

        async with anyio.create_task_group() as group:
            group.start_soon(change)
            await bench.go((plan, adapter), policy=UNHURRIED)

    for capacity, replies, in_flight in zip((24, 10, 40), done, busy, strict=True):
        assert in_flight >= 0.9 * capacity
        # A request takes some milliseconds beside the server's latency; more on a busy machine.
        assert replies >= 0.85 * 10 * capacity / latency


async def test_lane_states_are_written_while_a_run_goes_on(bench: Bench) -> None:
    bench.write(*(sample(str(number)) for number in range(30)))

    _, state, _, _ = await go(bench, Scenario(replies=["A"], latency=Latency(0.05)), Limits(concurrency=8))

    last = [event for event in bench.events() if isinstance(event, LaneState)][-1]
    assert (last.sent, last.in_flight, last.requests_per_min) == (30, 0, 30)
    assert last.p50_s is not None
    assert 0.05 <= last.p50_s < 0.2
    assert state.rows[ROW].counts[Code.FAILED] == 0
