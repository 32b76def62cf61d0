"""On which kind of file system a path lies: SQLite's locks cannot be trusted on network ones."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Final

import platformdirs

_NETWORK: Final = frozenset(
    (
        "9p",
        "afs",
        "beegfs",
        "ceph",
        "cifs",
        "coda",
        "davfs",
        "gfs2",
        "glusterfs",
        "gpfs",
        "lustre",
        "ncpfs",
        "nfs",
        "nfs3",
        "nfs4",
        "ocfs2",
        "orangefs",
        "panfs",
        "pvfs2",
        "smb3",
        "smbfs",
        "wekafs",
    )
)
_MOUNTS: Final = Path("/proc/self/mounts")


def network_kind(path: Path, mounts: Path = _MOUNTS) -> str | None:
    """The type of the network file system `path` lies on (or would, once made); None for a local one.

    Where the system does not list its mounts (macOS, Windows) every path counts as local.
    """
    try:
        lines = mounts.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return None
    place = os.path.realpath(path)
    best, kind = "", ""
    for line in lines:
        fields = line.split(" ")
        if len(fields) < 3:
            continue
        point = _unescaped(fields[1])
        # Later lines are mounted over earlier ones at the same point.
        if _is_inside(place, point) and len(point) >= len(best):
            best, kind = point, fields[2]
    # FUSE cannot be told apart by its prefix, and what it serves (sshfs, buckets) is remote as a rule.
    return kind if kind in _NETWORK or kind.startswith("fuse.") else None


def local_directory() -> Path | None:
    """A directory of this user on a local disk; None without any.

    The temporary directory comes last, and only a subdirectory that is this user's and closed to others:
    names there can be taken by anyone.
    """
    caches = Path(platformdirs.user_cache_dir("vlbench"))
    if network_kind(caches) is None:
        return caches
    place = Path(tempfile.gettempdir()) / f"vlbench-{os.getuid()}"
    if network_kind(place) is not None:
        return None
    try:
        place.mkdir(mode=0o700, exist_ok=True)
        facts = place.lstat()
    except OSError:
        return None
    owned = facts.st_uid == os.getuid() and facts.st_mode & 0o077 == 0
    return place if owned and place.is_dir() and not place.is_symlink() else None


def _is_inside(place: str, point: str) -> bool:
    return place == point or place.startswith(point.rstrip("/") + "/")


def _unescaped(point: str) -> str:
    for code, character in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        point = point.replace(code, character)
    return point
