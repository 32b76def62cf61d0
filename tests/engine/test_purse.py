"""A limit in dollars: what is held back, what is sent, and by how little it is passed."""

from __future__ import annotations

import math
from dataclasses import replace

import anyio
import pytest

from tests.engine.conftest import Bench, ScriptedAdapter, lane_plan, sample, variant
from vlbench.adapters.chat import ChatAdapter
from vlbench.catalog.entry import Limits
from vlbench.catalog.prices import cost
from vlbench.engine.plan import LanePlan
from vlbench.engine.purse import FIRST_GUESS, Purse
from vlbench.errors import Fault, ServerFailed
from vlbench.simulator.exchange import Said
from vlbench.simulator.scenario import Latency, Scenario
from vlbench.simulator.server import serve
from vlbench.state.events import ReplyArrived
from vlbench.types import Completion, Price, Reply, Request, Usage, Variant

pytestmark = pytest.mark.anyio

PRICE = Price(input=100.0, output=0.0)
GUESS = cost(PRICE, FIRST_GUESS) or math.nan
PRICED = variant().model_copy(update={"price": PRICE})
CENT = Usage(input_tokens=100)
"""One cent at the price above."""


def paid(bench: Bench) -> float:
    """Dollars of all replies in the journal that were paid for."""
    replies = [event for event in bench.events() if isinstance(event, ReplyArrived) and not event.cached]
    return sum(cost(PRICE, event.reply.usage) or 0.0 for event in replies)


def says(usage: Usage) -> ScriptedAdapter:
    return ScriptedAdapter(lambda request: Completion(Reply(text="A", usage=usage)))


async def test_without_a_limit_nothing_is_held_back() -> None:
    purse = Purse()
    for _ in range(100):
        assert await purse.hold(variant())
    purse.pay(variant(), CENT)
    purse.release(variant())


async def test_the_first_requests_are_held_at_the_guess_and_later_ones_at_the_mean() -> None:
    purse = Purse(2.5 * GUESS, [PRICED])
    assert await purse.hold(PRICED)
    assert await purse.hold(PRICED)
    with anyio.move_on_after(0.01) as waiting:
        await purse.hold(PRICED)
    assert waiting.cancelled_caught, "a third at the guess does not fit while two are under way"
    purse.pay(PRICED, CENT)
    purse.release(PRICED)
    assert purse.spent == pytest.approx(0.01)
    with anyio.fail_after(1):
        for _ in range(20):
            assert await purse.hold(PRICED), "they turned out cheap"


async def test_who_waits_goes_on_when_money_comes_back() -> None:
    purse = Purse(1.5 * GUESS, [PRICED])
    assert await purse.hold(PRICED)
    got: list[bool] = []

    async def wait() -> None:
        got.append(await purse.hold(PRICED))

    with anyio.fail_after(1):
        async with anyio.create_task_group() as group:
            group.start_soon(wait)
            await anyio.wait_all_tasks_blocked()
            assert not got
            purse.release(PRICED)  # it failed: nothing was paid
    assert got == [True]


async def test_nobody_waits_when_the_run_stops() -> None:
    purse = Purse(1.5 * GUESS, [PRICED])
    assert await purse.hold(PRICED)
    got: list[bool] = []

    async def wait() -> None:
        got.append(await purse.hold(PRICED))

    with anyio.fail_after(1):
        async with anyio.create_task_group() as group:
            group.start_soon(wait)
            group.start_soon(wait)
            await anyio.wait_all_tasks_blocked()
            purse.close()
    assert got == [False, False]
    assert purse.shortfall is None


async def test_replies_whose_tokens_are_not_told_count_as_average_ones() -> None:
    purse = Purse(10.0, [PRICED])
    purse.pay(PRICED, Usage())
    assert purse.spent == pytest.approx(GUESS)


async def test_a_run_stops_before_the_sum_is_passed_and_goes_on_with_a_larger_one(bench: Bench) -> None:
    bench.write(*(sample(str(number)) for number in range(100)))
    adapter = says(Usage(input_tokens=300))

    ended, _ = await bench.go((lane_plan(PRICED, concurrency=2), adapter), max_cost=1.0)

    assert (ended.status, len(adapter.requests)) == ("budget", 33)
    assert paid(bench) == pytest.approx(0.99)
    assert ended.message == (
        "the limit of $1.00 was reached: $0.9900 is spent, the next reply costs about $0.0300, with 67 still "
        "to be asked"
    )

    ended, _ = await bench.go((lane_plan(PRICED), adapter), max_cost=1.0)
    assert (ended.status, len(adapter.requests)) == ("budget", 33), "what was paid before counts"

    ended, _ = await bench.go((lane_plan(PRICED), adapter), max_cost=5.0)
    assert (ended.status, len(adapter.requests)) == ("complete", 100)


async def test_replies_from_the_cache_are_free(bench: Bench) -> None:
    bench.write(*(sample(str(number)) for number in range(20)))
    await bench.go((lane_plan(PRICED), says(CENT)))
    (bench.folder / "journal.jsonl").unlink()

    ended, _ = await bench.go((lane_plan(PRICED), says(CENT)), max_cost=0.0)

    assert ended.status == "complete"
    assert paid(bench) == 0


async def test_a_failed_attempt_holds_nothing(bench: Bench) -> None:
    bench.write(*(sample(str(number)) for number in range(10)))
    seen: set[str] = set()

    def script(request: Request) -> Completion | Fault:
        key = str(request.messages)
        if key not in seen:
            seen.add(key)
            return ServerFailed("once")
        return Completion(Reply(text="A", usage=CENT))

    ended, _ = await bench.go((lane_plan(PRICED), ScriptedAdapter(script)), max_cost=1.2 * GUESS)

    assert ended.status == "complete"
    assert paid(bench) == pytest.approx(0.10)


async def test_the_variants_of_several_lanes_share_one_purse(bench: Bench) -> None:
    bench.write(*(sample(str(number)) for number in range(50)))
    other = variant("n").model_copy(update={"price": PRICE, "lane": "q"})
    lanes = [(lane_plan(PRICED), says(CENT)), (lane_plan(other, lane="q"), says(CENT))]

    ended, _ = await bench.go(*lanes, max_cost=0.6)

    assert ended.status == "budget"
    assert paid(bench) <= 0.6 + 1e-9


def _lane_to(url: str, priced: Variant, concurrency: int) -> tuple[LanePlan, ChatAdapter]:
    plan = lane_plan(priced)
    limits = Limits(concurrency=concurrency, max_concurrency=concurrency)
    entry = plan.entry.model_copy(update={"limits": limits})
    plan = LanePlan(plan.id, entry, (url,), None, tuple(replace(row, entry=entry) for row in plan.rows))
    return plan, ChatAdapter(entry, (url,), None)


@pytest.mark.parametrize(("spread", "most"), [(1, 1.5), (20, 20.0)], ids=["alike", "1 to 20 times as long"])
async def test_the_overshoot_on_the_loopback_is_a_few_replies_at_most(
    bench: Bench, spread: int, most: float
) -> None:
    """32 at once, and replies whose lengths differ up to twentyfold: the mean covers what is in flight."""
    bench.write(*(sample(str(number)) for number in range(1_000)))
    price = Price(input=0.0, output=1_000.0)
    steps = [Said("Answer: A " + "so " * (20 * (number * 7 % spread))) for number in range(spread)]

    async with serve(Scenario(replies=steps, latency=Latency(0.01, 0.5), seed=1)) as simulator:
        lane = _lane_to(simulator.url, variant().model_copy(update={"price": price}), 32)
        ended, _ = await bench.go(lane, max_cost=most)

    replies = [event for event in bench.events() if isinstance(event, ReplyArrived)]
    costs = [cost(price, event.reply.usage) or 0.0 for event in replies]
    print(f"{len(costs)} replies, ${sum(costs):.3f} of ${most:.2f}, at most ${max(costs):.3f} each")
    assert ended.status == "budget"
    assert most - 2 * max(costs) < sum(costs) <= most + (3 * max(costs) if spread > 1 else 0)
