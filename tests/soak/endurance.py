"""Real runs that are killed, starved and disturbed, and what must be true of them afterwards.

python -m tests.soak.endurance 120      so many kills, then every other mishap; some minutes
"""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

SAMPLES = 300
CONCURRENCY = 8
Event = dict[str, object]


@dataclass(frozen=True)
class Arena:
    """A workspace with a data file, beside a server on the loopback that fails now and then."""

    folder: Path
    url: str

    @property
    def run_folder(self) -> Path:
        return self.folder / "vlbench" / "runs" / "soak"

    @property
    def journal(self) -> Path:
        return self.run_folder / "journal.jsonl"

    def command(self, *words: str, name: str = "soak") -> list[str]:
        asked = ["-p", f"local:soak+tag=soak@{self.url}", "--conditions", "text", "--ui", "none"]
        asked += ["--concurrency", str(CONCURRENCY), "--timeout", "1", "--name", name]
        return [sys.executable, "-m", "vlbench", "run", str(self.folder / "data.jsonl"), *asked, *words]

    def start(self, *words: str, name: str = "soak") -> subprocess.Popen[str]:
        """Begin or continue the run."""
        command = self.command(*words, name=name)
        places = {"XDG_DATA_HOME": self.folder, "XDG_CONFIG_HOME": self.folder / "config"}
        places["VLBENCH_CACHE_DIR"] = self.folder / "cache"
        environ = {**os.environ, **{variable: str(path) for variable, path in places.items()}}
        return subprocess.Popen(
            command,
            cwd=self.folder,
            env=environ,
            stderr=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            text=True,
        )

    def finish(self, *words: str, name: str = "soak") -> str:
        """Continue the run to its end; what it said. Samples that failed are tried again a few times."""
        for _ in range(5):
            with self.start(*words, name=name) as process:
                _, said = process.communicate(timeout=120)
            if process.returncode == 0:
                return said
            assert process.returncode == 3, said
        raise AssertionError(f"the run does not become complete: {said}")

    def events(self) -> list[Event]:
        """What the journal holds; a last line that was cut is no event yet."""
        if not self.journal.exists():
            return []
        lines = self.journal.read_bytes().split(b"\n")
        return [json.loads(line) for line in lines[:-1]]

    def answered(self) -> list[str]:
        return [str(event["sample"]) for event in self.events() if event["event"] == "reply"]

    def requests(self) -> list[tuple[float, str, int]]:
        """When which sample was asked for, and the status it got."""
        log = httpx.get(self.url.removesuffix("/v1") + "/_log", trust_env=False, timeout=30).json()
        return [(e["time"], e["text"].split("number ")[1].split("?")[0], e["status"]) for e in log]


@contextmanager
def arena(folder: Path, *, latency_s: float = 0.02, faults: bool = True) -> Iterator[Arena]:
    with open(folder / "data.jsonl", "w", encoding="utf-8") as file:
        for number in range(SAMPLES):
            row = {"id": str(number), "question": f"What is number {number}?", "options": ["odd", "even"]}
            file.write(json.dumps({**row, "answer": "A", "category": f"c{number % 5}"}) + "\n")
    command = [sys.executable, "-m", "vlbench", "simulate", "--port", "0", "--reply", "A"]
    command += ["--latency", str(latency_s), "--spread", "0.5"]
    if faults:
        for kind in ("429", "500", "503", "cut", "malformed", "error_in_200"):
            command += ["--fault", f"{kind}=0.02"]
    server = subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env=os.environ | {"PYTHONPATH": os.getcwd()}
    )
    try:
        assert server.stdout is not None
        yield Arena(folder, server.stdout.readline().split()[-1])
    finally:
        server.terminate()
        server.communicate()


def kill_and_resume(place: Arena, kills: int, seed: int = 0) -> int:
    """Kill the run at random moments until it was killed so often or is complete; how often it was."""
    chance = random.Random(seed)
    for killed in range(kills):
        known = set(place.answered())
        resumed_at = time.time()
        with place.start() as process:
            # Some moments are those of start-up, most are among requests: the first reply begins the count.
            if chance.random() < 0.8:
                _wait_for_reply(place, len(known), process)
            time.sleep(chance.random() * 0.3)
            process.send_signal(signal.SIGKILL)
            process.communicate()
        check(place, known, resumed_at)
        if process.returncode == 0 or len(set(place.answered())) == SAMPLES:
            return killed + 1
    return kills


def _wait_for_reply(place: Arena, known: int, process: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + 20
    while process.poll() is None and time.monotonic() < deadline:
        if place.journal.exists() and len(place.answered()) > known:
            return
        time.sleep(0.01)


def check(place: Arena, known: set[str], since: float) -> None:
    """Nothing that was answered is lost or was asked again, and each line is an event."""
    answered = place.answered()
    assert known <= set(answered), "a reply was lost"
    assert len(answered) == len(set(answered)), "a sample was answered twice"
    again = {sample for when, sample, _ in place.requests() if when > since} & known
    assert not again, f"asked again although answered: {sorted(again)[:5]}"
    numbers = [event["seq"] for event in place.events()]
    assert numbers == list(range(1, len(numbers) + 1)), "the journal has a gap"


def check_complete(place: Arena, kills: int) -> None:
    """Every sample has one reply, and only what was in flight at a kill was paid for twice."""
    answered = place.answered()
    missing = {str(number) for number in range(SAMPLES)} - set(answered)
    assert not missing, f"no reply for {sorted(missing)[:5]}"
    assert len(answered) == SAMPLES, f"{len(answered)} replies for {SAMPLES} samples"
    paid = sum(status == 200 for _, _, status in place.requests())
    assert paid <= SAMPLES * 1.05 + kills * CONCURRENCY, f"{paid} paid for {SAMPLES} samples"


def killed_often(folder: Path, kills: int) -> int:
    """Whole runs killed again and again until there were so many kills."""
    total = 0
    for number in range(kills):
        place_folder = folder / f"kills-{number}"
        place_folder.mkdir()
        with arena(place_folder) as place:
            done = kill_and_resume(place, min(15, kills - total), seed=number)
            place.finish()
            check_complete(place, done)
        total += done
        print(f"{total} kills", file=sys.stderr, flush=True)
        if total >= kills:
            break
    return total


def cut_journal(place: Arena) -> None:
    """The last line was being written when the power went."""
    _begin(place)
    whole = place.journal.read_bytes()
    last = whole.rstrip(b"\n").rfind(b"\n") + 1
    place.journal.write_bytes(whole[: last + (len(whole) - last) // 2])
    known, since = set(place.answered()), time.time()
    place.finish()
    check(place, known, since)
    assert len(set(place.answered())) == SAMPLES


def corrupt_cache(place: Arena) -> None:
    """The cache file is garbage: it is said, and the journal alone is enough to go on."""
    _begin(place)
    for file in (place.folder / "cache").rglob("cache.db*"):
        file.write_bytes(b"no database at all" * 1000)
    known, since = set(place.answered()), time.time()
    said = place.finish()
    assert "cache" in said.lower(), said
    check(place, known, since)


def full_disk(place: Arena) -> None:
    """No file can grow any more in the middle of a run: it stops with a sentence, and goes on later."""
    with place.start() as process:
        _wait_for_reply(place, 30, process)
        room = place.journal.stat().st_size + 5_000
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (room, room))
        _, said = process.communicate(timeout=120)
    assert process.returncode == 2, said
    assert "journal" in said, said
    assert "Traceback" not in said, said
    known, since = set(place.answered()), time.time()
    assert known
    place.finish()
    check(place, known, since)


def two_at_once(place: Arena) -> None:
    """The same run twice is refused, and two runs of the same questions share one cache."""
    with place.start() as first:
        _wait_for_reply(place, 0, first)
        with place.start() as second:
            _, said = second.communicate(timeout=60)
        assert second.returncode == 2, said
        assert str(first.pid) in said, said
        other = place.finish(name="other")
        assert "Traceback" not in other
        first.communicate(timeout=120)
    place.finish()
    assert len(set(place.answered())) == SAMPLES


def _begin(place: Arena) -> None:
    """A run that was killed with some replies and a written cache."""
    with place.start() as process:
        deadline = time.monotonic() + 30
        while len(place.answered()) < SAMPLES // 3 and time.monotonic() < deadline:
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
        process.communicate()


MISHAPS = (cut_journal, corrupt_cache, full_disk, two_at_once)


def main(arguments: Sequence[str]) -> None:
    kills = int(arguments[0]) if arguments else 100
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        print(f"{killed_often(folder, kills)} kills: nothing lost, nothing answered asked again")
        for mishap in MISHAPS:
            place_folder = folder / mishap.__name__
            place_folder.mkdir()
            with arena(place_folder) as place:
                mishap(place)
            print(f"{mishap.__name__}: ok")


if __name__ == "__main__":
    main(sys.argv[1:])
