"""A picture is made once, whatever becomes of the process that made it."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

import pytest

from vlbench.catalog.entry import ImageRules
from vlbench.errors import StoreError
from vlbench.media.fit import Refitted
from vlbench.media.read import ImageReader
from vlbench.store.fitted import FittedPictures
from vlbench.types import Fitted, ImageRef, Span

RULES = ImageRules(max_side=10)


def original(name: str) -> ImageRef:
    sha256 = hashlib.sha256(name.encode()).hexdigest()
    source = Span(path="data.tsv", offset=0, length=1)
    return ImageRef(sha256=sha256, media_type="image/bmp", width=20, height=20, size=1, source=source)


def made(data: bytes) -> Refitted:
    return Refitted(data, "image/png", 10, 10, ("resized: 20x20 to 10x10", "PNG"))


def test_what_was_made_is_found_and_read_by_later_processes(tmp_path: Path) -> None:
    with FittedPictures(tmp_path, RULES) as pictures:
        first = pictures.add(original("a"), made(b"one"))
        second = pictures.add(original("b"), made(b"second"))
        assert pictures.get(original("a")) == first
    with FittedPictures(tmp_path, RULES) as again, ImageReader() as reader:
        assert again.get(original("a")) == first
        assert again.get(original("b")) == second
        assert again.get(original("c")) is None
        assert reader.raw(second) == b"second"
        assert reader.base64(first) == b"b25l"
    assert second.sha256 == hashlib.sha256(b"second").hexdigest()
    assert isinstance(second.source, Fitted)
    assert second.source.original == original("b").sha256


def test_other_rules_make_other_pictures(tmp_path: Path) -> None:
    with FittedPictures(tmp_path, RULES) as pictures:
        pictures.add(original("a"), made(b"one"))
    with FittedPictures(tmp_path, ImageRules(max_side=9)) as others:
        assert others.get(original("a")) is None
    sourced = RULES.model_copy(update={"source": "elsewhere", "max_count": 3})
    with FittedPictures(tmp_path, sourced) as same:
        assert same.get(original("a")) is not None


def test_two_processes_write_beside_each_other(tmp_path: Path) -> None:
    with FittedPictures(tmp_path, RULES) as one, FittedPictures(tmp_path, RULES) as other:
        one.add(original("a"), made(b"one"))
        other.add(original("b"), made(b"two"))
    with FittedPictures(tmp_path, RULES) as later:
        assert later.get(original("a")) is not None
        assert later.get(original("b")) is not None


@pytest.mark.parametrize("damage", ["line", "pack", "garbage"])
def test_what_a_kill_cut_off_is_made_again(tmp_path: Path, damage: str) -> None:
    with FittedPictures(tmp_path, RULES) as pictures:
        pictures.add(original("a"), made(b"one"))
        pictures.add(original("b"), made(b"two"))
    (lines,) = tmp_path.glob("*.jsonl")
    (pack,) = tmp_path.glob("*.pack")
    if damage == "line":
        lines.write_bytes(lines.read_bytes()[:-20])
    elif damage == "garbage":
        whole = lines.read_bytes().splitlines(keepends=True)
        lines.write_bytes(whole[0] + b'{"original": 7}\n')
    else:
        pack.write_bytes(pack.read_bytes()[:4])
    with FittedPictures(tmp_path, RULES) as later:
        assert later.get(original("a")) is not None
        assert later.get(original("b")) is None


def test_a_moved_folder_is_not_read_from_its_old_place(tmp_path: Path) -> None:
    with FittedPictures(tmp_path / "old", RULES) as pictures:
        pictures.add(original("a"), made(b"one"))
    shutil.move(tmp_path / "old", tmp_path / "new")
    with FittedPictures(tmp_path / "new", RULES) as moved:
        assert moved.get(original("a")) is None


def test_a_place_that_cannot_be_written_to_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with (
        FittedPictures(tmp_path / "file", RULES) as pictures,
        pytest.raises(StoreError, match=r"Nothing was sent.*--cache-dir"),
    ):
        pictures.add(original("a"), made(b"one"))
