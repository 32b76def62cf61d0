"""A wait the server named outlives the process that was told of it."""

from __future__ import annotations

import time

import pytest

from tests.engine.conftest import TEXT, Bench, ScriptedAdapter, lane_plan, sample, variant
from vlbench.state.events import AnyEvent, LaneState, RowPlan, RunStarted, to_line
from vlbench.store.journal import Journal
from vlbench.types import Completion, Reply, Request

pytestmark = pytest.mark.anyio

WAIT_S = 0.4


def killed(bench: Bench, ago_s: float) -> None:
    """Leave the run as an engine does that was told to wait, and killed `ago_s` seconds ago."""
    started = RunStarted(
        run="r",
        benchmark="b",
        samples=1,
        repeats=1,
        rows=(RowPlan(variant="p:m", condition=TEXT),),
        pid=1,
        vlbench="0",
    )
    state = LaneState(
        lane="p", in_flight=0, concurrency=4, sent=1, requests_per_min=1, tokens_per_min=0, waiting_s=WAIT_S
    )
    events: tuple[AnyEvent, ...] = (started, state)
    with Journal(bench.folder / "journal.jsonl", clock=lambda: time.time() - ago_s) as log:
        for event in events:
            log.append(to_line(event))


async def first_request_after_s(bench: Bench) -> float:
    asked: list[float] = []

    def answer(request: Request) -> Completion:
        asked.append(time.monotonic())
        return Completion(Reply(text="A"))

    began = time.monotonic()
    ended, _ = await bench.go((lane_plan(variant()), ScriptedAdapter(answer)))
    assert ended.status == "complete"
    return asked[0] - began


async def test_what_is_left_of_it_holds_when_the_run_is_resumed(bench: Bench) -> None:
    bench.write(sample("1"))
    killed(bench, ago_s=0.1)
    assert WAIT_S - 0.2 < await first_request_after_s(bench) < WAIT_S + 1


@pytest.mark.parametrize("ago_s", [5.0, -3600.0], ids=["over long ago", "by a clock that went back"])
async def test_never_longer_than_was_asked(bench: Bench, ago_s: float) -> None:
    bench.write(sample("1"))
    killed(bench, ago_s)
    assert await first_request_after_s(bench) < (WAIT_S / 2 if ago_s > 0 else WAIT_S + 1)
