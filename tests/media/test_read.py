"""Pictures are read where they stand, and a file that is not what it was is noticed."""

from __future__ import annotations

import base64
import hashlib
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vlbench.errors import DatasetError
from vlbench.media.grey import grey_of, grey_png
from vlbench.media.read import ImageReader
from vlbench.types import ImageRef, Span

PICTURE = bytes(range(256)) * 5


def stored(folder: Path, encoding: str, name: str = "data", picture: bytes = PICTURE) -> ImageRef:
    content = picture if encoding == "raw" else base64.b64encode(picture)
    path = folder / name
    path.write_bytes(b"before" + content + b"after")
    source = Span(
        path=str(path), offset=6, length=len(content), encoding="raw" if encoding == "raw" else "base64"
    )
    return ImageRef(
        sha256=hashlib.sha256(picture).hexdigest(),
        media_type="image/png",
        width=4,
        height=3,
        size=len(picture),
        source=source,
    )


@pytest.mark.parametrize("encoding", ["raw", "base64"])
def test_both_forms_of_both_encodings(tmp_path: Path, encoding: str) -> None:
    ref = stored(tmp_path, encoding)
    with ImageReader() as reader:
        assert reader.raw(ref) == PICTURE
        assert reader.base64(ref) == base64.b64encode(PICTURE)
        assert reader.raw(ref) == PICTURE


def test_a_grey_picture_is_drawn(tmp_path: Path) -> None:
    grey = grey_of(stored(tmp_path, "raw"))
    with ImageReader() as reader:
        assert reader.raw(grey) == grey_png(4, 3)
        assert base64.b64decode(reader.base64(grey)) == grey_png(4, 3)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    ref = stored(tmp_path, "raw")
    (tmp_path / "data").unlink()
    with ImageReader() as reader, pytest.raises(DatasetError, match=f"{tmp_path}/data cannot be read"):
        reader.raw(ref)


@pytest.mark.parametrize("encoding", ["raw", "base64"])
def test_a_file_cut_short_is_noticed(tmp_path: Path, encoding: str) -> None:
    ref = stored(tmp_path, encoding)
    os.truncate(tmp_path / "data", 600)
    with ImageReader() as reader, pytest.raises(DatasetError, match="was changed after it was indexed"):
        reader.base64(ref)


@pytest.mark.parametrize("encoding", ["raw", "base64"])
def test_other_content_of_the_same_length_is_noticed_before_it_is_sent(tmp_path: Path, encoding: str) -> None:
    ref = stored(tmp_path, encoding)
    stored(tmp_path, encoding, picture=PICTURE[::-1])
    with ImageReader() as reader:
        for _ in range(2):
            with pytest.raises(DatasetError, match="was changed after it was indexed"):
                reader.base64(ref)


def test_text_that_is_no_base64_any_more_is_noticed(tmp_path: Path) -> None:
    ref = stored(tmp_path, "base64")
    with ImageReader() as reader:
        reader.base64(ref)
        (tmp_path / "data").write_bytes(b"-" * 5000)
        with pytest.raises(DatasetError, match="was changed after it was indexed"):
            reader.raw(ref)


def test_few_files_stay_open_however_many_are_read(tmp_path: Path) -> None:
    refs = [stored(tmp_path, "raw", name=f"data{n}") for n in range(20)]
    before = len(os.listdir("/dev/fd"))
    with ImageReader(max_files=3) as reader:
        for ref in refs:
            reader.raw(ref)
        assert len(os.listdir("/dev/fd")) == before + 3
    assert len(os.listdir("/dev/fd")) == before


def test_threads_may_share_a_reader_whose_files_come_and_go(tmp_path: Path) -> None:
    pictures = [os.urandom(3000) for _ in range(4)]
    refs = [stored(tmp_path, "raw", name=f"data{n}", picture=picture) for n, picture in enumerate(pictures)]
    with ImageReader(max_files=1) as reader, ThreadPoolExecutor(4) as pool:
        read = list(pool.map(lambda n: reader.raw(refs[n % 4]), range(400)))
    assert read == [pictures[n % 4] for n in range(400)]


@given(st.binary(max_size=300))
def test_base64_is_the_standard_one(tmp_path_factory: pytest.TempPathFactory, picture: bytes) -> None:
    ref = stored(tmp_path_factory.mktemp("read"), "raw", picture=picture)
    with ImageReader() as reader:
        assert base64.b64decode(reader.base64(ref), validate=True) == picture
