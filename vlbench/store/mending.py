"""Lines of a journal that are no events (a bad disk, an editor): set aside, so that the run can go on."""

from __future__ import annotations

import os
from pathlib import Path

from vlbench.errors import StoreError
from vlbench.store.journal import JOURNAL_VERSION, damage_at, is_newer, parse_line

ASIDE_SUFFIX = ".damaged"


def set_damaged_aside(path: Path) -> tuple[int, ...]:
    """Copy the damaged lines of the journal at `path` to a file beside it, and blank them where they stand.

    Returns their numbers. A blank line is as long as the damaged one was, so that readers in other processes
    keep their place. The caller holds the run's lock. Raises StoreError for a line of a newer vlbench, before
    anything is changed, and when the files cannot be written.
    """
    damaged: dict[int, tuple[int, bytes]] = {}
    offset = 0
    try:
        with open(path, "r+b") as file:
            for number, line in enumerate(file, start=1):
                if line.endswith(b"\n") and not line.isspace() and _is_damaged(path, offset, line):
                    damaged[number] = offset, line
                offset += len(line)
            with open(path.with_name(path.name + ASIDE_SUFFIX), "ab") as aside:
                aside.writelines(line for _, line in damaged.values())
                aside.flush()
                os.fsync(aside.fileno())
            for start, line in damaged.values():
                file.seek(start)
                file.write(b" " * (len(line) - 1))
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise StoreError(
            f"The damaged journal {path} cannot be mended: {error.strerror or error}. Free some space or "
            "make the directory writable, then run the same command again."
        ) from error
    return tuple(damaged)


def _is_damaged(path: Path, offset: int, line: bytes) -> bool:
    event = parse_line(line)
    if event is not None and is_newer(event):
        raise damage_at(path, offset, event)
    return event is None or event.get("v") != JOURNAL_VERSION
