"""Runs that are killed again and again, in every phase of their life, until they are complete."""

from __future__ import annotations

import random
import shutil
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from tests.soak.arena import Arena, arena
from tests.soak.ledger import Figures, Life, Verdicts, check, check_cache, check_complete, verdicts

Process = subprocess.Popen[str]


@dataclass(slots=True)
class Tally:
    """Kills by phase, and what the runs they befell came to."""

    kills: Counter[str] = field(default_factory=Counter)
    runs: list[Figures] = field(default_factory=list)

    def __str__(self) -> str:
        slots = sum(run.slots for run in self.runs)
        requests = sum(run.requests for run in self.runs)
        cut_off = sum(run.cut_off for run in self.runs)
        phases = ", ".join(f"{phase} {count}" for phase, count in self.kills.most_common())
        return (
            f"{self.kills.total()} kills ({phases}) over {len(self.runs)} runs: {slots} slots, {requests} "
            f"requests, of which {cut_off} were in flight at a kill; none lost, none asked again"
        )


class Reader:
    """The lines a life adds to the journal, without reading the earlier ones again."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._start = path.stat().st_size if path.exists() else 0

    def added(self, word: bytes) -> int:
        """How often `word` occurs in them."""
        try:
            with open(self._path, "rb") as file:
                file.seek(self._start)
                return file.read().count(word)
        except FileNotFoundError:
            return 0


def while_indexing(place: Arena, process: Process, chance: random.Random) -> None:
    place.wait(process, lambda: any((place.cache / "index").glob("*-*-*")))
    time.sleep(chance.uniform(0, 0.1))


def while_starting(place: Arena, process: Process, chance: random.Random) -> None:
    journal = Reader(place.journal)
    if chance.random() < 0.5:
        time.sleep(chance.uniform(0.2, 0.8))
    else:
        place.wait(process, lambda: journal.added(b'"run_started"') > 0)
        time.sleep(chance.uniform(0, 0.02))


def while_running(place: Arena, process: Process, chance: random.Random) -> None:
    journal, replies = Reader(place.journal), chance.randint(1, 20)
    place.wait(process, lambda: journal.added(b'"event":"reply"') >= replies)
    time.sleep(chance.uniform(0, 0.03))


def while_retrying(place: Arena, process: Process, chance: random.Random) -> None:
    journal, faults = Reader(place.journal), chance.randint(1, 3)
    place.wait(process, lambda: journal.added(b'"attempt_failed"') >= faults)
    time.sleep(chance.uniform(0, 0.3))


def while_caching(place: Arena, process: Process, chance: random.Random) -> None:
    """Just after SQLite's log began to change: a batch is being written, or was this instant."""
    log, journal, batches = (
        place.cache / "replies" / "cache.db-wal",
        Reader(place.journal),
        chance.randint(1, 4),
    )
    place.wait(process, lambda: journal.added(b'"event":"reply"') > 0)
    for _ in range(batches):
        before = _changed(log)
        place.wait(process, lambda before=before: _changed(log) != before)  # type: ignore[misc]
    time.sleep(chance.choice((0.0, 0.0, 0.001)))


def _changed(path: Path) -> tuple[int, int]:
    try:
        facts = path.stat()
    except FileNotFoundError:
        return 0, 0
    return facts.st_mtime_ns, facts.st_size


def while_finishing(place: Arena, process: Process, chance: random.Random) -> None:
    """When all but a few slots are answered: the last replies, the closing event, the cache's last batch."""
    journal, missing = Reader(place.journal), len(place.slots - place.answered())
    left = chance.choice((0, 0, 1))
    place.wait(process, lambda: journal.added(b'"run_started"') > 0)
    place.wait(process, lambda: journal.added(b'"event":"reply"') >= missing - left)
    time.sleep(chance.uniform(0, 0.04))


PHASES: dict[str, Callable[[Arena, Process, random.Random], None]] = {
    "index": while_indexing,
    "start": while_starting,
    "running": while_running,
    "retrying": while_retrying,
    "cache writing": while_caching,
    "finishing": while_finishing,
}
MANY_LEFT = 30


def killed_and_resumed(
    place: Arena, phases: list[str], chance: random.Random, expected: Verdicts, tally: Tally
) -> None:
    """Kill the run once in each of `phases`, in this order, then let it end, and hold it to the ledger.

    A life that ends before its moment comes is no kill. Phases that need many open slots are passed over
    when few are left.
    """
    lives: list[Life] = []
    for phase in phases:
        answered = place.answered()
        if len(place.slots - answered) < MANY_LEFT and phase not in ("index", "start", "finishing"):
            continue
        if phase == "index":
            shutil.rmtree(place.cache / "index", ignore_errors=True)
        began = time.time()
        with place.start() as process:
            PHASES[phase](place, process, chance)
            process.send_signal(signal.SIGKILL)
            process.communicate()
        killed = process.returncode == -signal.SIGKILL
        lives.append(Life(began, killed))
        tally.kills[phase] += killed
        assert answered <= place.answered(), f"a reply was lost by a kill ({phase})"
    lives.append(Life(time.time(), killed=False))
    place.finish()
    tally.runs.append(check(place, lives))
    check_complete(place, expected)
    check_cache(place)


def kill_often(
    folder: Path, kills: int, seed: int, say: Callable[[str], None], *, samples: int = 150
) -> Tally:
    """Runs killed in every phase, in an order drawn from `seed`, until there were so many kills."""
    chance = random.Random(seed)
    tally = Tally()
    with arena(folder / "undisturbed", samples=samples, fault_rate=0) as place:
        place.finish()
        expected = verdicts(place)
    number = 0
    while tally.kills.total() < kills:
        number += 1
        phases = [phase for phase in PHASES if phase != "finishing"] * 2
        chance.shuffle(phases)
        phases = [*phases, "finishing", "finishing"][: kills - tally.kills.total()]
        with arena(folder / str(number), samples=samples, seed=chance.randrange(10**6)) as place:
            killed_and_resumed(place, phases, chance, expected, tally)
        say(f"run {number}: {tally}")
    return tally
