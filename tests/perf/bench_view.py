"""What the live view costs: opening a long journal, looking at a busy run of 50,000 samples × 4 providers.

    python -m tests.perf.bench_view            prints one line a figure; takes about a minute and 1 GB of disk

The view is the real one in a pseudo-terminal of 120 × 40. Its loop is asked every 10 ms how late it is.
"""

from __future__ import annotations

import asyncio
import os
import pty
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import orjson

from tests.tui.fake_run import IMAGE, TEXT, fake_run, samples, variant
from vlbench.state.snapshot import NAME
from vlbench.state.tail import LiveRun
from vlbench.store.run_dir import RunDir

SAMPLES = 50_000
PROVIDERS = 4
EVENTS_PER_S = 200
WATCHED_S = 20.0
WARM_UP_S = 6.0
JOURNAL_BYTES = 500_000_000


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as name:
        directory = make_long_run(Path(name))
        size = directory.journal_path.stat().st_size
        print(f"journal                          {size / 1e6:.0f} MB")
        watch_busy_run(directory, "opened")
        (directory.path / NAME).unlink(missing_ok=True)
        print(f"open without a snapshot          {opened(directory, keep=True):.2f} s")
        kept = (directory.path / NAME).stat().st_size
        print(f"snapshot                         {kept / 1e6:.1f} MB")
        print(f"open with a snapshot             {opened(directory, keep=False):.2f} s")
        watch_busy_run(directory, "watched")


def make_long_run(runs_dir: Path) -> RunDir:
    """A run whose journal has about 500 MB: long replies of a reasoning model."""
    variants = tuple(variant(f"lane{number}:model") for number in range(PROVIDERS))
    with fake_run(runs_dir, chosen=samples(SAMPLES), variants=variants) as run:
        run.start()
        run.reply(0, text="Let me look at the picture. " * 45 + "\nAnswer: A")
        template = orjson.loads(run.directory.journal_path.read_bytes().splitlines()[1])
        lines: list[bytes] = []
        size, seq = 0, 2
        with open(run.directory.journal_path, "ab") as file:
            for who in variants:
                for condition in (IMAGE, TEXT):
                    for sample in run.samples:
                        seq += 1
                        line = orjson.dumps(
                            template | {"seq": seq, "time": template["time"] + seq / EVENTS_PER_S,
                                        "variant": who.id, "condition": condition.id, "sample": sample.id}
                        ) + b"\n"  # fmt: skip
                        lines.append(line)
                        size += len(line)
                        if size > JOURNAL_BYTES:
                            file.writelines(lines)
                            return run.directory
                file.writelines(lines)
                lines.clear()
        return run.directory


def opened(directory: RunDir, *, keep: bool) -> float:
    """Seconds until the state of the run is there."""
    began = time.perf_counter()
    with LiveRun.open(directory) as live:
        while live.poll(1.0):
            pass
        seconds = time.perf_counter() - began
        if keep:
            live.write_snapshot(live.pack())
    return seconds


def watch_busy_run(directory: RunDir, how: str) -> None:
    """Write events into the run while a view in a pseudo-terminal looks at it; print what that cost.

    It is only `opened`, or `watched` for a while.
    """
    result = directory.path / "measured.txt"
    command = [sys.executable, "-m", "tests.perf.bench_view", how, str(directory.path), str(result)]
    master, slave = pty.openpty()
    import fcntl
    import struct
    import termios

    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    environ = os.environ | {"TERM": "xterm-256color", "COLORTERM": "truecolor"}
    with directory.lock():
        view = subprocess.Popen(command, stdin=slave, stdout=slave, stderr=slave, env=environ)
        seen: list[bytes] = []
        threading.Thread(target=_drain, args=(master, seen), daemon=True).start()
        lines = [line + b"\n" for line in _tail_lines(directory)]
        with open(directory.journal_path, "ab", buffering=0) as file:
            number = 0
            while view.poll() is None:
                file.write(lines[number % len(lines)])
                number += 1
                time.sleep(1 / EVENTS_PER_S)
    if not result.exists():
        sys.exit("the view failed:\n" + b"".join(seen).decode(errors="replace")[-4000:])
    print(result.read_text(encoding="utf-8"), end="")


def _tail_lines(directory: RunDir) -> list[bytes]:
    with open(directory.journal_path, "rb") as file:
        file.seek(-4_000_000, os.SEEK_END)
        return file.read().splitlines()[1:]


def _drain(master: int, seen: list[bytes]) -> None:
    """Take what the view draws, as a terminal would; the last of it is kept for when the view fails."""
    try:
        while data := os.read(master, 65536):
            seen.append(data)
            del seen[:-200]
    except OSError:
        return


def view(path: Path, result: Path, how: str) -> None:
    """Be the view: write down when the overview was shown and, of a look of some seconds, what it cost."""
    from vlbench.tui.app import WatchApp

    late: list[float] = []
    used: list[float] = []
    began = time.perf_counter()
    shown: list[float] = []

    class MeasuredApp(WatchApp):
        async def on_ready(self) -> None:
            self.run_worker(self._measure())

        async def _measure(self) -> None:
            while True:
                await asyncio.sleep(0.01)
                if self._caught_up:
                    break
            shown.append(time.perf_counter() - began)
            if how == "opened":
                self.exit("closed")
                return
            await asyncio.sleep(WARM_UP_S)
            cpu, wall = time.process_time(), time.perf_counter()
            while time.perf_counter() - wall < WATCHED_S:
                before = time.perf_counter()
                await asyncio.sleep(0.01)
                late.append(time.perf_counter() - before - 0.01)
            used.append((time.process_time() - cpu) / (time.perf_counter() - wall))
            self.exit("closed")

    with LiveRun.open(RunDir(path)) as live:
        app = MeasuredApp(live)
        app.run()
        if app.failure is not None:
            raise app.failure
        done = live.state.last_seq
    late.sort()
    lines = f"overview shown after             {shown[0]:.2f} s (without start of Python)\n"
    if how == "watched":
        lines += (
            f"view at {EVENTS_PER_S} events/s             {used[0]:.1%} of one core, the measuring included\n"
            f"loop delay p50 / p99 / max       {late[len(late) // 2] * 1e3:.1f} / "
            f"{late[len(late) * 99 // 100] * 1e3:.1f} / {late[-1] * 1e3:.1f} ms\n"
            f"events seen                      {done:,}\n"
        )
    result.write_text(lines, encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) == 4:
        view(Path(sys.argv[2]), Path(sys.argv[3]), sys.argv[1])
    else:
        main()
