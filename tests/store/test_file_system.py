from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from vlbench.store import file_system
from vlbench.store.file_system import local_directory, network_kind

MOUNTS = """\
/dev/sda1 / ext4 rw 0 0
server:/home /home nfs4 rw 0 0
/dev/sdb1 /home/local xfs rw 0 0
me@host: /home/local/far fuse.sshfs rw 0 0
x /mnt/with\\040space lustre rw 0 0
tmpfs /over tmpfs rw 0 0
y /over cifs rw 0 0
short
"""


@pytest.fixture
def mounts(tmp_path: Path) -> Path:
    path = tmp_path / "mounts"
    path.write_text(MOUNTS, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/var/cache", None),
        ("/home/me/cache", "nfs4"),
        ("/home", "nfs4"),
        ("/homeless/cache", None),
        ("/home/local/cache", None),
        ("/home/local/far/x", "fuse.sshfs"),
        ("/mnt/with space/x", "lustre"),
        ("/over/x", "cifs"),
    ],
)
def test_the_innermost_mount_decides(path: str, kind: str | None, mounts: Path) -> None:
    assert network_kind(Path(path), mounts) == kind


def test_without_a_list_of_mounts_every_path_is_local(tmp_path: Path) -> None:
    assert network_kind(Path("/home"), tmp_path / "missing") is None


@pytest.fixture
def home_on_nfs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", "/nfs/home/.cache")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(file_system, "network_kind", lambda path: "nfs" if path.parts[1] == "nfs" else None)
    return tmp_path


def test_the_temporary_directory_serves_when_home_is_remote(home_on_nfs: Path) -> None:
    place = local_directory()
    assert place is not None
    assert place.parent == home_on_nfs
    assert place.stat().st_mode & 0o777 == 0o700
    assert local_directory() == place


def test_a_temporary_directory_that_others_may_enter_is_not_used(home_on_nfs: Path) -> None:
    place = local_directory()
    assert place is not None
    place.chmod(0o777)
    assert local_directory() is None


def test_a_link_planted_in_the_temporary_directory_is_not_followed(home_on_nfs: Path, tmp_path: Path) -> None:
    place = local_directory()
    assert place is not None
    place.rename(tmp_path / "elsewhere")
    place.symlink_to(tmp_path / "elsewhere")
    assert local_directory() is None
