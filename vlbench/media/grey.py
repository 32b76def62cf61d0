"""The grey picture that stands for "no image" where a server insists on one: RGB (128, 128, 128)."""

from __future__ import annotations

import hashlib
import struct
import zlib
from functools import lru_cache

from vlbench.types import Grey, ImageRef

_LEVEL = 128
_LONGEST_MATCH = 285


def _code(symbol: int) -> str:
    """The bits of a literal or length symbol in deflate's fixed Huffman table (RFC 1951, 3.2.6)."""
    if symbol < 144:
        return format(0x30 + symbol, "08b")
    if symbol < 256:
        return format(0x190 + symbol - 144, "09b")
    if symbol < 280:
        return format(symbol - 256, "07b")
    return format(0xC0 + symbol - 280, "08b")


def _repeats() -> list[tuple[int, str]]:
    """(length, bits) of "repeat the last byte", longest first: only lengths whose extra bits are all zero."""
    found = []
    length = 3
    for symbol in range(257, _LONGEST_MATCH):
        extra = max(0, (symbol - 261) // 4)
        found.append((length, _code(symbol) + "0" * extra + "00000"))
        length += 1 << extra
    found.append((258, _code(_LONGEST_MATCH) + "00000"))
    return found[::-1]


def _row(filter_type: int, value: int, length: int) -> str:
    """One line of the picture, `length` equal bytes after its filter type, as deflate bits."""
    bits = [_code(filter_type), _code(value)]
    left = length - 1
    for size, code in _repeats():
        times, left = divmod(left, size)
        bits.append(code * times)
    bits.append(_code(value) * left)
    return "".join(bits)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


@lru_cache(maxsize=64)
def grey_png(width: int, height: int) -> bytes:
    """A grey 8-bit truecolour PNG of that size in pixels.

    The compressed stream is written here and not by zlib: its output differs between implementations
    (zlib, zlib-ng), and these bytes are part of the cache key on every machine.
    """
    line = 3 * width
    first, other = bytes([0]) + bytes([_LEVEL]) * line, bytes([2]) + bytes(line)
    checksum = zlib.adler32(first)
    for _ in range(height - 1):
        checksum = zlib.adler32(other, checksum)
    # One final block (1) with fixed codes (01, low bit first). From the second line on every byte is
    # the difference to the line above: 0.
    bits = "110" + _row(0, _LEVEL, line) + _row(2, 0, line) * (height - 1) + _code(256)
    stream = int(bits[::-1], 2).to_bytes((len(bits) + 7) // 8, "little")
    return b"".join(
        (
            b"\x89PNG\r\n\x1a\n",
            _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)),
            _chunk(b"IDAT", b"\x78\x01" + stream + struct.pack(">I", checksum)),
            _chunk(b"IEND", b""),
        )
    )


@lru_cache(maxsize=4096)
def _grey_ref(width: int, height: int) -> ImageRef:
    png = grey_png(width, height)
    return ImageRef(
        sha256=hashlib.sha256(png).hexdigest(),
        media_type="image/png",
        width=width,
        height=height,
        size=len(png),
        source=Grey(width=width, height=height),
    )


def grey_of(image: ImageRef) -> ImageRef:
    """The grey picture that takes the place of `image`, in its size."""
    return _grey_ref(image.width, image.height)
