"""Steering a run over its socket while it goes on."""

from __future__ import annotations

import os
import socket
import stat
from collections.abc import Awaitable, Callable
from pathlib import Path

import anyio
import orjson
import pytest

from tests.engine.conftest import Bench, ScriptedAdapter, lane_plan, question_of, sample, variant
from vlbench.engine.control_client import send, send_async
from vlbench.engine.plan import LanePlan
from vlbench.engine.socket_path import LONGEST_PATH, reachable
from vlbench.engine.steering import Addition
from vlbench.errors import Fault, ServerFailed, StoreError, UsageError
from vlbench.scoring.codes import Code
from vlbench.state.events import Control, RunEnded, Warned
from vlbench.state.fold import RunState
from vlbench.types import Completion, Reply, Request

pytestmark = pytest.mark.anyio

ROW = ("p:m", "text")
SLOW = 0.005


async def until(condition: Callable[[], bool]) -> None:
    with anyio.fail_after(5):
        while not condition():  # noqa: ASYNC110  # the run under test knows nothing of an event
            await anyio.sleep(0.005)


async def steered(
    bench: Bench,
    adapter: ScriptedAdapter,
    what: Callable[[Path], Awaitable[None]],
    *,
    plan: LanePlan | None = None,
    plan_for: Callable[[str], Addition] | None = None,
) -> tuple[RunEnded, RunState]:
    """A run of slow requests during which `what` is done to it."""
    results: list[tuple[RunEnded, RunState]] = []
    control = bench.folder / "control.sock"

    async def go() -> None:
        results.append(
            await bench.go(
                (plan or lane_plan(variant(), concurrency=2), adapter),
                steered=True,
                plan_for=plan_for,
                adapter_of=lambda _: adapter,
            )
        )

    async with anyio.create_task_group() as group:
        group.start_soon(go)
        await until(lambda: control.exists() and len(adapter.requests) > 0)
        await what(control)
    return results[0]


def controls(bench: Bench) -> list[tuple[str, str]]:
    return [(event.action, event.detail) for event in bench.events() if isinstance(event, Control)]


async def test_a_paused_run_sends_nothing_until_it_is_resumed(bench: Bench) -> None:
    bench.write(*(sample(str(number)) for number in range(1000)))
    adapter = ScriptedAdapter(delay_s=SLOW)
    during: list[int] = []

    async def pause_and_resume(control: Path) -> None:
        assert (await send_async(control, "pause"))["ok"] is True
        await anyio.sleep(3 * SLOW)
        during.append(len(adapter.requests))
        await anyio.sleep(10 * SLOW)
        during.append(len(adapter.requests))
        await send_async(control, "resume")
        await until(lambda: len(adapter.requests) > during[1] + 5)
        await send_async(control, "drain")

    ended, state = await steered(bench, adapter, pause_and_resume)

    assert during[0] == during[1] < 1000
    assert ended.status == "interrupted"
    assert not state.paused
    assert controls(bench) == [("pause", ""), ("resume", ""), ("drain", "")]


async def test_a_pause_is_part_of_the_state(bench: Bench) -> None:
    bench.write(*(sample(str(number)) for number in range(300)))

    async def pause_and_drain(control: Path) -> None:
        await send_async(control, "pause")
        await send_async(control, "drain")

    ended, state = await steered(bench, ScriptedAdapter(delay_s=SLOW), pause_and_drain)

    assert ended.status == "interrupted"
    assert state.paused


@pytest.mark.parametrize("action", ["drain", "cancel"])
async def test_a_run_that_is_ended_from_outside_goes_on_later_without_paying_twice(
    bench: Bench, action: str
) -> None:
    bench.write(*(sample(str(number)) for number in range(300)))
    adapter = ScriptedAdapter(delay_s=SLOW)

    async def end(control: Path) -> None:
        await send_async(control, action)

    ended, state = await steered(bench, adapter, end)
    kept = state.rows[ROW].right
    assert ended.status == "interrupted"
    assert kept == len(adapter.requests) or action == "cancel"

    rest = ScriptedAdapter()
    ended, _ = await bench.go((lane_plan(variant()), rest))
    assert ended.status == "complete"
    assert len(rest.requests) == 300 - kept


async def test_a_wider_concurrency_is_used_at_once(bench: Bench) -> None:
    bench.write(*(sample(str(number)) for number in range(2000)))
    adapter = ScriptedAdapter(delay_s=SLOW)

    async def widen(control: Path) -> None:
        answer = await send_async(control, "set", lane="p", concurrency=20)
        assert answer["ok"] is True
        await until(lambda: adapter.most_at_once == 20)
        await send_async(control, "drain")

    await steered(bench, adapter, widen)

    assert adapter.most_at_once == 20
    assert controls(bench)[0] == ("set", "p concurrency=20")


async def test_a_dropped_variant_is_asked_no_more_and_the_others_go_on(bench: Bench) -> None:
    bench.write(*(sample(str(number)) for number in range(300)))
    adapter = ScriptedAdapter(delay_s=SLOW)

    async def drop(control: Path) -> None:
        await send_async(control, "drop", variant="p:m")

    ended, state = await steered(
        bench, adapter, drop, plan=lane_plan(variant("m"), variant("n"), concurrency=2)
    )

    assert ended.status == "partial"
    assert state.dropped == ["p:m"]
    assert state.rows["p:n", "text"].right == 300
    assert state.rows[ROW].counts[Code.PENDING] > 200


async def test_a_dropped_lane_ends(bench: Bench) -> None:
    bench.write(*(sample(str(number)) for number in range(300)))

    async def drop(control: Path) -> None:
        await send_async(control, "drop", name="p")

    ended, state = await steered(bench, ScriptedAdapter(delay_s=SLOW), drop)

    assert ended.status == "partial"
    assert state.dropped == ["p"]


async def test_failed_samples_are_asked_again_without_a_new_run(bench: Bench) -> None:
    bench.write(*(sample(str(number)) for number in range(100)))
    sick = {"3"}

    def script(request: Request) -> Completion | Fault:
        return ServerFailed("broken") if question_of(request) in sick else Completion(Reply(text="A"))

    adapter = ScriptedAdapter(script, delay_s=SLOW)

    async def heal(control: Path) -> None:
        await until(lambda: sum(question_of(r) == "3" for r in adapter.requests) == 3)
        sick.clear()
        await send_async(control, "pause")
        answer = await send_async(control, "retry")
        assert answer["message"] in ("0 failed samples are asked again", "1 failed samples are asked again")
        await send_async(control, "resume")

    bench.write(sample("3"), *(sample(str(number)) for number in range(4, 60)))
    ended, state = await steered(bench, adapter, heal)

    assert ended.status == "complete"
    assert state.rows[ROW].right == 57


async def test_a_provider_may_be_added_while_the_run_goes_on(bench: Bench) -> None:
    bench.write(*(sample(str(number)) for number in range(100)))
    adapter = ScriptedAdapter(delay_s=SLOW)
    other = variant("n").model_copy(update={"lane": "q"})

    def plan_for(target: str) -> Addition:
        if target != "q:n":
            raise UsageError(f"There is no provider {target!r}.")
        return Addition(lane_plan(other, lane="q"), (Warned(subject="q", message="smaller pictures"),))

    async def add(control: Path) -> None:
        assert (await send_async(control, "add", target="z"))["error"] == "There is no provider 'z'."
        assert (await send_async(control, "add", target="q:n"))["ok"] is True

    ended, state = await steered(bench, adapter, add, plan_for=plan_for)

    assert ended.status == "complete"
    assert state.rows["p:n", "text"].right == 100
    assert len(adapter.requests) == 200
    assert [warned.message for warned in state.warnings] == ["smaller pictures"]


async def test_what_is_no_command_is_answered_and_the_run_goes_on(bench: Bench) -> None:
    bench.write(*(sample(str(number)) for number in range(300)))
    answers: list[bytes] = []

    async def annoy(control: Path) -> None:
        for line in (b"hello", b"[]", b'{"action": "explode"}', b'{"action": "set", "rpm": -1}'):
            async with await anyio.connect_unix(str(control)) as stream:
                await stream.send(line + b"\n")
                answers.append(await stream.receive())
        async with await anyio.connect_unix(str(control)) as stream:
            await stream.send(b"x" * 100_000)
            answers.append(await stream.receive())
        async with await anyio.connect_unix(str(control)) as stream:
            await stream.send(b'{"action": "pau')
        for action in ("set", "drop", "add"):
            assert "error" in await send_async(control, action)
        assert "error" in await send_async(control, "drop", name="nobody")
        assert "error" in await send_async(control, "set", lane="nobody", rpm=5)

    ended, _ = await steered(bench, ScriptedAdapter(delay_s=SLOW), annoy)

    assert ended.status == "complete"
    assert all("error" in orjson.loads(answer) for answer in answers)
    assert controls(bench) == []


async def test_the_socket_is_the_owners_alone_and_goes_with_the_run(bench: Bench) -> None:
    bench.write(*(sample(str(number)) for number in range(100)))
    modes: list[int] = []

    async def look(control: Path) -> None:
        modes.append(stat.S_IMODE(os.stat(control).st_mode))

    await steered(bench, ScriptedAdapter(delay_s=SLOW), look)

    assert modes == [0o600]
    assert not (bench.folder / "control.sock").exists()


async def test_a_socket_left_by_a_killed_run_is_replaced(bench: Bench) -> None:
    bench.write(*(sample(str(number)) for number in range(100)))
    left = socket.socket(socket.AF_UNIX)
    left.bind(str(bench.folder / "control.sock"))
    left.close()

    async def pause(control: Path) -> None:
        with anyio.fail_after(5):
            while True:
                try:
                    assert (await send_async(control, "resume"))["ok"] is True
                    return
                except StoreError:
                    await anyio.sleep(0.005)

    ended, _ = await steered(bench, ScriptedAdapter(delay_s=SLOW), pause)

    assert ended.status == "complete"


async def test_a_run_whose_directory_takes_no_socket_goes_on_with_a_warning(bench: Bench) -> None:
    bench.write(sample("1"))
    (bench.folder / "control.sock").mkdir()

    ended, state = await bench.go((lane_plan(variant()), ScriptedAdapter(delay_s=SLOW)), steered=True)

    assert ended.status == "complete"
    assert [warning.subject for warning in state.warnings] == ["control"]


async def test_a_path_longer_than_a_socket_address_is_reached(tmp_path: Path) -> None:
    folder = tmp_path / ("d" * 100) / ("e" * 100)
    folder.mkdir(parents=True)
    path = folder / "control.sock"
    assert len(os.fsencode(path)) > LONGEST_PATH

    with socket.socket(socket.AF_UNIX) as server:
        with reachable(path) as address:
            server.bind(address)
        server.listen()
        with socket.socket(socket.AF_UNIX) as client, reachable(path) as address:
            client.connect(address)
    assert path.is_socket()


def test_a_run_that_is_not_alive_is_said_to_be_so(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="not alive"):
        send(tmp_path / "control.sock", "pause")
