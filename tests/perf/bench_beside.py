"""What the live view costs the engine: the same run with it on a terminal and with `--ui none`, in turns.

python -m tests.perf.bench_beside [PAIRS]      about fifty seconds a pair; an idle machine

Both ask a simulated provider whose latency allows about 200 replies a second. The rate of a run is that of
the replies in its journal, from the first to the last.
"""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from fcntl import ioctl
from pathlib import Path
from struct import pack
from termios import TIOCSWINSZ

from vlbench.store import journal

VLBENCH = (sys.executable, "-P", "-m", "vlbench")
ROWS, COLUMNS = 50, 160
LATENCY_S, CONCURRENCY, REPEATS = 0.2, 40, 16
PATIENCE_S = 120.0


def main() -> None:
    """Print the rates of each pair, and their ratio."""
    pairs = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    ratios = []
    print("| replies/s with the view | without | ratio |\n|---|---|---|")
    with tempfile.TemporaryDirectory() as folder, simulator() as url:
        for pair in range(pairs):
            # Who goes first takes turns, too.
            order = ("full", "none") if pair % 2 else ("none", "full")
            rates = {ui: rate(Path(folder) / f"{pair}-{ui}", url, ui) for ui in order}
            ratios.append(rates["full"] / rates["none"])
            print(f"| {rates['full']:.1f} | {rates['none']:.1f} | {ratios[-1]:.3f} |", flush=True)
    print(f"mean ratio {sum(ratios) / len(ratios):.3f}")


@contextmanager
def simulator() -> Iterator[str]:
    """The address of a simulated provider in a process of its own."""
    command = [*VLBENCH, "simulate", "--port", "0", "--latency", str(LATENCY_S)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        assert server.stdout is not None
        try:
            found = re.search(r"http://\S+/v1", server.stdout.readline())
            assert found, "the simulator said no address"
            yield found[0]
        finally:
            server.terminate()


def rate(home: Path, url: str, ui: str) -> float:
    """Replies a second of one run from empty caches."""
    home.mkdir()
    environ = os.environ | {"XDG_DATA_HOME": str(home / "data"), "XDG_CACHE_HOME": str(home / "cache"),
                            "TERM": "xterm-256color"}  # fmt: skip
    environ.pop("CI", None)
    command = [*VLBENCH, "run", "shapes", "-p", f"local:shapes-eye-1@{url}", "--name", "one", "--ui", ui,
               "--concurrency", str(CONCURRENCY), "--repeats", str(REPEATS)]  # fmt: skip
    path = home / "data" / "vlbench" / "runs" / "one" / "journal.jsonl"
    if ui == "none":
        subprocess.run(command, cwd=home, env=environ, check=True, stderr=subprocess.DEVNULL)
    else:
        with terminal(command, home, environ) as type_in:
            until_ended(path)
            type_in(b"q")
    times = [float(str(line.event["time"])) for line in journal.read(path) if line.event["event"] == "reply"]
    return (len(times) - 1) / (times[-1] - times[0])


@contextmanager
def terminal(command: list[str], home: Path, environ: dict[str, str]) -> Iterator[Callable[[bytes], int]]:
    """Run `command` on a terminal of its own, whose screen is read and thrown away; what types into it."""
    ours, theirs = pty.openpty()
    ioctl(theirs, TIOCSWINSZ, pack("HHHH", ROWS, COLUMNS, 0, 0))
    with subprocess.Popen(
        command, cwd=home, env=environ, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True
    ) as process:
        os.close(theirs)
        threading.Thread(target=drain, args=(ours,), daemon=True).start()
        yield lambda keys: os.write(ours, keys)
        process.wait(PATIENCE_S)
    os.close(ours)


def drain(file: int) -> None:
    """Read until the other side is closed."""
    with suppress(OSError):
        while os.read(file, 1 << 16):
            pass


def until_ended(path: Path) -> None:
    """Wait for the closing event of the journal at `path`."""
    stop = time.monotonic() + PATIENCE_S
    while time.monotonic() < stop:
        if path.exists() and b'"event":"run_ended"' in path.read_bytes()[-4000:]:
            time.sleep(1.5)  # the view notices
            return
        time.sleep(0.25)
    sys.exit("the run with the view did not end")


if __name__ == "__main__":
    main()
