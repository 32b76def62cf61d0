"""A workspace with a data file beside a provider, in which real runs are begun, killed and looked at."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx

CONDITIONS = ("image", "text")
CONCURRENCY = 6
REPOSITORY = Path(__file__).parents[2]

Slot = tuple[str, str]
"""Condition and sample."""
Event = dict[str, Any]
"""A line of the journal as plain JSON, so that the program is not judged by its own reading of it."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One request as the provider saw it: when it arrived, for which slot, the status it got (0: none)."""

    time: float
    slot: Slot
    status: int


@dataclass(frozen=True, slots=True)
class Done:
    """A command that came to its end by itself."""

    code: int
    said: str


@dataclass(frozen=True)
class Arena:
    """Where one run lives. `home` holds its directory, `cache` the cache; both may lie elsewhere."""

    folder: Path
    url: str
    samples: int
    home: Path
    cache: Path
    name: str = "soak"

    @property
    def run_folder(self) -> Path:
        return self.home / "vlbench" / "runs" / self.name

    @property
    def journal(self) -> Path:
        return self.run_folder / "journal.jsonl"

    @property
    def slots(self) -> set[Slot]:
        return {(condition, str(n)) for condition in CONDITIONS for n in range(self.samples)}

    def words(self, *more: str) -> list[str]:
        """The command line of the run."""
        words = ["run", str(self.folder / "data.jsonl"), "-p", f"local:soak+tag=soak@{self.url}"]
        words += ["--conditions", ",".join(CONDITIONS), "--ui", "none", "--timeout", "5"]
        if self.name:
            words += ["--name", self.name]
        if "--concurrency" not in more:
            words += ["--concurrency", str(CONCURRENCY)]
        return [*words, *more]

    def start(self, *more: str, mishap: str = "") -> subprocess.Popen[str]:
        """Begin or continue the run, in a process to which `mishap` happens (see `tests.soak.sabotage`)."""
        module = ["tests.soak.sabotage", mishap, "--"] if mishap else ["vlbench"]
        return subprocess.Popen(
            [sys.executable, "-m", *module, *self.words(*more)],
            cwd=self.folder,
            env=self._environ(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )

    def _environ(self) -> dict[str, str]:
        places = {
            "HOME": self.folder,
            "XDG_DATA_HOME": self.home,
            "XDG_CONFIG_HOME": self.folder / "config",
            "XDG_CACHE_HOME": self.folder / "user-cache",
            "VLBENCH_CACHE_DIR": self.cache,
            "PYTHONPATH": REPOSITORY,
        }
        return os.environ | {name: str(path) for name, path in places.items()}

    def go(self, *more: str, mishap: str = "") -> Done:
        """Run the command to its end. Its words are never a traceback."""
        with self.start(*more, mishap=mishap) as process:
            _, said = process.communicate(timeout=120)
        assert "Traceback" not in said, said
        return Done(process.returncode, said)

    def finish(self, *more: str) -> str:
        """Continue the run until it is complete; what it said first. Failed samples are tried again."""
        first = done = self.go(*more)
        for _ in range(4):
            if done.code == 0:
                return first.said
            assert done.code == 3, done.said
            done = self.go(*more)
        raise AssertionError(f"the run does not become complete: {done.said}")

    def events(self) -> list[Event]:
        """What the journal holds. A last line that was cut is no event; blank lines are none either."""
        if not self.journal.exists():
            return []
        lines = self.journal.read_bytes().split(b"\n")[:-1]
        return [json.loads(line) for line in lines if line.strip()]

    def replies(self) -> list[Event]:
        return [event for event in self.events() if event["event"] == "reply"]

    def answered(self) -> set[Slot]:
        return {slot_of(event) for event in self.replies()}

    def asked(self) -> list[Asked]:
        """Every request that reached the provider, in the order in which it was done with them."""
        log = httpx.get(self.url.removesuffix("/v1") + "/_log", trust_env=False, timeout=30).json()
        return [Asked(entry["time"], _asked_slot(entry), entry["status"]) for entry in log]

    def wait(self, process: subprocess.Popen[str], until: Callable[[], bool], within_s: float = 30.0) -> None:
        """Return when `until` holds, or the process has ended."""
        deadline = time.monotonic() + within_s
        while process.poll() is None and not until():
            assert time.monotonic() < deadline, "the moment did not come"
            time.sleep(0.002)

    def moved(self, *, home: Path | None = None, cache: Path | None = None) -> Arena:
        """The same with its `home` or `cache` elsewhere."""
        return replace(self, home=home or self.home, cache=cache or self.cache)

    def named(self, name: str) -> Arena:
        """Another run of the same questions, on the same cache; "" leaves the name to vlbench."""
        return replace(self, name=name)


def slot_of(event: Event) -> Slot:
    return event["condition"], event["sample"]


def _asked_slot(entry: dict[str, Any]) -> Slot:  # Any: JSON
    number = entry["text"].split("number ")[1].split(" ")[0]
    return ("image" if entry["images"] else "text"), number


def write_data(folder: Path, samples: int) -> None:
    """Questions with a picture each, in five categories."""
    from PIL import Image

    for shade in range(8):
        Image.new("RGB", (32, 24), (shade * 30, 90, 120)).save(folder / f"{shade}.png")
    with open(folder / "data.jsonl", "w", encoding="utf-8") as file:
        for number in range(samples):
            row = {"id": str(number), "question": f"Is number {number} odd or even?"}
            row |= {"image": f"{number % 8}.png", "category": f"c{number % 5}"}
            file.write(json.dumps({**row, "options": ["odd", "even"], "answer": "AB"[number % 2]}) + "\n")


@contextmanager
def arena(
    folder: Path, *, samples: int = 100, latency_s: float = 0.03, fault_rate: float = 0.1, seed: int = 0
) -> Iterator[Arena]:
    """A place of its own below `folder`, with its provider's process."""
    folder.mkdir(parents=True, exist_ok=True)
    write_data(folder, samples)
    command = [sys.executable, "-m", "tests.soak.provider", "--latency", str(latency_s)]
    command += ["--fault-rate", str(fault_rate), "--seed", str(seed)]
    with subprocess.Popen(command, cwd=REPOSITORY, stdout=subprocess.PIPE, text=True) as provider:
        try:
            assert provider.stdout is not None
            url = provider.stdout.readline().strip()
            yield Arena(folder, url, samples, home=folder / "home", cache=folder / "cache")
        finally:
            provider.kill()
