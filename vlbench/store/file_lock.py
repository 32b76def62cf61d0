"""An exclusive lock on a file that the kernel gives back when its holder dies, however it dies."""

from __future__ import annotations

import errno
import fcntl
import os
import time
from pathlib import Path
from typing import Final

# Some cluster file systems are mounted without locks; working unguarded there beats not working at all.
_UNSUPPORTED: Final = frozenset({errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOTSUP})
_POLL_S: Final = 0.01


class FileLock:
    """Held from `acquire` to `release`. The file stays: removing it would let two holders in."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file: int | None = None

    def acquire(self, wait_s: float) -> bool:
        """Take the lock, waiting at most `wait_s` seconds; whether it was got.

        Raises OSError when the file cannot be opened.
        """
        file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        deadline = time.monotonic() + wait_s
        while not _try(file, fcntl.LOCK_EX):
            if time.monotonic() >= deadline:
                os.close(file)
                return False
            time.sleep(_POLL_S)
        self._file = file
        return True

    def note(self, text: str) -> None:
        """Write into the locked file who holds it."""
        if self._file is None:
            raise RuntimeError("the lock is not held")
        os.ftruncate(self._file, 0)
        os.pwrite(self._file, text.encode(), 0)

    def release(self) -> None:
        """Give the lock back; does nothing when it is not held."""
        if self._file is not None:
            os.close(self._file)
            self._file = None


def is_locked(path: Path) -> bool:
    """Whether somebody holds the lock now. A file that cannot be opened is not locked."""
    try:
        # Not to wait for ever where somebody put a pipe.
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError:
        return False
    try:
        return not _try(file, fcntl.LOCK_SH)
    finally:
        os.close(file)


def _try(file: int, kind: int) -> bool:
    try:
        fcntl.flock(file, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        if error.errno not in _UNSUPPORTED:
            raise
    return True
