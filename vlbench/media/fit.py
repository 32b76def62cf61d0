"""Whether a provider takes a picture as it is, and the picture it gets where it does not.

Original bytes are sent wherever they can be: noise and texture, which some questions are about, do not
survive another encoding. What must be made anew is a PNG of the same pixels where that is small enough, else
a JPEG.
"""

from __future__ import annotations

from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, Final

from vlbench.catalog.entry import ImageRules
from vlbench.errors import UsageError
from vlbench.media.inspect import FORMATS, ORIENTATION_TAG, pillow
from vlbench.types import ImageRef

if TYPE_CHECKING:
    from PIL.Image import Image

PNG: Final = "image/png"
JPEG: Final = "image/jpeg"
JPEG_QUALITY: Final = 95
# Modes whose pixels a PNG or JPEG holds as they are, and every server decodes alike.
_PLAIN_MODES: Final = ("L", "RGB", "RGBA")


class UnfitPicture(UsageError):
    """A provider's rules leave no form in which this picture could be sent; the message says why."""


@dataclass(frozen=True, slots=True)
class Refitted:
    """A picture made for a provider: encoded bytes, size in pixels, and what was done, in order.

    A step is `kind` or `kind: detail`.
    """

    data: bytes
    media_type: str
    width: int
    height: int
    steps: tuple[str, ...]


def is_taken(image: ImageRef, rules: ImageRules) -> bool:
    """Whether the original bytes of `image` can be sent under `rules`."""
    return (
        image.media_type in rules.media_types
        and (image.orientation == 1 or rules.applies_orientation)
        and _is_within(image.size, rules.max_bytes)
        and _is_within(max(image.width, image.height), rules.max_side)
        and _is_within(image.width * image.height, rules.max_pixels)
    )


def with_longest_side(rules: ImageRules, max_side: int | None) -> ImageRules:
    """The rules with the user's own limit on the longer side, in pixels, where that is the smaller one."""
    if max_side is None or (rules.max_side is not None and rules.max_side <= max_side):
        return rules
    return rules.model_copy(update={"max_side": max_side})


def refitted(data: bytes, rules: ImageRules) -> Refitted:
    """The picture in `data` in a form that `rules` allow. Equal input gives equal bytes with one Pillow.

    Of an animation the first frame is shown; pixels are turned upright as EXIF says; CMYK, palettes and more
    than 8 bits a channel become RGB or grey of 8 bits; transparency stays in a PNG and is laid on white in a
    JPEG. Raises `UnfitPicture`.
    """
    if not {PNG, JPEG} & set(rules.media_types):
        raise UnfitPicture(f"the provider takes {', '.join(rules.media_types)} only, which cannot be made")
    Image = pillow()
    steps: list[str] = []
    with Image.open(BytesIO(data), formats=FORMATS) as opened:
        profile = opened.info.get("icc_profile")
        frame = _first_frame(opened, steps)
        upright = _upright(frame, steps)
        plain = _plain(upright, steps)
        sized = _sized(plain, rules, steps)
    # A profile belongs to the channels it was made for.
    kept = profile if plain.mode == upright.mode else None
    return _encoded(sized, rules, steps, kept)


def _is_within(value: int, most: int | None) -> bool:
    return most is None or value <= most


def _first_frame(image: Image, steps: list[str]) -> Image:
    frames = getattr(image, "n_frames", 1)
    image.seek(0)
    image.load()
    # The second picture of a camera's JPEG is a preview and not a frame.
    if frames > 1 and image.format != "MPO":
        steps.append(f"first frame: of {frames}")
    return image


def _upright(image: Image, steps: list[str]) -> Image:
    from PIL import ImageOps

    try:
        orientation = image.getexif().get(ORIENTATION_TAG, 1)
        turned: Image = ImageOps.exif_transpose(image)
    except (OSError, SyntaxError, ValueError, TypeError, KeyError):
        return image  # damaged EXIF says nothing
    if orientation in range(2, 9):
        steps.append(f"turned upright: EXIF orientation {orientation}")
    return turned


def _plain(image: Image, steps: list[str]) -> Image:
    """The picture in a mode every decoder reads alike."""
    if image.mode in _PLAIN_MODES and "transparency" not in image.info:
        return image
    deep = image.mode in ("I", "F") or image.mode.startswith("I;16")
    has_alpha = image.mode in ("LA", "PA", "La", "RGBa") or "transparency" in image.info
    target = "L" if deep or image.mode == "1" else "RGBA" if has_alpha else "RGB"
    steps.append(f"channels: {image.mode} to {target}")
    return (_to_8_bits(image) if deep else image).convert(target)


def _to_8_bits(image: Image) -> Image:
    """Grey values of any range on 0 to 255; a plain conversion would cut off everything above 255."""
    values = image.convert("F") if image.mode == "F" else image.convert("I").convert("F")
    low, high = values.getextrema()
    assert isinstance(low, float)  # of one channel; several would give pairs
    assert isinstance(high, float)
    if low >= 0 and high <= 1 and image.mode == "F":
        return values.point(lambda value: value * 255.0)
    if low >= 0 and high <= 255:
        return values
    if low >= 0 and high <= 65535:
        return values.point(lambda value: value / 257.0)
    raise UnfitPicture(f"its grey values go from {low:g} to {high:g}, which is no picture of 8 or 16 bits")


def _sized(image: Image, rules: ImageRules, steps: list[str]) -> Image:
    width, height = image.size
    scale = 1.0
    if rules.max_side is not None:
        scale = min(scale, rules.max_side / max(width, height))
    if rules.max_pixels is not None:
        scale = min(scale, (rules.max_pixels / (width * height)) ** 0.5)
    if scale >= 1.0:
        return image
    # Rounded down so that the limit holds; a side that should hit it must not miss it by a rounding error.
    size = max(1, int(width * scale + 1e-6)), max(1, int(height * scale + 1e-6))
    steps.append(f"resized: {width}x{height} to {size[0]}x{size[1]}")
    return image.resize(size, pillow().Resampling.LANCZOS)


def _encoded(image: Image, rules: ImageRules, steps: list[str], profile: bytes | None) -> Refitted:
    allowed = rules.media_types
    size = 0
    if PNG in allowed:
        data = _saved(image, "PNG", icc_profile=profile)
        size = len(data)
        if _is_within(size, rules.max_bytes):
            return Refitted(data, PNG, *image.size, (*steps, "PNG"))
    if JPEG in allowed:
        flat = _on_white(image)
        data = _saved(flat, "JPEG", quality=JPEG_QUALITY, subsampling=0, icc_profile=profile)
        size = len(data)
        if _is_within(size, rules.max_bytes):
            return Refitted(data, JPEG, *image.size, (*steps, f"JPEG: quality {JPEG_QUALITY}"))
    raise UnfitPicture(
        f"it has {image.width:,} × {image.height:,} pixels and {size:,} bytes at best, "
        f"and the provider takes {rules.max_bytes:,} bytes"
    )


def _on_white(image: Image) -> Image:
    if image.mode != "RGBA":
        return image
    white = pillow().new("RGBA", image.size, "white")
    laid: Image = pillow().alpha_composite(white, image).convert("RGB")
    return laid


def _saved(image: Image, form: str, **options: object) -> bytes:
    out = BytesIO()
    # Without this a PNG or JPEG would take over EXIF, which no longer holds: the pixels are turned.
    image.info = {}
    image.save(out, form, **{name: value for name, value in options.items() if value is not None})
    return out.getvalue()
