"""What never ends in place of a file of a run is refused: it would be waited for, or fill the memory."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from vlbench.errors import StoreError
from vlbench.store import journal
from vlbench.store.file_lock import is_locked
from vlbench.store.journal import Journal
from vlbench.store.manifest import Manifest
from vlbench.store.ordinary import open_ordinary
from vlbench.store.samples import SampleIndex

PLACES: dict[str, Callable[[Path], object]] = {
    "pipe": os.mkfifo,
    "device": lambda path: path.symlink_to("/dev/zero"),
    "directory": Path.mkdir,
}
USES: dict[str, Callable[[Path], object]] = {
    "journal read": lambda path: list(journal.read(path)),
    "journal written": Journal,
    "samples": SampleIndex.open,
    "manifest": Manifest.load,
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("use", USES)
def test_it_is_refused_at_once_by_name(tmp_path: Path, place: str, use: str) -> None:
    path = tmp_path / "journal.jsonl"
    PLACES[place](path)
    with pytest.raises(StoreError, match=r"journal\.jsonl.*(no ordinary file|Is a directory)"):
        USES[use](path)


def test_a_link_to_a_file_is_as_good_as_the_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"1\n2\n")
    (tmp_path / "link").symlink_to("file")
    with open_ordinary(tmp_path / "link") as file:
        assert file.readlines() == [b"1\n", b"2\n"]


def test_a_pipe_in_place_of_a_lock_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "run.lock")
    assert not is_locked(tmp_path / "run.lock")
