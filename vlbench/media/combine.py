"""Two pictures drawn as one, for models that take a single picture a request.

Nothing is scaled or cropped: both keep their pixels, upright, on white, with a white gap between them and
aligned at their left or top edges. The result is a PNG, so that small differences survive.
"""

from __future__ import annotations

import hashlib
from io import BytesIO
from typing import TYPE_CHECKING, Final

from vlbench.types import Combined, ImageRef, Layout

if TYPE_CHECKING:
    from PIL.Image import Image

GAP: Final = 8
"""Pixels between the two pictures."""

_RECIPE: Final = "combined-1"
# The quickest level: a picture is drawn for a few requests and thrown away.
_COMPRESSION: Final = 1


def combined_of(first: ImageRef, second: ImageRef, layout: Layout) -> ImageRef:
    """The reference of both as one picture; nothing is read or drawn.

    Its hash is of the recipe and not of the bytes, which differ between versions of zlib: it changes with
    either picture, their order, the layout and the way of drawing, and so does the key of a request.
    """
    recipe = f"{_RECIPE}\0{layout}\0{GAP}\0{first.sha256}\0{second.sha256}"
    across, along = zip(_upright(first), _upright(second), strict=True)
    width, height = (
        (max(across), sum(along) + GAP) if layout == "vertical" else (sum(across) + GAP, max(along))
    )
    return ImageRef(
        sha256=hashlib.sha256(recipe.encode()).hexdigest(),
        media_type="image/png",
        width=width,
        height=height,
        size=first.size + second.size,
        source=Combined(first=first, second=second, layout=layout),
    )


def draw_combined(first: bytes, second: bytes, layout: Layout) -> bytes:
    """The PNG of two encoded pictures that are known to decode."""
    from PIL import Image  # here: a report draws no pictures

    one, other = _flat(first), _flat(second)
    if layout == "vertical":
        size, place = (max(one.width, other.width), one.height + GAP + other.height), (0, one.height + GAP)
    else:
        size, place = (one.width + GAP + other.width, max(one.height, other.height)), (one.width + GAP, 0)
    canvas = Image.new("RGB", size, "white")
    canvas.paste(one, (0, 0))
    canvas.paste(other, place)
    out = BytesIO()
    canvas.save(out, "PNG", compress_level=_COMPRESSION)
    return out.getvalue()


def _upright(image: ImageRef) -> tuple[int, int]:
    """Width and height once EXIF's orientation is followed; from 5 on it turns by a quarter."""
    return (image.height, image.width) if image.orientation >= 5 else (image.width, image.height)


def _flat(data: bytes) -> Image:
    """The picture upright and as RGB, what is transparent in it on white."""
    from PIL import Image, ImageOps

    with Image.open(BytesIO(data)) as stored:
        opened = ImageOps.exif_transpose(stored)
        if "A" not in opened.getbands() and "transparency" not in opened.info:
            return opened.convert("RGB")
        rgba = opened.convert("RGBA")
    white = Image.new("RGBA", rgba.size, "white")
    return Image.alpha_composite(white, rgba).convert("RGB")
