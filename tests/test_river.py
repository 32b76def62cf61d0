"""The whole river as a user has it: killed half-way, resumed, reported from the run directory alone."""

from __future__ import annotations

import base64
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from PIL import Image

CORES = (
    ("coarse perception", "image emotion"), ("fine-grained perception", "localization"),
    ("logical reasoning", "diagram reasoning"), ("math", "geometry"),
)  # fmt: skip
SAMPLES = 60


def mmstar_tsv(path: Path, samples: int = SAMPLES) -> None:
    """Rows in the layout of the published TSV, with pictures of our own; sorted by category as there."""
    lines = ["index\tquestion\tanswer\tcategory\tl2_category\tbench\timage"]
    for at in range(samples):
        core, axis = CORES[at * len(CORES) // samples]
        encoded = io.BytesIO()
        Image.new("RGB", (64 + at % 5, 48), (at * 4 % 256, 90, 120)).save(encoded, "JPEG")
        picture = base64.b64encode(encoded.getvalue()).decode()
        question = f'"What fills picture {at}?\nOptions: A: nan, B: sky, {at} birds, C: grass, D: snow"'
        lines.append(f"{at}\t{question}\t{'ABCD'[at % 4]}\t{core}\t{axis}\tMMBench\t{picture}")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


@dataclass(frozen=True)
class Place:
    """A workspace of its own with the data, beside a provider on the loopback."""

    folder: Path
    url: str
    environ: dict[str, str]

    def command(self, *words: str) -> list[str]:
        return [sys.executable, "-m", "vlbench", *words]

    def run_words(self, *words: str) -> list[str]:
        target = f"local:shapes-eye-1+tag=test@{self.url}"
        data = str(self.folder / "data.tsv")
        return self.command("run", "mmstar", "-p", target, "--data", data, "--ui", "none", *words)

    def do(self, *words: str, code: int = 0) -> str:
        done = subprocess.run(
            self.command(*words), cwd=self.folder, env=self.environ, capture_output=True, text=True
        )
        assert done.returncode == code, done.stderr
        return done.stdout

    def go(self, *words: str, code: int = 0) -> None:
        done = subprocess.run(
            self.run_words(*words), cwd=self.folder, env=self.environ, capture_output=True, text=True
        )
        assert done.returncode == code, done.stderr

    def start(self, *words: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            self.run_words(*words), cwd=self.folder, env=self.environ, stderr=subprocess.DEVNULL
        )

    def events(self) -> list[dict[str, object]]:
        (journal,) = (self.folder / "runs").glob("*/journal.jsonl")
        return [json.loads(line) for line in journal.read_bytes().splitlines() if line.endswith(b"}")]

    def replies(self) -> Counter[tuple[object, object]]:
        return Counter((e["condition"], e["sample"]) for e in self.events() if e["event"] == "reply")

    def wait_for_replies(self, count: int) -> None:
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            if list((self.folder / "runs").glob("*/journal.jsonl")) and self.replies().total() >= count:
                return
            time.sleep(0.01)
        pytest.fail(f"no {count} replies within 20 s")

    def asked(self) -> Counter[str]:
        """How often each request body reached the provider."""
        log = httpx.get(self.url.removesuffix("/v1") + "/_log", trust_env=False).json()
        return Counter(entry["body_sha256"] for entry in log)


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    workspace = tmp_path / "workspace"
    (workspace / "providers").mkdir(parents=True)
    shutil.copy(Path(__file__).parent.parent / "providers" / "local.toml", workspace / "providers")
    mmstar_tsv(workspace / "data.tsv")
    environ = {**os.environ, "XDG_CONFIG_HOME": str(tmp_path / "config"), "COLUMNS": "100"}
    server = subprocess.Popen(
        [sys.executable, "-m", "vlbench", "simulate", "--port", "0", "--latency", "0.05"],
        stdout=subprocess.PIPE, text=True, env=environ,
    )  # fmt: skip
    try:
        assert server.stdout is not None
        url = server.stdout.readline().split()[-1]
        yield Place(workspace, url, environ)
    finally:
        server.terminate()
        server.wait()
        assert server.stdout is not None
        server.stdout.close()


def test_a_killed_run_goes_on_and_its_directory_alone_reproduces_every_number(place: Place) -> None:
    running = place.start("--concurrency", "4")
    place.wait_for_replies(30)
    running.send_signal(signal.SIGKILL)
    running.wait()
    kept = place.replies()
    assert 30 <= kept.total() < 2 * SAMPLES

    place.go("--concurrency", "4")

    replies = place.replies()
    assert len(replies) == 2 * SAMPLES
    assert set(replies.values()) == {1}
    asked = place.asked()
    assert asked.total() <= 2 * SAMPLES + 4  # what was in flight at the kill is asked again, nothing else

    before = {form: place.do("report", "--format", form) for form in ("table", "json", "csv", "md")}
    score = place.do("score")
    shutil.rmtree(place.folder / "cache")
    (place.folder / "data.tsv").unlink()
    after = {form: place.do("report", "--format", form) for form in ("table", "json", "csv", "md")}
    assert after == before
    assert place.do("score") == score


def test_the_same_command_again_asks_nothing_and_says_the_same(place: Place) -> None:
    place.go()
    first = place.do("report", "--format", "json")
    asked = place.asked()

    place.go()

    assert place.asked() == asked
    assert place.do("report", "--format", "json") == first


def test_a_new_run_of_the_same_requests_is_paid_by_the_cache(place: Place) -> None:
    place.go("--name", "first")
    asked = place.asked()

    place.go("--name", "second")

    assert place.asked() == asked


def test_a_larger_limit_widens_the_run_and_asks_only_for_what_is_new(place: Place) -> None:
    place.go("--limit", "20")
    assert place.asked().total() == 40

    place.go("--limit", "50")

    assert place.asked().total() == 100
    assert len(place.replies()) == 100


def test_an_interrupted_run_keeps_what_was_in_flight_and_says_how_it_ended(place: Place) -> None:
    running = place.start("--concurrency", "4")
    place.wait_for_replies(10)
    running.send_signal(signal.SIGINT)

    assert running.wait(timeout=20) == 130
    assert place.asked().total() == place.replies().total()
    ended = place.events()[-1]
    assert (ended["event"], ended["status"]) == ("run_ended", "interrupted")
    place.do("resume", "--ui", "none")
    assert place.asked().total() == 2 * SAMPLES


def test_a_run_outlives_its_terminal(place: Place) -> None:
    running = place.start("--concurrency", "4")
    place.wait_for_replies(10)
    running.send_signal(signal.SIGHUP)

    assert running.wait(timeout=30) == 0
    assert place.replies().total() == place.asked().total() == 2 * SAMPLES


def test_a_dry_run_counts_and_sends_nothing(place: Place) -> None:
    place.go("--limit", "10")
    asked = place.asked()

    words = place.run_words("--dry-run", "--limit", "30")
    done = subprocess.run(words, cwd=place.folder, env=place.environ, capture_output=True, text=True)

    assert done.returncode == 0, done.stderr
    rows = [line.split() for line in done.stdout.splitlines() if " image " in line or " text " in line]
    # requests, cached, in this run already, images
    assert [row[2:6] for row in rows] == [["20", "0", "10", "20"], ["20", "0", "10", "0"]]
    assert place.asked() == asked


def test_a_run_that_is_alive_is_not_run_twice(place: Place) -> None:
    running = place.start("--concurrency", "1")
    place.wait_for_replies(2)
    try:
        second = subprocess.run(
            place.run_words(), cwd=place.folder, env=place.environ, capture_output=True, text=True
        )
    finally:
        running.kill()
        running.wait()

    assert second.returncode == 2
    assert str(running.pid) in second.stderr
    assert "watch" in second.stderr
    assert "Traceback" not in second.stderr


def test_the_reader_of_the_paper_is_scored_from_the_same_replies(place: Place) -> None:
    place.go("--limit", "20")
    asked = place.asked()

    shown = json.loads(place.do("score", "--reader", "mmstar-official", "--format", "json"))

    assert "mmstar-official" in json.dumps(shown)
    assert place.asked() == asked
