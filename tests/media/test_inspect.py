"""Pictures are told by their content, and broken ones by a reason."""

from __future__ import annotations

import hashlib
import struct
import zlib
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from vlbench.errors import DatasetError
from vlbench.media.grey import grey_png
from vlbench.media.inspect import BrokenImage, inspect


def encoded(mode: str, kind: str, size: tuple[int, int] = (60, 40), **options: object) -> bytes:
    gradient = Image.linear_gradient("L").resize(size)
    out = BytesIO()
    gradient.convert(mode).save(out, kind, **options)
    return out.getvalue()


JPEG = encoded("RGB", "JPEG")
PNG = encoded("RGB", "PNG")


@pytest.mark.parametrize(
    ("data", "media_type"),
    [
        (JPEG, "image/jpeg"),
        (PNG, "image/png"),
        (encoded("RGB", "WEBP"), "image/webp"),
        (encoded("P", "GIF"), "image/gif"),
        (encoded("RGB", "BMP"), "image/bmp"),
        (encoded("RGB", "TIFF"), "image/tiff"),
        (encoded("CMYK", "JPEG"), "image/jpeg"),
        (encoded("I;16", "PNG"), "image/png"),
        (encoded("LAB", "TIFF"), "image/tiff"),
        (encoded("F", "TIFF"), "image/tiff"),
        (encoded("RGB", "MPO", save_all=True, append_images=[Image.new("RGB", (9, 9))]), "image/jpeg"),
        (encoded("P", "GIF", save_all=True, append_images=[Image.new("P", (60, 40), 3)]), "image/gif"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_the_content_tells_what_a_picture_is(data: bytes, media_type: str) -> None:
    picture = inspect(data)
    assert (picture.media_type, picture.width, picture.height) == (media_type, 60, 40)
    assert (picture.size, picture.sha256) == (len(data), hashlib.sha256(data).hexdigest())


@given(st.integers(0, len(PNG) - 20))
def test_a_png_that_was_cut_is_broken(length: int) -> None:
    with pytest.raises(BrokenImage):
        inspect(PNG[:length])


@given(st.integers(0, len(JPEG) - 20))
def test_a_jpeg_that_was_cut_is_broken(length: int) -> None:
    with pytest.raises(BrokenImage):
        inspect(JPEG[:length])


@given(st.integers(0, len(PNG) - 1), st.integers(1, 255))
def test_a_png_with_a_changed_byte_is_broken(position: int, change: int) -> None:
    changed = bytearray(PNG)
    changed[position] ^= change
    try:
        picture = inspect(bytes(changed))
    except BrokenImage:
        return
    # Only what follows the pixels may differ unnoticed: the end mark's length and check sum.
    assert position >= len(PNG) - 12
    assert (picture.width, picture.height) == (60, 40)


def test_a_decompression_bomb_is_refused_before_it_is_decoded() -> None:
    header = b"IHDR" + struct.pack(">IIBBBBB", 12_000, 12_000, 8, 2, 0, 0, 0)
    bomb = PNG[:8] + struct.pack(">I", 13) + header + struct.pack(">I", zlib.crc32(header)) + PNG[33:]
    with pytest.raises(BrokenImage, match="more than 89 million pixels"):
        inspect(bomb)


@pytest.mark.parametrize(
    "data", [b"", b"<html>not found</html>", b"%!PS-Adobe-3.0 EPSF-3.0\n", b"\x00" * 100]
)
def test_what_is_no_picture_is_told(data: bytes) -> None:
    with pytest.raises(BrokenImage, match=r"image is (empty|none of)"):
        inspect(data)


def test_a_broken_picture_is_an_error_of_the_data() -> None:
    with pytest.raises(DatasetError):
        inspect(grey_png(9, 9)[:-30])
