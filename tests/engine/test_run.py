"""Whole runs against a scripted provider: what is asked, what is kept, how it ends."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from tests.engine.conftest import (
    GREY,
    QUICK,
    TEXT,
    Bench,
    ScriptedAdapter,
    lane_plan,
    question_of,
    sample,
    variant,
)
from vlbench.errors import AuthFailed, BadRequest, Fault, Network, NoSuchModel, RateLimited, ServerFailed
from vlbench.scoring.codes import Code
from vlbench.state.events import AttemptFailed, LaneState, LaneStopped, ReplyArrived, RunStarted, Warned
from vlbench.state.fold import fold
from vlbench.store.samples import SampleIndex
from vlbench.types import Completion, Reply, Request

pytestmark = pytest.mark.anyio

ROW = ("p:m", "text")


def says(text: str, **fields: str) -> Completion:
    return Completion(Reply.model_validate({"text": text, **fields}))


async def test_every_sample_gets_one_reply_under_every_condition(bench: Bench) -> None:
    bench.write(*(sample(str(number)) for number in range(30)))
    adapter = ScriptedAdapter()

    ended, state = await bench.go((lane_plan(variant("m"), variant("n")), adapter))

    assert ended.status == "complete"
    assert len(adapter.requests) == 60
    assert state.rows[ROW].right == state.rows["p:n", "text"].right == 30
    assert (adapter.opened, adapter.closed) == (1, 1)


async def test_the_state_of_the_engine_is_the_fold_of_the_journal(bench: Bench) -> None:
    bench.write(*(sample(str(number)) for number in range(20)))
    adapter = ScriptedAdapter(
        lambda request: ServerFailed("broken") if question_of(request) == "7" else says("B")
    )

    _, state = await bench.go((lane_plan(variant()), adapter))

    with SampleIndex.open(bench.folder / "samples.jsonl") as samples:
        folded = fold(bench.events(), samples)
    assert folded.rows == state.rows
    assert folded.errors == state.errors
    assert (folded.requests, folded.last_seq) == (state.requests, state.last_seq)


async def test_conditions_of_one_sample_travel_together(bench: Bench) -> None:
    bench.write(*(sample(str(number)) for number in range(10)))
    adapter = ScriptedAdapter()

    await bench.go((lane_plan(variant("m"), variant("n"), concurrency=1), adapter))

    asked = adapter.asked
    assert asked[::2] == asked[1::2]
    assert len(set(asked[::2])) == 10


async def test_identical_requests_are_sent_once_and_all_get_the_reply(bench: Bench) -> None:
    bench.write(*(sample(str(number), "the same question") for number in range(10)))
    adapter = ScriptedAdapter(delay_s=0.01)

    _, state = await bench.go((lane_plan(variant(), concurrency=10), adapter))

    assert len(adapter.requests) == 1
    assert state.rows[ROW].right == 10
    assert state.rows[ROW].cached == 9


async def test_when_a_shared_request_fails_the_waiting_ones_try_for_themselves(bench: Bench) -> None:
    bench.write(sample("1", "the same"), sample("2", "the same"))
    faults: list[Fault] = [BadRequest("no")]
    adapter = ScriptedAdapter(lambda request: faults.pop() if faults else says("A"), delay_s=0.01)

    ended, state = await bench.go((lane_plan(variant()), adapter))

    assert ended.status == "partial"
    assert state.rows[ROW].counts[Code.RIGHT] == state.rows[ROW].counts[Code.FAILED] == 1


async def test_repeats_are_asked_separately(bench: Bench) -> None:
    bench.write(sample("1"))
    adapter = ScriptedAdapter()

    await bench.go((lane_plan(variant()), adapter), repeats=3)

    assert sorted(request.repeat for request in adapter.requests) == [0, 1, 2]


async def test_a_reply_that_is_cached_is_not_asked_for_and_the_adapter_stays_shut(bench: Bench) -> None:
    bench.write(*(sample(str(number)) for number in range(50)))
    await bench.go((lane_plan(variant()), ScriptedAdapter()))
    (bench.folder / "journal.jsonl").unlink()
    adapter = ScriptedAdapter()

    ended, state = await bench.go((lane_plan(variant()), adapter))

    assert ended.status == "complete"
    assert ended.requests == adapter.opened == 0
    assert state.rows[ROW].cached == 50


async def test_a_poisoned_sample_fails_alone_and_is_asked_again_on_the_next_run(bench: Bench) -> None:
    bench.write(*(sample(str(number)) for number in range(10)))
    sick = ScriptedAdapter(
        lambda request: ServerFailed("broken") if question_of(request) == "3" else says("A")
    )

    ended, state = await bench.go((lane_plan(variant()), sick))

    assert ended.status == "partial"
    assert state.rows[ROW].counts[Code.FAILED] == 1
    assert Counter(sick.asked)["3"] == 3
    healed = ScriptedAdapter()
    ended, state = await bench.go((lane_plan(variant()), healed))
    assert healed.asked == ["3"]
    assert ended.status == "complete"
    assert state.rows[ROW].right == 10


async def test_a_failure_is_never_cached_or_read_as_an_answer(bench: Bench) -> None:
    bench.write(sample("1"))
    adapter = ScriptedAdapter(lambda request: BadRequest("A"))

    _, state = await bench.go((lane_plan(variant()), adapter))

    assert len(bench.cache) == 0
    assert state.rows[ROW].counts[Code.FAILED] == 1
    assert not [event for event in bench.events() if isinstance(event, ReplyArrived)]


async def test_a_dead_key_stops_its_lane_with_one_sentence_and_the_others_go_on(bench: Bench) -> None:
    bench.write(*(sample(str(number)) for number in range(20)))
    dead = ScriptedAdapter(lambda request: AuthFailed("the key was refused", status=401))
    alive = ScriptedAdapter()
    other = variant("n").model_copy(update={"lane": "q"})

    ended, state = await bench.go(
        (lane_plan(variant(), concurrency=2), dead), (lane_plan(other, lane="q"), alive)
    )

    assert ended.status == "partial"
    assert [stop.message for stop in state.stopped] == ["the key was refused"]
    assert len(dead.requests) <= 2
    assert state.rows["p:n", "text"].right == 20
    assert state.rows[ROW].counts[Code.PENDING] == 20


async def test_an_unknown_model_stops_its_own_rows_only(bench: Bench) -> None:
    bench.write(*(sample(str(number)) for number in range(20)))
    adapter = ScriptedAdapter(
        lambda request: NoSuchModel("no such model") if request.model == "m" else says("A")
    )

    _, state = await bench.go((lane_plan(variant("m"), variant("n")), adapter))

    assert [stop.model for stop in state.stopped] == ["m"]
    assert state.rows["p:n", "text"].right == 20


async def test_a_wait_of_hours_stops_the_lane_instead_of_the_user_waiting(bench: Bench) -> None:
    bench.write(*(sample(str(number)) for number in range(5)))
    adapter = ScriptedAdapter(lambda request: RateLimited("until midnight", retry_after=20_000))

    ended, state = await bench.go((lane_plan(variant(), concurrency=1), adapter))

    assert ended.status == "partial"
    assert len(adapter.requests) == 1
    assert [stop.kind for stop in state.stopped] == ["rate_limited"]


async def test_a_stalled_request_is_cut_by_its_deadline_and_its_place_is_used_again(bench: Bench) -> None:
    bench.write(*(sample(str(number)) for number in range(6)))
    stalls = ["2"]

    def script(request: Request) -> Completion | None:
        if question_of(request) in stalls:
            stalls.clear()
            return None
        return says("A")

    adapter = ScriptedAdapter(script)
    ended, state = await bench.go((lane_plan(variant(), concurrency=1), adapter))

    assert ended.status == "complete"
    assert state.errors == Counter({"timeout": 1})
    assert Counter(adapter.asked)["2"] == 2


async def test_the_request_limit_of_the_user_stops_the_run_resumable(bench: Bench) -> None:
    bench.write(*(sample(str(number)) for number in range(10)))
    first, second = ScriptedAdapter(), ScriptedAdapter()

    ended, _ = await bench.go((lane_plan(variant()), first), max_requests=4)
    assert ended.status == "budget"
    assert len(first.requests) == 4
    ended, state = await bench.go((lane_plan(variant()), second))

    assert ended.status == "complete"
    assert sorted(first.asked + second.asked) == sorted(str(number) for number in range(10))
    assert state.rows[ROW].right == 10


async def test_refused_replies_are_kept_and_asked_again_only_when_told(bench: Bench) -> None:
    bench.write(*(sample(str(number)) for number in range(5)))
    await bench.go((lane_plan(variant()), ScriptedAdapter(lambda request: says("no", finish="refused"))))

    kept = ScriptedAdapter()
    _, state = await bench.go((lane_plan(variant()), kept))
    assert kept.requests == []
    assert state.rows[ROW].counts[Code.REFUSED] == 5

    asked = ScriptedAdapter()
    _, state = await bench.go((lane_plan(variant()), asked), again=frozenset({Code.REFUSED}))
    assert len(asked.requests) == 5
    assert state.rows[ROW].counts[Code.REFUSED] == 0
    assert state.rows[ROW].right == 5


async def test_asking_again_and_failing_keeps_the_reply_there_was(bench: Bench) -> None:
    bench.write(sample("1"))
    await bench.go((lane_plan(variant()), ScriptedAdapter(lambda request: says("hm"))))

    failing = ScriptedAdapter(lambda request: BadRequest("no"))
    _, state = await bench.go((lane_plan(variant()), failing), again=frozenset({Code.UNPARSED}))

    assert len(failing.requests) == 1
    assert state.rows[ROW].counts[Code.UNPARSED] == 1


async def test_broken_rows_are_unusable_and_never_sent(bench: Bench) -> None:
    bench.write(sample("1"), sample("2", problem="its picture is broken"), sample("3"))
    adapter = ScriptedAdapter()

    ended, state = await bench.go((lane_plan(variant(), conditions=(TEXT, GREY)), adapter))

    assert ended.status == "partial"
    assert "2 are of broken rows" in ended.message
    assert "2" not in adapter.asked
    assert state.rows[ROW].counts[Code.UNUSABLE] == 1


async def test_a_model_that_changes_under_the_run_is_a_warning(bench: Bench) -> None:
    bench.write(*(sample(str(number)) for number in range(4)))
    names = iter(["m-1", "m-1", "m-2", "m-2"])
    adapter = ScriptedAdapter(lambda request: says("A", model=next(names)))

    await bench.go((lane_plan(variant(), concurrency=1), adapter))

    warnings = [event.message for event in bench.events() if isinstance(event, Warned)]
    assert warnings == ["the server now reports model 'm-2', earlier 'm-1'"]


async def test_every_attempt_and_wait_is_in_the_journal(bench: Bench) -> None:
    bench.write(sample("1"))
    results: list[Fault | Completion] = [says("A"), RateLimited("slow", retry_after=0.01), ServerFailed("x")]
    adapter = ScriptedAdapter(lambda request: results.pop())

    await bench.go((lane_plan(variant()), adapter))

    failed = [event for event in bench.events() if isinstance(event, AttemptFailed)]
    assert [(event.kind, event.attempt, event.final) for event in failed] == [
        ("server_failed", 1, False),
        ("rate_limited", 2, False),
    ]
    assert failed[1].retry_in_s == 0.01
    reply = next(event for event in bench.events() if isinstance(event, ReplyArrived))
    assert reply.attempts == 3


async def test_a_defect_of_ours_ends_the_run_loudly_and_loses_no_reply(bench: Bench) -> None:
    bench.write(*(sample(str(number)) for number in range(3)))

    def script(request: Request) -> Completion:
        if question_of(request) == "2":
            raise ZeroDivisionError("ours")
        return says("A")

    with pytest.raises(ZeroDivisionError):
        await bench.go((lane_plan(variant(), concurrency=1), ScriptedAdapter(script)))

    replies = [event for event in bench.events() if isinstance(event, ReplyArrived)]
    assert len(replies) == 2


async def test_a_run_may_be_widened_by_samples_and_repeats(bench: Bench) -> None:
    bench.write(sample("1"))
    await bench.go((lane_plan(variant()), ScriptedAdapter()))
    bench.write(sample("1"), sample("2"))
    adapter = ScriptedAdapter()

    ended, state = await bench.go((lane_plan(variant()), adapter), repeats=2)

    assert ended.status == "complete"
    assert len(adapter.requests) == 3
    assert state.rows[ROW].right == 4
    assert sum(isinstance(event, RunStarted) for event in bench.events()) == 2


async def test_only_lanes_that_stopped_are_named_as_stopped_again_after_a_resume(bench: Bench) -> None:
    bench.write(sample("1"))
    dead = ScriptedAdapter(lambda request: AuthFailed("refused"))
    await bench.go((lane_plan(variant()), dead))

    _, state = await bench.go((lane_plan(variant()), ScriptedAdapter()))

    assert state.stopped == []
    assert sum(isinstance(event, LaneStopped) for event in bench.events()) == 1


async def test_a_server_that_is_not_there_stops_its_lane_instead_of_failing_every_sample(
    bench: Bench,
) -> None:
    bench.write(*(sample(str(number)) for number in range(200)))
    adapter = ScriptedAdapter(lambda request: Network("cannot connect to 127.0.0.1:9"))

    ended, state = await bench.go((lane_plan(variant()), adapter))

    assert ended.status == "partial"
    assert "cannot connect to 127.0.0.1:9" in ended.message
    assert len(adapter.requests) <= 60  # of the 600 that three attempts at every sample would be
    assert state.rows[ROW].counts[Code.FAILED] == 0


async def test_one_connection_that_is_always_cut_fails_alone_while_others_get_through(bench: Bench) -> None:
    bench.write(*(sample(str(number)) for number in range(20)))
    adapter = ScriptedAdapter(
        lambda request: Network("cut") if question_of(request) == "3" else says("A"), delay_s=0.002
    )

    ended, state = await bench.go((lane_plan(variant()), adapter))

    assert ended.status == "partial"
    assert state.stopped == []
    assert state.rows[ROW].counts[Code.FAILED] == 1
    assert state.rows[ROW].right == 19


async def test_a_lane_tells_how_long_its_oldest_request_has_been_open(bench: Bench) -> None:
    bench.write(sample("1"))
    patient = replace(QUICK, attempt_deadline_s=30)
    adapter = ScriptedAdapter(delay_s=1.3)

    await bench.go((lane_plan(variant()), adapter), policy=patient)

    ages = [event.oldest_s for event in bench.events() if isinstance(event, LaneState)]
    assert ages[0] == pytest.approx(1.0, abs=0.3)
    assert ages[-1] is None
