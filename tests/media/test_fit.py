"""Original bytes where they are taken; else a picture of the same pixels, made the same way every time."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from vlbench.catalog.entry import ImageRules
from vlbench.media.extent import Extent
from vlbench.media.fit import UnfitPicture, is_taken, refitted, with_longest_side
from vlbench.media.inspect import inspect
from vlbench.types import ImageRef, Span

ANY = ImageRules(media_types=("image/png", "image/jpeg"))


def encoded(image: Image.Image, form: str, **options: object) -> bytes:
    out = BytesIO()
    image.save(out, form, **options)
    return out.getvalue()


def opened(data: bytes) -> Image.Image:
    image = Image.open(BytesIO(data))
    image.load()
    return image


def ref(data: bytes) -> ImageRef:
    found = inspect(data)
    return ImageRef(
        sha256=found.sha256,
        media_type=found.media_type,
        width=found.width,
        height=found.height,
        size=found.size,
        orientation=found.orientation,
        source=Span(path="x", offset=0, length=found.size),
    )


def noise(width: int, height: int) -> Image.Image:
    pixels = hashlib.shake_128(b"seed").digest(width * height * 3)
    return Image.frombytes("RGB", (width, height), pixels)


def turned(orientation: int) -> bytes:
    exif = Image.Exif()
    exif[0x0112] = orientation
    image = Image.new("RGB", (40, 20), "black")
    image.paste("white", (0, 0, 8, 8))
    return encoded(image, "JPEG", exif=exif, quality=95)


@pytest.mark.parametrize(
    ("rules", "taken"),
    [
        (ANY, True),
        (ImageRules(media_types=("image/jpeg",)), False),
        (ImageRules(max_side=40), True),
        (ImageRules(max_side=39), False),
        (ImageRules(max_pixels=40 * 20), True),
        (ImageRules(max_pixels=799), False),
        (ImageRules(max_bytes=10), False),
    ],
)
def test_each_rule_decides_over_the_original(rules: ImageRules, taken: bool) -> None:
    image = ref(encoded(Image.new("RGB", (40, 20)), "PNG"))
    assert is_taken(image, rules) is taken
    assert Extent().joined([image]).suits(rules) is taken


def test_an_orientation_is_applied_unless_the_server_does() -> None:
    image = ref(turned(6))
    assert image.orientation == 6
    assert not is_taken(image, ANY)
    assert not Extent().joined([image]).suits(ANY)
    assert is_taken(image, ANY.model_copy(update={"applies_orientation": True}))
    assert is_taken(ref(turned(1)), ANY)


def test_pixels_are_turned_as_exif_says_and_the_new_picture_says_nothing_of_it() -> None:
    made = refitted(turned(6), ANY)
    assert (made.width, made.height) == (20, 40)
    assert made.steps == ("turned upright: EXIF orientation 6", "PNG")
    again = opened(made.data)
    assert len(again.getexif()) == 0
    corner = again.convert("L").getpixel((17, 2))
    # JPEG blurs a little. The white corner was at the upper left and is now at the upper right.
    assert corner == pytest.approx(255, abs=30)


@pytest.mark.parametrize(
    ("image", "form", "mode", "step"),
    [
        (Image.new("CMYK", (9, 7), (0, 255, 255, 0)), "JPEG", "RGB", "channels: CMYK to RGB"),
        (Image.new("L", (9, 7), 200), "TIFF", "L", None),
        (Image.new("1", (9, 7), 1), "TIFF", "L", "channels: 1 to L"),
        (Image.new("RGBA", (9, 7), (1, 2, 3, 100)), "WEBP", "RGBA", None),
        (Image.new("LA", (9, 7), (200, 100)), "TIFF", "RGBA", "channels: LA to RGBA"),
        (Image.new("I;16", (9, 7), 257 * 100), "TIFF", "L", "channels: I;16 to L"),
        (Image.new("F", (9, 7), 0.5), "TIFF", "L", "channels: F to L"),
        (Image.new("LAB", (9, 7)), "TIFF", "RGB", "channels: LAB to RGB"),
        (Image.new("RGB", (9, 7), "red"), "BMP", "RGB", None),
    ],
)
def test_every_kind_of_channels_becomes_a_plain_png(
    image: Image.Image, form: str, mode: str, step: str | None
) -> None:
    made = refitted(encoded(image, form), ANY)
    assert made.media_type == "image/png"
    assert opened(made.data).mode == mode
    assert made.steps == ((step,) if step else ()) + ("PNG",)


def test_grey_of_16_bits_keeps_its_brightness() -> None:
    wide = refitted(encoded(Image.new("I;16", (4, 4), 257 * 100), "TIFF"), ANY)
    assert opened(wide.data).getpixel((1, 1)) == 100


def test_a_palette_with_transparency_keeps_it_in_png_and_lies_on_white_in_jpeg() -> None:
    image = Image.new("P", (8, 8), 0)
    image.putpalette([255, 0, 0, 0, 0, 255])
    image.paste(1, (0, 0, 4, 8))
    data = encoded(image, "GIF", transparency=0)
    made = refitted(data, ANY)
    assert opened(made.data).convert("RGBA").getpixel((6, 4)) == (255, 0, 0, 0)
    flat = refitted(data, ImageRules(media_types=("image/jpeg",)))
    pixel = opened(flat.data).getpixel((6, 4))
    assert isinstance(pixel, tuple)
    assert min(pixel) > 200
    assert flat.steps[-1] == "JPEG: quality 95"


def test_an_animation_is_shown_by_its_first_frame() -> None:
    frames = [Image.new("RGB", (6, 6), colour) for colour in ("red", "green", "blue")]
    for form in ("GIF", "WEBP", "PNG"):
        data = encoded(frames[0], form, save_all=True, append_images=frames[1:], lossless=True)
        made = refitted(data, ANY)
        assert opened(made.data).convert("RGB").getpixel((3, 3)) == (255, 0, 0)
        assert "first frame: of 3" in made.steps


def test_a_picture_that_is_too_large_as_png_becomes_a_jpeg_and_else_is_refused() -> None:
    data = encoded(noise(200, 200), "BMP")
    as_png = refitted(data, ANY)
    limit = ANY.model_copy(update={"max_bytes": len(as_png.data) - 1})
    made = refitted(data, limit)
    assert made.media_type == "image/jpeg"
    assert len(made.data) < len(as_png.data)
    with pytest.raises(UnfitPicture, match=r"200 × 200 pixels .* takes 1,000 bytes"):
        refitted(data, ANY.model_copy(update={"max_bytes": 1000}))


def test_rules_that_leave_no_form_are_told() -> None:
    with pytest.raises(UnfitPicture, match="image/webp only"):
        refitted(encoded(noise(4, 4), "PNG"), ImageRules(media_types=("image/webp",)))


@given(
    width=st.integers(1, 90),
    height=st.integers(1, 90),
    side=st.integers(1, 100) | st.none(),
    pixels=st.integers(1, 5000) | st.none(),
)
def test_a_resized_picture_is_within_the_rules_and_as_large_as_they_allow(
    width: int, height: int, side: int | None, pixels: int | None
) -> None:
    rules = ANY.model_copy(update={"max_side": side, "max_pixels": pixels})
    made = refitted(encoded(Image.new("RGB", (width, height)), "BMP"), rules)
    assert side is None or max(made.width, made.height) <= side
    # One pixel is the least there is, whatever the proportions.
    assert pixels is None or made.width * made.height <= pixels or 1 in (made.width, made.height)
    fits = (side is None or max(width, height) <= side) and (pixels is None or width * height <= pixels)
    assert ((made.width, made.height) == (width, height)) is fits
    if side is not None and max(width, height) > side and pixels is None:
        assert max(made.width, made.height) == side


@pytest.mark.parametrize("make", [lambda: turned(3), lambda: encoded(noise(60, 50), "TIFF")])
def test_equal_pictures_are_made_equal(make: Callable[[], bytes]) -> None:
    rules = ANY.model_copy(update={"max_side": 30})
    assert refitted(make(), rules) == refitted(make(), rules)


def test_the_users_limit_only_ever_lowers_the_entrys() -> None:
    assert with_longest_side(ANY, None) is ANY
    assert with_longest_side(ANY, 100).max_side == 100
    strict = ANY.model_copy(update={"max_side": 50})
    assert with_longest_side(strict, 100).max_side == 50
    assert with_longest_side(strict, 20).max_side == 20


def test_the_extent_of_a_sample_counts_its_pictures_together() -> None:
    image = ref(encoded(noise(8, 8), "PNG"))
    extent = Extent().joined([image]).joined([image, image])
    assert (extent.count, extent.bytes, extent.total_bytes) == (2, image.size, 2 * image.size)
    assert not extent.suits(ImageRules(max_count=1))
    assert not extent.suits(ImageRules(max_total_bytes=2 * image.size - 1))
    assert extent.joined([]) is extent
    assert extent.joined([image]) is extent


def test_damaged_exif_is_no_orientation() -> None:
    data = bytearray(turned(6))
    start = data.index(b"Exif\0\0") + 6
    data[start : start + 12] = b"\xff" * 12
    assert inspect(bytes(data)).orientation == 1
    assert refitted(bytes(data), ANY).width == 40
