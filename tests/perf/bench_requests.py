"""What a request costs, beside what is physically there: the table of docs/performance.md.

    python -m tests.perf.bench_requests [--quick]      one or two minutes

Every client asks the same questions with the same pictures (142 KB of JPEG each) of the same server, in a
process of its own. CPU is user + system time of that process; the cost of a request is the difference
between a long run and a short one, so that start-up does not count.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import orjson

PICTURES = 300
PICTURE_BYTES = 142_000
SHORT, LONG = 200, 1700
INSPECT = os.environ.get("INSPECT_PYTHON", sys.executable)
"""An interpreter that has Inspect AI, which wants other versions of much that we use."""


@dataclass(frozen=True, slots=True)
class Cost:
    """Of one process: seconds of the requests, CPU seconds, peak memory in MB, exit code."""

    seconds: float
    cpu_s: float
    peak_mb: float


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table. `per_s` requests a second, `cpu_ms` a request."""

    name: str
    concurrency: int
    latency_s: float
    per_s: float
    cpu_ms: float
    peak_mb: float

    @property
    def efficiency(self) -> float | None:
        """Share of what the concurrency allows at this latency."""
        return self.per_s * self.latency_s / self.concurrency if self.latency_s else None


def make_data(folder: Path, rows: int) -> None:
    """Pictures that do not compress, and a question for each row."""
    from PIL import Image

    chance = random.Random(1)
    for number in range(PICTURES):
        picture = folder / f"{number:03}.jpg"
        Image.new("RGB", (1024, 768), (number % 256, 90, 120)).save(picture, "JPEG")
        missing = PICTURE_BYTES - picture.stat().st_size
        # After the end of the picture: no decoder looks there, and every client sends it.
        picture.write_bytes(picture.read_bytes() + chance.randbytes(missing))
    with open(folder / "data.jsonl", "wb") as file:
        for number in range(rows):
            row = {
                "id": str(number),
                "question": f"What is on picture {number}?",
                "options": ["this", "that"],
                "answer": "B",
                "image": f"{number % PICTURES:03}.jpg",
                "category": f"c{number % 6}",
            }
            file.write(orjson.dumps(row) + b"\n")


@contextmanager
def server(latency_s: float) -> Iterator[str]:
    command = [sys.executable, "-m", "tests.perf.server", str(latency_s)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        yield process.stdout.readline().decode().strip()
        process.terminate()


def measured(command: Sequence[str], cwd: Path, environ: dict[str, str]) -> tuple[Cost, bytes]:
    """Run `command` to its end; `seconds` are those of the whole process."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen(command, cwd=cwd, env=environ, stdout=out, stderr=err)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        if process.returncode:
            raise SystemExit(f"{' '.join(command)}:\n{err.read().decode()[-2000:]}")
        cost = Cost(0.0, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)
        return cost, out.read()


def raw(kind: str, url: str, data: Path, requests: int, concurrency: int) -> Cost:
    command = [sys.executable, "-m", "tests.perf.raw_clients", kind, url, str(data)]
    cost, out = measured([*command, str(requests), str(concurrency)], Path.cwd(), dict(os.environ))
    return Cost(float(out), cost.cpu_s, cost.peak_mb)


def through_inspect(url: str, data: Path, requests: int, concurrency: int) -> Cost:
    command = [INSPECT, "-m", "tests.perf.inspect_client", url, str(data), str(requests), str(concurrency)]
    cost, out = measured(command, Path.cwd(), dict(os.environ))
    return Cost(float(out.split()[-1]), cost.cpu_s, cost.peak_mb)


def ours(provider: str, url: str, data: Path, requests: int, concurrency: int) -> Cost:
    """`vlbench run` as a user has it: new workspace, empty cache, plain view."""
    with tempfile.TemporaryDirectory() as home:
        environ = os.environ | {
            "HOME": home, "VLBENCH_CACHE_DIR": f"{home}/cache", "XDG_DATA_HOME": home,
            "OPENAI_API_KEY": "x", "PYTHONPATH": str(Path.cwd()),
        }  # fmt: skip
        target = f"{provider}@{url}"
        # A provider of the workspace, as the vendors' own are spoken to: through the SDK.
        (Path(home) / "providers").mkdir()
        (Path(home) / "providers" / "sdk.toml").write_text(
            'name = "SDK"\nwire = "openai-chat"\nurls = ["http://127.0.0.1:1/v1"]\nkey_required = false\n',
            encoding="utf-8",
        )
        words = ["run", str(data / "data.jsonl"), "-p", target, "--conditions", "image", "--ui", "plain"]
        words += ["--concurrency", str(concurrency), "-n", str(requests), "--name", "bench"]
        command = [sys.executable, "-m", "vlbench", *words]
        cost, _ = measured(command, Path(home), environ)
        (journal,) = Path(home).glob("**/runs/bench/journal.jsonl")
        return Cost(_seconds_of(journal), cost.cpu_s, cost.peak_mb)


def _seconds_of(journal: Path) -> float:
    """From the first request sent to the last reply."""
    events = [json.loads(line) for line in journal.read_bytes().splitlines()]
    replies = [event for event in events if event["event"] == "reply"]
    return float(replies[-1]["time"] - min(event["time"] - event["latency_s"] for event in replies))


CLIENTS: dict[str, Callable[[str, Path, int, int], Cost]] = {
    "aiohttp": partial(raw, "aiohttp"),
    "httpx": partial(raw, "httpx"),
    "openai SDK": partial(raw, "openai"),
    "vlbench chat": partial(ours, "local:bench+tag=bench"),
    "Inspect AI": through_inspect,
    "vlbench openai SDK": partial(ours, "sdk:bench"),
}


def row(name: str, url: str, data: Path, latency_s: float, concurrency: int, rounds: int) -> Row:
    """The best of some rounds: noise of the machine only ever adds."""
    client = CLIENTS[name]
    pairs = [
        (client(url, data, SHORT, concurrency), client(url, data, LONG, concurrency)) for _ in range(rounds)
    ]
    short, long = (min((pair[at] for pair in pairs), key=lambda cost: cost.cpu_s) for at in (0, 1))
    seconds = min(long.seconds for _, long in pairs)
    return Row(
        name,
        concurrency,
        latency_s,
        LONG / seconds,
        1000 * (long.cpu_s - short.cpu_s) / (LONG - SHORT),
        long.peak_mb,
    )


def show(rows: Sequence[Row]) -> None:
    print("| client | in flight | server | req/s | ÷ aiohttp | CPU ms | efficiency | peak MB |")
    print("|---|---|---|---|---|---|---|---|")
    for one in rows:
        same = [r for r in rows if (r.concurrency, r.latency_s) == (one.concurrency, one.latency_s)]
        bare = next((r for r in same if r.name == "aiohttp"), None)
        ratio = f"{one.per_s / bare.per_s:.2f}" if bare else "–"
        efficiency = f"{one.efficiency:.2f}" if one.efficiency is not None else "–"
        print(
            f"| {one.name} | {one.concurrency} | {one.latency_s * 1000:.0f} ms | {one.per_s:.0f} | {ratio} | "
            f"{one.cpu_ms:.2f} | {efficiency} | {one.peak_mb:.0f} |",
            flush=True,
        )


def is_measured(name: str, latency_s: float, concurrency: int) -> bool:
    """Slow clients are measured where they are at their best, and those that are there."""
    match name:
        case "Inspect AI":
            there = sys.executable != INSPECT or find_spec("inspect_ai") is not None
            return there and (latency_s, concurrency) == (0.0, 64)
        case "httpx" | "openai SDK" | "vlbench openai SDK":
            return concurrency == 64
        case _:
            return True


def main(rounds: int, only: Sequence[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder)
        make_data(data, LONG)
        rows = []
        for latency_s, concurrency in ((0.0, 64), (0.0, 256), (0.2, 64), (0.2, 256)):
            with server(latency_s) as url:
                for name in only or CLIENTS:
                    if not is_measured(name, latency_s, concurrency):
                        continue
                    rows.append(row(name, url, data, latency_s, concurrency, rounds))
                    print(f"  {rows[-1]}", file=sys.stderr, flush=True)
        show(rows)


if __name__ == "__main__":
    main(1 if "--quick" in sys.argv else 3, [word for word in sys.argv[1:] if not word.startswith("--")])
