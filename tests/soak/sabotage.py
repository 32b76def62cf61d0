"""`vlbench` in a process to which something happens at an exact point.

    python -m tests.soak.sabotage MISHAP -- run mmstar ...

A MISHAP is one of

    before:NAME:N    SIGKILL when the function NAME (its dotted path) is called for the N-th time
    after:NAME:N     SIGKILL when its N-th call has returned
    torn:N           half of the N-th line of the journal reaches the file, then SIGKILL
    back:S:N         the clock of the day jumps back by S seconds after N lines of the journal
    mounts:FILE      FILE is the system's table of mounts
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from pkgutil import resolve_name
from typing import NoReturn


def kill_at(name: str, number: int, *, after: bool) -> None:
    """Replace the function `name` by one that does not survive its call of that number."""
    owner, _, attribute = name.rpartition(".")
    place = resolve_name(owner)
    real: Callable[..., object] = getattr(place, attribute)
    calls = 0

    def deadly(*args: object, **kwargs: object) -> object:
        nonlocal calls
        calls += 1
        if calls == number and not after:
            _die()
        result = real(*args, **kwargs)
        if calls == number:
            _die()
        return result

    setattr(place, attribute, deadly)


def tear_line(number: int) -> None:
    from vlbench.store.journal import Journal

    real = Journal._write
    lines = 0

    def torn(journal: Journal, line: bytes) -> None:
        nonlocal lines
        lines += 1
        if lines == number:
            os.write(journal._file, line[: len(line) // 2])
            _die()
        real(journal, line)

    Journal._write = torn  # type: ignore[method-assign, assignment]  # only in this process


def turn_back(seconds: float, lines: int) -> None:
    """Before anything of vlbench is imported: the journal takes its clock when it is defined."""
    real = time.time
    early = 0.0
    time.time = lambda: real() - early

    from vlbench.store.journal import Journal

    write = Journal._write
    written = 0

    def counted(journal: Journal, line: bytes) -> None:
        nonlocal written, early
        write(journal, line)
        written += 1
        early = seconds if written >= lines else 0.0

    Journal._write = counted  # type: ignore[method-assign, assignment]  # only in this process


def mount(table: Path) -> None:
    from vlbench.store import file_system

    file_system.network_kind.__defaults__ = (table,)


def _die() -> NoReturn:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("the process lives on")


def arrange(mishap: str) -> None:
    """Prepare what is to happen. Raises ValueError for a mishap there is none of."""
    match mishap.split(":"):
        case ["before" | "after" as when, name, number]:
            kill_at(name, int(number), after=when == "after")
        case ["torn", number]:
            tear_line(int(number))
        case ["back", seconds, lines]:
            turn_back(float(seconds), int(lines))
        case ["mounts", file]:
            mount(Path(file))
        case _:
            raise ValueError(mishap)


def main() -> None:
    mishap, _, *words = sys.argv[1:]
    arrange(mishap)
    from vlbench.cli.main import main as vlbench

    sys.argv = ["vlbench", *words]
    vlbench()


if __name__ == "__main__":
    main()
