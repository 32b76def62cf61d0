"""Reading a line of print from its pixels."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from vlbench.simulator.eye.pair_text import read_line


def printed(text: str, size: int) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    canvas = Image.new("L", (20 * size, 3 * size))
    ImageDraw.Draw(canvas).text((size, size), text, fill=255, font=ImageFont.load_default(size))
    return np.asarray(canvas) / 255


@pytest.mark.parametrize("text", ["GATE 27", "SHOP 90", "MENU 3", "BUS 164", "PLATFORM 58"])
@pytest.mark.parametrize("size", [24, 40])
def test_clear_print_is_read(text: str, size: int) -> None:
    assert read_line(printed(text, size)) == text


def test_no_print_is_no_text() -> None:
    assert read_line(np.zeros((10, 40))) == ""
