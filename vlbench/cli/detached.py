"""A run in a process of its own, with the view on it: whatever becomes of the terminal, the run goes on."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from vlbench.cli.outcome import EXIT_CODES, how_to_go_on
from vlbench.cli.watching import say, watch_run
from vlbench.engine.options import RunOptions
from vlbench.errors import StoreError
from vlbench.printable import printable
from vlbench.state.tail import LiveRun
from vlbench.store.run_dir import RunDir

if TYPE_CHECKING:
    from vlbench.tui.powers import Farewell

LOG_NAME: Final = "engine.log"
START_WITHIN_S: Final = 30.0
LOOK_EVERY_S: Final = 0.05
_SHOWN_LINES: Final = 6


@dataclass(frozen=True, slots=True)
class Left:
    """How the view on a run was left: the exit code of the command, and whether the run still goes on."""

    code: int
    goes_on: bool


def run_detached(directory: RunDir, options: RunOptions, *, closes_at_end: bool = False) -> Left:
    """Start the engine on a prepared run in a session of its own and open the view on it.

    Everything the engine needs stands in the manifest; keys reach it through the environment. Raises
    StoreError with the engine's own words when it did not start.
    """
    with directory.lock():
        pass  # Fails, naming the owner, when the run is alive elsewhere.
    engine = start_engine(directory, options)
    try:
        if _is_through(engine, directory):
            # All of it came from the cache, or it ended at once: there is nothing to watch.
            return Left(exit_code(directory, engine.returncode), goes_on=False)
        farewell = watch_run(directory, steers=True, drawing="full", closes_at_end=closes_at_end)
    except KeyboardInterrupt:
        # Before the view is there to ask, Ctrl-C means the run, which pays in another process.
        engine.send_signal(signal.SIGINT)
        farewell = "stopping"
    return _part(directory, engine, farewell)


def start_engine(directory: RunDir, options: RunOptions) -> subprocess.Popen[bytes]:
    """The engine's process: its own session (no hang-up reaches it), no terminal, its words in a log file."""
    command = [sys.executable, "-P", "-m", "vlbench", "resume", directory.name, "--ui", "none"]
    if options.retry:
        command += ["--retry", ",".join(options.retry)]
    if options.retry_max_tokens is not None:
        command += ["--max-tokens", str(options.retry_max_tokens)]
    if options.trust:
        command.append("--trust")
    path = directory.path / LOG_NAME
    try:
        with open(path, "ab") as log:
            return subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=log,
                start_new_session=True,
            )
    except OSError as error:
        raise StoreError(f"Cannot start the run {directory.name}: {error.strerror or error}.") from error


def _is_through(engine: subprocess.Popen[bytes], directory: RunDir) -> bool:
    """Wait until the engine holds the run. True when it has ended already; StoreError when it failed."""
    stop = time.monotonic() + START_WITHIN_S
    while time.monotonic() < stop:
        code = engine.poll()
        if code is not None:
            if code not in EXIT_CODES.values():
                raise StoreError(f"The run {directory.name} did not start. {last_words(directory)}")
            return True
        if directory.alive() is not None:
            return False
        time.sleep(LOOK_EVERY_S)
    return False


def _part(directory: RunDir, engine: subprocess.Popen[bytes], farewell: Farewell) -> Left:
    if farewell == "detached" and engine.poll() is None:
        say(
            f"The run {directory.name} goes on (process {engine.pid}).\n"
            f"  see it    vlbench watch {directory.name}\n"
            f"  stop it   vlbench ctl {directory.name} drain"
        )
        return Left(0, goes_on=True)
    if farewell == "stopping":
        say("Finishing what is in flight. Ctrl-C leaves it to itself.")
    try:
        engine.wait()
    except KeyboardInterrupt:
        say(f"The run {directory.name} ends by itself. See it with: vlbench watch {directory.name}")
        return Left(0, goes_on=True)
    return Left(exit_code(directory, engine.returncode), goes_on=False)


def exit_code(directory: RunDir, returned: int) -> int:
    """Say how the run ended; what the command returns, from the journal where the engine was killed."""
    with LiveRun.open(directory) as live:
        while live.poll(1.0):
            pass
        ended = live.state.ended
    if ended is None and returned in (EXIT_CODES["interrupted"], -signal.SIGINT):
        say(f"run {directory.name}: interrupted before anything was sent.")
        return EXIT_CODES["interrupted"]
    if ended is None:
        say(f"The run {directory.name} ended unexpectedly. {last_words(directory)}")
        say("Nothing that was answered is lost: run the same command again to go on.")
        return returned if returned in EXIT_CODES.values() and returned else 1
    say(f"run {directory.name}: {ended.status}; {printable(ended.message, 500)}")
    if ended.status != "complete":
        say(how_to_go_on(ended))
    return EXIT_CODES[ended.status]


def last_words(directory: RunDir) -> str:
    """The last lines of the engine's log, made safe to print."""
    path: Path = directory.path / LOG_NAME
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return "It left no words behind."
    shown = [printable(line, 400) for line in lines[-_SHOWN_LINES:] if line.strip()]
    return "\n".join([f"From {path}:", *shown]) if shown else f"See {path}."
