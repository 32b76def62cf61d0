"""Opening files that may have been replaced by something that never ends: a pipe, a device."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import BinaryIO

from vlbench.errors import StoreError


def open_ordinary(path: Path, buffering: int = -1) -> BinaryIO:
    """The file at `path`, or where its links lead, to read bytes from.

    Raises StoreError when that is no file, OSError when it cannot be opened.
    """
    return os.fdopen(ordinary_descriptor(path, os.O_RDONLY), "rb", buffering=buffering)


def ordinary_descriptor(path: Path, flags: int) -> int:
    """A descriptor of the file at `path`, opened with `flags`; closed on exec. Raises as `open_ordinary`."""
    # A pipe nobody writes to would be waited for; a file is not opened in another way by this flag.
    descriptor = os.open(path, flags | os.O_CLOEXEC | os.O_NONBLOCK, 0o666)
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return descriptor
    os.close(descriptor)
    raise StoreError(
        f"{path} is no ordinary file (a directory, a pipe or a device). Put the file itself in its place."
    )
