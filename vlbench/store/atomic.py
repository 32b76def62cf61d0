"""Files that are either the old ones or the new ones, never half of each."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from vlbench.errors import StoreError


def write_atomically(path: Path, chunks: Iterable[bytes]) -> None:
    """Replace `path` by the given bytes: written beside it, synced, renamed.

    The mode follows the umask. Raises StoreError, and leaves the old file as it was, when that fails.
    """
    try:
        descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.writelines(chunks)
                file.flush()
                os.fchmod(file.fileno(), 0o666 & ~_umask())
                os.fsync(file.fileno())
            os.replace(name, path)
        except BaseException:
            with suppress(OSError):
                os.unlink(name)
            raise
        _sync_directory(path.parent)
    except OSError as error:
        raise StoreError(
            f"Cannot write {path}: {error.strerror or error}. Free some space, or choose a directory "
            "you may write to."
        ) from error


def _umask() -> int:
    # The umask can only be read by setting it; the new one is the strictest, should another thread look.
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _sync_directory(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        # Some network file systems refuse to sync a directory; the rename has happened all the same.
        with suppress(OSError):
            os.fsync(descriptor)
    finally:
        os.close(descriptor)
