"""Reads a line of dark print: cuts it into signs and compares each with the letters of a usual typeface."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Mask = npt.NDArray[np.bool_]
    Values = npt.NDArray[np.float64]

SIGNS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
# Width and height that every sign is brought to before it is compared.
GRID = (10, 14)
DRAWN_AT = 48
# A gap this wide, in heights of the line, parts two words.
WORD_GAP = 0.35
# How much a wrong shape of its box counts against a sign, beside its strokes.
BOX_WEIGHT = 0.25


def read_line(darkness: Values) -> str:
    """The text in `darkness` (height, width; 0..1), which shows one line and nothing else; "" for none."""
    import numpy as np

    ink = darkness > 0.4
    columns = np.flatnonzero(np.diff(np.concatenate([[False], ink.any(axis=0), [False]])))
    spans = list(zip(columns[::2].tolist(), columns[1::2].tolist(), strict=True))
    rows = np.flatnonzero(ink.any(axis=1))
    if not spans:
        return ""
    height = int(rows[-1] - rows[0] + 1)
    text = ""
    end = spans[0][0]
    for left, right in spans:
        if left - end > WORD_GAP * height:
            text += " "
        text += _sign(darkness[rows[0] : rows[-1] + 1, left:right])
        end = right
    return text


def _sign(darkness: Values) -> str:
    shape, width = _brought(darkness), darkness.shape[1] / darkness.shape[0]
    templates = _templates()

    def unlike(sign: str) -> float:
        template, its_width = templates[sign]
        return float(abs(shape - template).mean()) + BOX_WEIGHT * abs(math.log(width / its_width))

    return min(SIGNS, key=unlike)


@lru_cache(maxsize=1)
def _templates() -> dict[str, tuple[Values, float]]:
    """Every sign on the grid, with its width over its height."""
    import numpy as np
    from PIL import Image, ImageDraw, ImageFont

    font = ImageFont.load_default(DRAWN_AT)
    made = {}
    for sign in SIGNS:
        canvas = Image.new("L", (2 * DRAWN_AT, 2 * DRAWN_AT))
        ImageDraw.Draw(canvas).text((DRAWN_AT // 2, DRAWN_AT // 2), sign, fill=255, font=font)
        cut = canvas.crop(canvas.getbbox())
        made[sign] = (_brought(np.asarray(cut) / 255), cut.width / cut.height)
    return made


def _brought(darkness: Values) -> Values:
    import numpy as np
    from PIL import Image

    image = Image.fromarray((darkness.clip(0, 1) * 255).astype(np.uint8))
    return np.asarray(image.resize(GRID, Image.Resampling.BILINEAR)) / 255
