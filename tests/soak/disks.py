"""Small disks that can be full or read-only, for those who may mount one."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path


class CannotMount(Exception):
    """Why there is no small disk here."""


@dataclass(frozen=True, slots=True)
class Disk:
    """A file system in memory, mounted at `path`."""

    path: Path

    def leave(self, free: int) -> None:
        """Shrink or grow it so that about so many bytes are free."""
        facts = os.statvfs(self.path)
        used = (facts.f_blocks - facts.f_bfree) * facts.f_frsize
        self._remount(f"size={used + free}")

    def read_only(self, yes: bool) -> None:
        self._remount("ro" if yes else "rw")

    def _remount(self, option: str) -> None:
        subprocess.run(["mount", "-o", f"remount,{option}", str(self.path)], check=True)


@contextmanager
def small_disk(path: Path) -> Iterator[Disk]:
    """A disk of 16 MB. Raises `CannotMount` where the user or the container may not."""
    path.mkdir(parents=True)
    if os.geteuid() != 0:
        raise CannotMount("only root may mount a small disk")
    command = ["mount", "-t", "tmpfs", "-o", "size=16m", "none", str(path)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise CannotMount(f"no small disk can be mounted here: {done.stderr.strip()}")
    try:
        yield Disk(path)
    finally:
        subprocess.run(["umount", "--lazy", str(path)], check=True)
