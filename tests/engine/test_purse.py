"""A limit in dollars: what is held back, what is sent, and by how little it is passed."""

from __future__ import annotations

import itertools
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
from vlbench.engine.retry import RetryPolicy
from vlbench.errors import Fault, RateLimited, ServerFailed
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
        assert await purse.wait(variant())
        assert purse.hold(variant())
    purse.pay(variant(), CENT)
    purse.release(variant())


async def blocked(purse: Purse) -> bool:
    """Whether one more request would have to wait."""
    with anyio.move_on_after(0.01) as waiting:
        await purse.wait(PRICED)
    return waiting.cancelled_caught


def land(purse: Purse, usage: Usage | None) -> None:
    """End one request under way; None for one that failed."""
    if usage is not None:
        purse.pay(PRICED, usage)
    purse.release(PRICED)


async def test_one_request_goes_out_at_the_guess_and_all_others_at_the_mean() -> None:
    purse = Purse(10 * GUESS, [PRICED])
    assert await purse.wait(PRICED)
    assert purse.hold(PRICED)
    assert not purse.hold(PRICED)
    assert await blocked(purse), "nobody knows yet what a reply costs"
    land(purse, None)
    assert purse.hold(PRICED)
    land(purse, Usage())
    assert purse.hold(PRICED)
    assert await blocked(purse), "a reply without tokens tells nothing"
    land(purse, CENT)
    with anyio.fail_after(1):
        for _ in range(20):
            assert await purse.wait(PRICED)
            assert purse.hold(PRICED)


def probed(most_cents: float) -> Purse:
    """A purse that knows a reply to cost a cent, has paid for one, and has one more under way."""
    purse = Purse(most_cents / 100, [PRICED])
    purse.pay(PRICED, CENT)
    assert purse.hold(PRICED)
    return purse


@pytest.mark.parametrize("waiting", [1, 3])
async def test_who_waits_goes_on_when_money_comes_back(waiting: int) -> None:
    purse = probed(2.5)
    got: list[bool] = []

    async def wait() -> None:
        got.append(await purse.wait(PRICED))

    with anyio.fail_after(1):
        async with anyio.create_task_group() as group:
            for _ in range(waiting):
                group.start_soon(wait)
            await anyio.wait_all_tasks_blocked()
            assert not got
            land(purse, None)
    assert got == [True] * waiting
    assert purse.hold(PRICED)
    assert not purse.hold(PRICED), "of those who saw it, one gets it"


async def test_nobody_waits_when_the_run_stops() -> None:
    purse = probed(2.5)
    got: list[bool] = []

    async def wait() -> None:
        got.append(await purse.wait(PRICED))

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
    purse.pay(PRICED, CENT)
    assert purse.spent == pytest.approx(0.02), "now the mean is known"


async def test_what_was_spent_is_the_same_after_a_resume_when_half_the_replies_tell_nothing(
    bench: Bench,
) -> None:
    bench.write(*(sample(str(number)) for number in range(100)))
    usages = itertools.cycle([CENT, Usage()])
    adapter = ScriptedAdapter(lambda request: Completion(Reply(text="A", usage=next(usages))))

    ended, state = await bench.go((lane_plan(PRICED), adapter), max_cost=0.505)
    assert (ended.status, len(adapter.requests)) == ("budget", 50)
    assert Purse(0.505, [PRICED], state.rows.values()).spent == pytest.approx(0.5)

    ended, _ = await bench.go((lane_plan(PRICED), adapter), max_cost=0.505)
    assert (ended.status, len(adapter.requests)) == ("budget", 50), "the limit is not spent twice"


async def test_a_first_wave_far_dearer_than_the_guess_is_one_request(bench: Bench) -> None:
    bench.write(*(sample(str(number)) for number in range(50)))
    adapter = says(Usage(input_tokens=20 * 2_000))
    adapter.delay_s = 0.01

    ended, _ = await bench.go((lane_plan(PRICED, concurrency=16), adapter), max_cost=10 * GUESS)

    assert ended.status == "budget"
    assert len(adapter.requests) == 1


async def test_requests_go_out_together_once_the_first_told_its_cost(bench: Bench) -> None:
    bench.write(*(sample(str(number)) for number in range(50)))
    adapter = says(CENT)
    adapter.delay_s = 0.01
    ended, _ = await bench.go((lane_plan(PRICED, concurrency=8), adapter), max_cost=10.0)
    assert (ended.status, adapter.most_at_once) == ("complete", 8)


async def test_a_lane_that_must_wait_keeps_no_money_from_others(bench: Bench) -> None:
    bench.write(*(sample(str(number)) for number in range(40)))
    other = variant("n").model_copy(update={"price": PRICE, "lane": "q"})
    asked = 0

    def told_to_wait(request: Request) -> Completion | Fault:
        nonlocal asked
        asked += 1
        if asked > 1:
            return RateLimited("later", retry_after=3000.0)
        return Completion(Reply(text="A", usage=CENT))

    patient = RetryPolicy(attempt_deadline_s=5, item_deadline_s=4000)
    until_asked = anyio.CancelScope(deadline=anyio.current_time() + 5)

    def answered(request: Request) -> Completion:
        if len(free.requests) == 40:
            until_asked.cancel()
        return Completion(Reply(text="A", usage=CENT))

    free = ScriptedAdapter(answered)
    lanes = [(lane_plan(PRICED), ScriptedAdapter(told_to_wait)), (lane_plan(other, lane="q"), free)]
    with until_asked:
        # One cent is paid and 40 are needed: nothing is left to be held for those who wait.
        await bench.go(*lanes, policy=patient, max_cost=0.42)
    assert len(free.requests) == 40


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
