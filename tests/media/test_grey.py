"""The grey picture is what it says, in the same bytes everywhere."""

from __future__ import annotations

import hashlib
from io import BytesIO

from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from vlbench.media.grey import grey_of, grey_png
from vlbench.media.inspect import inspect
from vlbench.types import Grey, ImageRef, Span

sides = st.integers(1, 400)


@given(sides, sides)
def test_every_pixel_is_rgb_128_in_the_size_asked_for(width: int, height: int) -> None:
    with Image.open(BytesIO(grey_png(width, height))) as image:
        image.verify()
    with Image.open(BytesIO(grey_png(width, height))) as image:
        assert (image.format, image.mode, image.size) == ("PNG", "RGB", (width, height))
        assert image.getextrema() == ((128, 128),) * 3


def test_the_bytes_are_the_same_on_every_machine() -> None:
    assert (
        hashlib.sha256(grey_png(512, 384)).hexdigest()
        == "480cc162dc6bec45a9cd11c9d0798c56412bdd97783452fc7c00ee07a532dc33"
    )


def test_a_large_one_stays_small() -> None:
    assert len(grey_png(3160, 2136)) < 200_000


def test_it_takes_the_place_of_a_picture_in_its_size() -> None:
    photo = ImageRef(
        sha256="0" * 64,
        media_type="image/jpeg",
        width=30,
        height=20,
        size=9,
        source=Span(path="x", offset=0, length=9),
    )
    grey = grey_of(photo)
    picture = inspect(grey_png(30, 20))
    assert grey.source == Grey(width=30, height=20)
    assert (grey.sha256, grey.size, grey.media_type) == (picture.sha256, picture.size, "image/png")
    assert grey_of(photo) is grey
