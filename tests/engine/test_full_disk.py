"""A journal that takes no more: nothing is begun, and what was in flight is not lost."""

from __future__ import annotations

import os

import pytest

from tests.engine.conftest import Bench, ScriptedAdapter, lane_plan, sample, variant
from vlbench.errors import StoreError
from vlbench.scoring.codes import Code

pytestmark = pytest.mark.anyio

SAMPLES = 20
IN_FLIGHT = 4


class FullDisk:
    """Takes so many writes, then none."""

    def __init__(self, lines: int) -> None:
        self.left = lines
        self._real = os.write

    def write(self, descriptor: int, data: bytes) -> int:
        if self.left <= 0:
            raise OSError(28, "No space left on device")
        self.left -= 1
        return self._real(descriptor, data)


async def go_full(bench: Bench, monkeypatch: pytest.MonkeyPatch, lines: int) -> ScriptedAdapter:
    bench.write(*(sample(str(number)) for number in range(SAMPLES)))
    adapter = ScriptedAdapter(delay_s=0.005)
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", FullDisk(lines).write)
        with pytest.raises(StoreError, match=r"No space left.*then resume"):
            await bench.go((lane_plan(variant(), concurrency=IN_FLIGHT), adapter))
    return adapter


async def test_replies_in_flight_when_the_disk_is_full_are_not_paid_for_again(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = await go_full(bench, monkeypatch, lines=8)
    kept = len(bench.events()) - 1
    assert kept == 7
    assert kept < len(first.asked) <= kept + IN_FLIGHT

    second = ScriptedAdapter()
    ended, state = await bench.go((lane_plan(variant(), concurrency=IN_FLIGHT), second))

    assert ended.status == "complete"
    assert state.rows["p:m", "text"].counts[Code.PENDING] == 0
    assert sorted(first.asked + second.asked) == sorted(str(number) for number in range(SAMPLES))


async def test_a_disk_that_is_full_from_the_start_sends_nothing(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    adapter = await go_full(bench, monkeypatch, lines=0)

    assert adapter.asked == []
    assert bench.events() == []
