"""Socket addresses are short, run directories need not be."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from vlbench.errors import StoreError

LONGEST_PATH = 103
"""Bytes: `sun_path` is 108 on Linux and 104 elsewhere, its closing zero included."""

_DESCRIPTORS = Path("/proc/self/fd")


@contextmanager
def reachable(path: Path) -> Iterator[str]:
    """An address of the socket at `path` that fits into a socket address, valid inside the block.

    A path that is too long is reached through its directory's descriptor where the system offers that.
    Raises `StoreError` where it does not.
    """
    if len(os.fsencode(path)) <= LONGEST_PATH:
        yield str(path)
        return
    if not _DESCRIPTORS.is_dir():
        raise StoreError(
            f"{path} is too long for a socket, so this run cannot be steered. Use a directory with a "
            "shorter path."
        )
    directory = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield str(_DESCRIPTORS / str(directory) / path.name)
    finally:
        os.close(directory)
