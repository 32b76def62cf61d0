"""Pictures of a number, to find out whether a server shows its model what it was sent."""

from __future__ import annotations

import hashlib
from io import BytesIO
from typing import Final

from vlbench.types import ImageRef, Span

_SIZE: Final = (336, 168)
_HEIGHT: Final = 110


class Canaries:
    """Pictures in memory, by reference: what an adapter sends without any file."""

    def __init__(self) -> None:
        self._pictures: dict[str, bytes] = {}

    def draw(self, number: str) -> ImageRef:
        """A picture of `number`, black on white, as PNG."""
        data = _drawn(number)
        sha256 = hashlib.sha256(data).hexdigest()
        self._pictures[sha256] = data
        width, height = _SIZE
        source = Span(path="", offset=0, length=len(data))
        return ImageRef(
            sha256=sha256, media_type="image/png", width=width, height=height, size=len(data), source=source
        )

    def raw(self, ref: ImageRef) -> bytes:
        """The encoded picture."""
        return self._pictures[ref.sha256]

    def base64(self, ref: ImageRef) -> bytes:
        """The encoded picture as base64 in ASCII."""
        import pybase64

        encoded: bytes = pybase64.b64encode(self.raw(ref))
        return encoded


def _drawn(number: str) -> bytes:
    from PIL import Image, ImageDraw, ImageFont

    image = Image.new("RGB", _SIZE, "white")
    font = ImageFont.load_default(size=_HEIGHT)
    middle = (_SIZE[0] / 2, _SIZE[1] / 2)
    ImageDraw.Draw(image).text(middle, number, fill="black", font=font, anchor="mm")
    out = BytesIO()
    image.save(out, "PNG")
    return out.getvalue()
