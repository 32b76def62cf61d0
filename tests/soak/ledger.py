"""What must be true of a run whatever happened to it: its journal against the provider's own log."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass

from tests.soak.arena import CONCURRENCY, Arena, Asked, Event, Slot, slot_of
from vlbench.store.cache_opening import open_cache

Verdicts = Mapping[Slot, tuple[str, str, str | None]]
"""Of each slot the text of the reply, the outcome, and the label read from it."""


@dataclass(frozen=True, slots=True)
class Life:
    """One process that worked on the run, from its start (epoch s); `killed` if it did not end by itself."""

    began: float
    killed: bool


@dataclass(frozen=True, slots=True)
class Figures:
    """Of one run: its slots, the requests the provider saw, and those whose fate a kill left unknown."""

    slots: int
    requests: int
    cut_off: int


def check(place: Arena, lives: Sequence[Life]) -> Figures:
    """Hold the journal against the provider's log.

    Each slot has at most one reply, no request for it arrived after that reply was written, and all that was
    ever asked is accounted for: as a reply, as a failed attempt, or as one of the at most `CONCURRENCY`
    requests that were in flight when a life was cut off.
    """
    events, asked = place.events(), place.asked()
    check_sequence(events)
    replies = [event for event in events if event["event"] == "reply"]
    counts = Counter(map(slot_of, replies))
    assert set(counts.values()) <= {1}, f"answered twice: {[slot for slot, n in counts.items() if n > 1][:3]}"
    written = {slot_of(event): event["time"] for event in replies}
    again = [one for one in asked if one.time > written.get(one.slot, float("inf"))]
    assert not again, f"asked again although answered: {again[:3]}"
    cut_off = sum(
        _cut_off(events, asked, life, ended)
        for life, ended in zip(lives, [*(life.began for life in lives[1:]), float("inf")], strict=True)
    )
    return Figures(len(counts), len(asked), cut_off)


def _cut_off(events: Sequence[Event], asked: Sequence[Asked], life: Life, ended: float) -> int:
    """How many requests of one life have no fate in the journal."""
    sent = Counter(one.slot for one in asked if life.began <= one.time < ended)
    settled: Counter[Slot] = Counter()
    given_up: Counter[Slot] = Counter()
    for event in events:
        if life.began <= event["time"] < ended:
            if event["event"] == "reply" and not event.get("cached"):
                settled[slot_of(event)] += 1
            elif event["event"] == "attempt_failed":
                # A request that was given up may never have been read by a busy provider.
                counter = given_up if event["kind"] in ("timeout", "network") else settled
                counter[slot_of(event)] += 1
    unknown: Counter[Slot] = Counter()
    for slot in sent | settled:
        unknown[slot] = sent[slot] - settled[slot] - given_up[slot]
        assert -given_up[slot] <= unknown[slot] <= int(life.killed), (
            f"{slot}: {unknown[slot]} unaccounted for"
        )
    total = sum(count for count in unknown.values() if count > 0)
    assert total <= CONCURRENCY, f"{total} requests lost by one kill"
    return total


def check_sequence(events: Sequence[Event]) -> None:
    numbers = [event["seq"] for event in events]
    assert numbers == list(range(1, len(numbers) + 1)), "the journal has a gap"


def verdicts(place: Arena) -> Verdicts:
    """The union of the journal: what a report is made of."""
    return {
        slot_of(event): (event["reply"]["text"], event["answer"]["outcome"], event["answer"].get("label"))
        for event in place.replies()
    }


def check_complete(place: Arena, expected: Verdicts) -> None:
    """The run has the replies of an uninterrupted one."""
    found = verdicts(place)
    assert found.keys() == place.slots, f"without a reply: {sorted(place.slots - found.keys())[:3]}"
    wrong = [slot for slot in expected if found[slot] != expected[slot]]
    assert not wrong, f"{wrong[0]}: {found[wrong[0]]} in place of {expected[wrong[0]]}"
    assert place.events()[-1]["status"] == "complete"


def check_cache(place: Arena, *, whole: bool = True) -> None:
    """The database is sound, opens without a word, and says what the journal says of every key.

    With `whole` it has every reply of the journal.
    """
    with closing(sqlite3.connect(place.cache / "replies" / "cache.db")) as connection:
        (verdict,) = connection.execute("PRAGMA integrity_check").fetchone()
    assert verdict == "ok", verdict
    texts = {event["key"]: event["reply"]["text"] for event in place.replies()}
    said: list[str] = []
    opened = open_cache(place.cache, on_warning=said.append)
    assert opened.warnings == ()
    kept = {key: entry.reply.text for key in texts if (entry := opened.cache.get(key)) is not None}
    opened.cache.close()
    assert said == []
    different = [key for key, text in kept.items() if text != texts[key]]
    assert not different, f"the cache says another thing of {different[0]}"
    if whole:
        assert kept.keys() == texts.keys(), f"{len(texts) - len(kept)} replies are not in the cache"
