"""The ledger notices what it is there for: each test tells it of one thing that must never happen."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.soak.arena import CONCURRENCY, Arena, Asked, Event
from tests.soak.ledger import Figures, Life, check

KILLED, RESUMED = Life(0.0, killed=True), Life(100.0, killed=False)


@dataclass(frozen=True)
class Told(Arena):
    """An arena of which the journal and the provider's log are made up."""

    folder: Path = Path()
    url: str = ""
    samples: int = 10
    home: Path = Path()
    cache: Path = Path()
    journalled: list[Event] = field(default_factory=list)
    log: list[Asked] = field(default_factory=list)

    def events(self) -> list[Event]:
        return [{"seq": number, **event} for number, event in enumerate(self.journalled, start=1)]

    def asked(self) -> list[Asked]:
        return self.log


def reply(sample: str, time: float, *, cached: bool = False) -> Event:
    return {"event": "reply", "condition": "text", "sample": sample, "time": time, "cached": cached}


def fault(sample: str, time: float) -> Event:
    return {
        "event": "attempt_failed", "condition": "text", "sample": sample, "time": time, "kind": "overloaded",
    }  # fmt: skip


def asked(sample: str, time: float) -> Asked:
    return Asked(time, ("text", sample), 200)


def test_a_request_in_flight_at_a_kill_may_be_asked_again() -> None:
    log = [asked("1", 1), asked("2", 2), asked("2", 101)]
    told = Told(journalled=[reply("1", 1.5), reply("2", 101.5)], log=log)
    assert check(told, [KILLED, RESUMED]) == Figures(slots=2, requests=3, cut_off=1)


def test_a_failed_attempt_accounts_for_a_request() -> None:
    told = Told(journalled=[fault("1", 1.5), reply("1", 3)], log=[asked("1", 1), asked("1", 2)])
    assert check(told, [KILLED]).cut_off == 0


def test_an_answered_slot_that_is_asked_again_is_noticed() -> None:
    told = Told(journalled=[reply("1", 1.5)], log=[asked("1", 1), asked("1", 101)])
    with pytest.raises(AssertionError, match="asked again although answered"):
        check(told, [KILLED, RESUMED])


def test_a_slot_with_two_replies_is_noticed() -> None:
    told = Told(journalled=[reply("1", 1.5), reply("1", 2, cached=True)], log=[asked("1", 1)])
    with pytest.raises(AssertionError, match="answered twice"):
        check(told, [KILLED])


def test_a_reply_lost_without_a_kill_is_noticed() -> None:
    told = Told(journalled=[reply("1", 103)], log=[asked("1", 101), asked("1", 102)])
    with pytest.raises(AssertionError, match="1 unaccounted for"):
        check(told, [RESUMED])


def test_two_requests_for_one_slot_lost_by_one_kill_are_noticed() -> None:
    told = Told(log=[asked("1", 1), asked("1", 2)])
    with pytest.raises(AssertionError, match="2 unaccounted for"):
        check(told, [KILLED])


def test_more_lost_by_one_kill_than_were_in_flight_are_noticed() -> None:
    told = Told(log=[asked(str(number), 1) for number in range(CONCURRENCY + 1)])
    with pytest.raises(AssertionError, match=f"{CONCURRENCY + 1} requests lost by one kill"):
        check(told, [KILLED])


def test_a_reply_nobody_asked_for_is_noticed() -> None:
    with pytest.raises(AssertionError, match="-1 unaccounted for"):
        check(Told(journalled=[reply("1", 1)]), [KILLED])
