"""Two pictures as one keep every pixel, and the reference changes with whatever changes the picture."""

from __future__ import annotations

import hashlib
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from vlbench.media.combine import GAP, combined_of, draw_combined
from vlbench.media.grey import grey_of
from vlbench.media.read import ImageReader
from vlbench.types import ImageRef, Layout, Span


def png(size: tuple[int, int], colour: tuple[int, ...], mode: str = "RGB") -> bytes:
    out = BytesIO()
    Image.new(mode, size, colour).save(out, "PNG")
    return out.getvalue()


RED, BLUE = png((10, 6), (255, 0, 0)), png((4, 8), (0, 0, 255))


@pytest.fixture
def refs(tmp_path: Path) -> tuple[ImageRef, ImageRef]:
    path = tmp_path / "pack"
    path.write_bytes(RED + BLUE)

    def ref(data: bytes, offset: int, size: tuple[int, int]) -> ImageRef:
        return ImageRef(
            sha256=hashlib.sha256(data).hexdigest(),
            media_type="image/png",
            width=size[0],
            height=size[1],
            size=len(data),
            source=Span(path=str(path), offset=offset, length=len(data)),
        )

    return ref(RED, 0, (10, 6)), ref(BLUE, len(RED), (4, 8))


@pytest.mark.parametrize(
    ("layout", "size", "second"),
    [("vertical", (10, 6 + GAP + 8), (0, 6 + GAP)), ("horizontal", (10 + GAP + 4, 8), (10 + GAP, 0))],
)
def test_both_pictures_keep_their_pixels_on_white(
    refs: tuple[ImageRef, ImageRef], layout: Layout, size: tuple[int, int], second: tuple[int, int]
) -> None:
    ref = combined_of(*refs, layout)
    with ImageReader() as reader:
        drawn = Image.open(BytesIO(reader.raw(ref)))
    assert drawn.size == size == (ref.width, ref.height)
    assert drawn.getpixel((0, 0)) == drawn.getpixel((9, 5)) == (255, 0, 0)
    assert drawn.getpixel(second) == (0, 0, 255)
    assert drawn.getpixel((second[0] + 3, second[1] + 7)) == (0, 0, 255)
    colours = dict((colour, count) for count, colour in drawn.getcolors() or [])
    assert colours == {
        (255, 0, 0): 60,
        (0, 0, 255): 32,
        (255, 255, 255): size[0] * size[1] - 92,
    }


def test_the_hash_changes_with_pictures_order_and_layout_and_with_nothing_else(
    refs: tuple[ImageRef, ImageRef],
) -> None:
    first, second = refs
    made = [
        combined_of(first, second, "vertical"),
        combined_of(second, first, "vertical"),
        combined_of(first, second, "horizontal"),
        combined_of(first, first, "vertical"),
        combined_of(grey_of(first), grey_of(second), "vertical"),
    ]
    assert len({ref.sha256 for ref in made}) == len(made)
    moved = first.model_copy(update={"source": Span(path="elsewhere", offset=0, length=1)})
    assert combined_of(moved, second, "vertical").sha256 == made[0].sha256


def test_the_hash_is_the_same_on_every_machine(refs: tuple[ImageRef, ImageRef]) -> None:
    first, second = (
        ref.model_copy(update={"sha256": letter * 64}) for ref, letter in zip(refs, "ab", strict=True)
    )
    assert combined_of(first, second, "vertical").sha256 == (
        hashlib.sha256(b"combined-1\0vertical\x008\0" + b"a" * 64 + b"\0" + b"b" * 64).hexdigest()
    )


def test_what_is_transparent_is_white() -> None:
    clear = png((2, 2), (0, 0, 0, 0), "RGBA")
    drawn = Image.open(BytesIO(draw_combined(clear, RED, "horizontal")))
    assert drawn.mode == "RGB"
    assert drawn.getpixel((0, 0)) == (255, 255, 255)


def test_a_turned_photograph_stands_upright(refs: tuple[ImageRef, ImageRef]) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6  # a quarter turn
    out = BytesIO()
    Image.new("RGB", (10, 6), (255, 0, 0)).save(out, "PNG", exif=exif)
    drawn = Image.open(BytesIO(draw_combined(out.getvalue(), BLUE, "horizontal")))
    turned = refs[0].model_copy(update={"orientation": 6})
    ref = combined_of(turned, refs[1], "horizontal")
    assert drawn.size == (ref.width, ref.height) == (6 + GAP + 4, 10)


def test_grey_pictures_are_drawn_and_a_combined_one_survives_the_disk(
    refs: tuple[ImageRef, ImageRef],
) -> None:
    ref = combined_of(grey_of(refs[0]), grey_of(refs[1]), "vertical")
    again = ImageRef.model_validate_json(ref.model_dump_json())
    assert again == ref
    with ImageReader() as reader:
        drawn = reader.raw(again)
        assert reader.raw(again) is drawn
    assert Image.open(BytesIO(drawn)).getpixel((0, 0)) == (128, 128, 128)
