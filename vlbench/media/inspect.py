"""What a picture is, found by its content, and whether all of it can be decoded."""

from __future__ import annotations

import hashlib
import struct
import warnings
import zlib
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from types import ModuleType
from typing import TYPE_CHECKING

from vlbench.errors import DatasetError

if TYPE_CHECKING:
    from PIL.Image import Image

# Only what servers take or what can be converted: some of Pillow's other readers run programs (EPS) or are
# rarely fuzzed.
FORMATS = ("JPEG", "PNG", "WEBP", "GIF", "BMP", "TIFF", "AVIF", "ICO", "PPM")
# MPO is how Pillow calls a JPEG with a second picture behind the first (many phones and cameras).
_MEDIA_TYPES = {"MPO": "image/jpeg", "ICO": "image/x-icon"}
ORIENTATION_TAG = 0x0112
"""Where EXIF keeps how a picture is to be turned."""


class BrokenImage(DatasetError, ValueError):
    """These bytes are no picture that can be shown; the message is the reason in words."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture that decodes to its end.

    `width` and `height` are in stored pixels, which `orientation` (EXIF's, 1 to 8) says how to turn; `size`
    and `sha256` are of the encoded bytes.
    """

    media_type: str
    width: int
    height: int
    sha256: str
    size: int
    orientation: int = 1


@cache
def pillow() -> ModuleType:
    """Pillow's Image module, told to refuse pictures of more than 89 million pixels instead of warning."""
    from PIL import Image

    warnings.filterwarnings("ignore", module=r"PIL\.")
    warnings.filterwarnings("error", category=Image.DecompressionBombWarning)
    return Image


def inspect(data: bytes) -> Picture:
    """Decode `data` once, completely; raises `BrokenImage` when that fails.

    Animated pictures, CMYK and 16-bit channels are fine: what a server takes is a matter of its entry. Of an
    animation the first frame is decoded.
    """
    Image = pillow()
    if not data:
        raise BrokenImage("the image is empty")
    try:
        with Image.open(BytesIO(data), formats=FORMATS) as image:
            kind, (width, height) = image.format, image.size
            image.load()
            orientation = _orientation(image)
        if kind == "PNG":
            # Decoding pixels does not look at their check sums; `verify` does, on a fresh object.
            with Image.open(BytesIO(data), formats=("PNG",)) as image:
                image.verify()
    except Image.UnidentifiedImageError:
        raise BrokenImage(f"the image is none of {', '.join(FORMATS)} (it begins {data[:8]!r})") from None
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise BrokenImage("the image has more than 89 million pixels") from None
    except (OSError, SyntaxError, ValueError, EOFError, struct.error, zlib.error, OverflowError) as error:
        raise BrokenImage(f"the image cannot be decoded to its end ({error})") from error
    return Picture(
        media_type=_MEDIA_TYPES.get(kind) or Image.MIME[kind],
        width=width,
        height=height,
        sha256=hashlib.sha256(data).hexdigest(),
        size=len(data),
        orientation=orientation,
    )


def _orientation(image: Image) -> int:
    """How the picture is to be turned; 1, not at all, where nothing readable says so."""
    try:
        value = image.getexif().get(ORIENTATION_TAG, 1)
    except (OSError, SyntaxError, ValueError, TypeError, KeyError, struct.error):
        return 1  # damaged EXIF: the pixels are fine, and every viewer shows them as they stand
    return value if value in range(1, 9) else 1
