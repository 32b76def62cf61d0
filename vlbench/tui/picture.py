"""Pictures in a terminal: two pixels a cell, drawn with half blocks."""

from __future__ import annotations

import io
from typing import Final

from rich.console import RenderableType

from vlbench.errors import DatasetError
from vlbench.media.read import ImageReader
from vlbench.types import ImageRef

MOST_PIXELS: Final = 64_000_000
"""Larger pictures are not decoded: one redraw must not take a gigabyte."""


def drawn(images: ImageReader, ref: ImageRef, width: int, height: int) -> RenderableType:
    """The picture within `width` × `height` cells, or a sentence on why it cannot be shown. For a thread."""
    from PIL import Image, UnidentifiedImageError
    from rich.text import Text
    from rich_pixels import Pixels

    if ref.width * ref.height > MOST_PIXELS:
        return Text(f"{ref.width:,} × {ref.height:,} pixels are too many to draw here.")
    try:
        with Image.open(io.BytesIO(images.raw(ref))) as opened:
            across, down = fitted(opened.width, opened.height, width, height)
            small = opened.convert("RGB").resize((across, down), Image.Resampling.LANCZOS)
    except (DatasetError, UnidentifiedImageError, Image.DecompressionBombError, OSError, ValueError) as error:
        from vlbench.tui.inert import line

        return Text(f"The picture cannot be shown: {line(str(error))}")
    pixels: RenderableType = Pixels.from_image(small)
    return pixels


def fitted(wide: int, high: int, width: int, height: int) -> tuple[int, int]:
    """Pixels of a picture scaled into `width` × `height` cells, never enlarged more than fourfold.

    A cell is twice as high as wide and shows two pixels, so pixels are square; an even number stands over
    each other.
    """
    scale = min(width / wide, 2 * height / high, 4.0)
    across, down = max(1, int(wide * scale)), max(2, int(high * scale))
    return across, down + down % 2
