"""Draws a scene as a PNG. The same scene gives the same bytes with the same Pillow."""

from __future__ import annotations

import io
import math
from typing import TYPE_CHECKING

from vlbench.benchmarks.drawn.scene import Box, Figure, Kind, Line, Note, Scene

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageDraw import ImageDraw

RGB = tuple[int, int, int]

PAINTS: dict[str, RGB] = {
    "red": (217, 45, 52),
    "orange": (243, 134, 28),
    "yellow": (246, 204, 46),
    "green": (52, 160, 80),
    "blue": (44, 108, 206),
    "purple": (126, 66, 176),
    "pink": (240, 118, 178),
    "ink": (52, 58, 66),
    "faint": (196, 200, 206),
    "paper": (255, 255, 255),
}
GROUNDS: dict[str, RGB] = {
    "white": (255, 255, 255),
    "pale yellow": (255, 245, 204),
    "pale blue": (216, 234, 251),
    "pale green": (218, 242, 221),
    "pale pink": (252, 224, 233),
    "light grey": (226, 228, 231),
}

# Drawn this many times larger and averaged down: Pillow's own polygons have hard edges.
SCALE = 3
# How far the rim's colour is from the fill's towards black, the stripes' towards white.
RIM = 0.22
PALE = 0.8
RIM_WIDTH = 1.6
STRIPE_STEP = 7
STRIPE_WIDTH = 3


def png(scene: Scene) -> bytes:
    """The picture as an 8-bit RGB PNG of `scene.width` by `scene.height` pixels."""
    return encoded(picture(scene))


def picture(scene: Scene) -> Image:
    """The picture in RGB, `scene.width` by `scene.height` pixels."""
    from PIL import Image, ImageDraw

    large = Image.new("RGB", (scene.width * SCALE, scene.height * SCALE), GROUNDS[scene.background])
    pen = ImageDraw.Draw(large)
    for element in scene.elements:
        if isinstance(element, Figure):
            _draw_figure(large, pen, element)
        else:
            _draw(pen, element)
    return large.reduce(SCALE)


def encoded(image: Image) -> bytes:
    """A picture as PNG."""
    buffer = io.BytesIO()
    image.save(buffer, "PNG", optimize=False, compress_level=6)
    return buffer.getvalue()


def outline(kind: Kind, x: float, y: float, radius: float, angle: float = 0.0) -> list[tuple[float, float]]:
    """The corners of a figure in pixels; a circle has 72 of them."""
    turn = math.radians(angle)
    cos, sin = math.cos(turn), math.sin(turn)
    return [
        (x + radius * (cos * px - sin * py), y + radius * (sin * px + cos * py)) for px, py in _unit(kind)
    ]


def _unit(kind: Kind) -> list[tuple[float, float]]:
    match kind:
        case "circle":
            return _regular(72)
        case "triangle":
            return _regular(3)
        case "pentagon":
            return _regular(5)
        case "hexagon":
            return _regular(6)
        case "square":
            half = math.sqrt(0.5)
            return [(-half, -half), (half, -half), (half, half), (-half, half)]
        case "diamond":
            return [(0, -1), (0.66, 0), (0, 1), (-0.66, 0)]
        case "star":
            inner = [(0.45 * px, 0.45 * py) for px, py in _regular(5, half_step=True)]
            return [point for pair in zip(_regular(5), inner, strict=True) for point in pair]
        case "cross":
            arm, tip = 0.32, 0.94
            quarter = [(-arm, -tip), (arm, -tip), (arm, -arm)]
            return [_quarter_turned(p, turns) for turns in range(4) for p in quarter]


def _regular(corners: int, *, half_step: bool = False) -> list[tuple[float, float]]:
    start = math.pi / corners if half_step else 0.0
    angles = [start + 2 * math.pi * i / corners for i in range(corners)]
    return [(math.sin(a), -math.cos(a)) for a in angles]


def _quarter_turned(point: tuple[float, float], turns: int) -> tuple[float, float]:
    x, y = point
    for _ in range(turns):
        x, y = -y, x
    return x, y


def _draw(pen: ImageDraw, element: Box | Line | Note) -> None:
    match element:
        case Box(left, top, right, bottom, colour, edge):
            corners = (left * SCALE, top * SCALE, right * SCALE - 1, bottom * SCALE - 1)
            rim = PAINTS["ink"] if edge else None
            pen.rectangle(corners, fill=PAINTS[colour], outline=rim, width=round(edge * SCALE))
        case Line(x0, y0, x1, y1, colour, width):
            ends = (x0 * SCALE, y0 * SCALE, x1 * SCALE, y1 * SCALE)
            pen.line(ends, fill=PAINTS[colour], width=round(width * SCALE))
        case Note(x, y, text, size):
            from PIL import ImageFont

            font = ImageFont.load_default(size * SCALE)
            pen.text((x * SCALE, y * SCALE), text, fill=PAINTS["ink"], font=font, anchor="mm")


def _draw_figure(large: Image, pen: ImageDraw, figure: Figure) -> None:
    """Fill and a rim of a darker shade, so that two figures that cover each other stay apart to the eye."""
    fill = PAINTS[figure.colour]
    corners = outline(figure.kind, figure.x * SCALE, figure.y * SCALE, figure.radius * SCALE, figure.angle)
    pen.polygon(corners, fill=fill)
    if figure.striped:
        _stripe(large, corners, _towards(fill, (255, 255, 255), PALE))
    rim = _towards(fill, (0, 0, 0), RIM)
    pen.line([*corners, corners[0], corners[1]], fill=rim, width=round(RIM_WIDTH * SCALE), joint="curve")


def _stripe(large: Image, corners: list[tuple[float, float]], colour: RGB) -> None:
    """Level stripes across a polygon."""
    from PIL import Image, ImageDraw

    left, top = (math.floor(min(axis)) for axis in zip(*corners, strict=True))
    right, bottom = (math.ceil(max(axis)) for axis in zip(*corners, strict=True))
    stencil = Image.new("L", (right - left, bottom - top))
    pen = ImageDraw.Draw(stencil)
    pen.polygon([(x - left, y - top) for x, y in corners], fill=255)
    for y in range(0, bottom - top, STRIPE_STEP * SCALE):
        pen.rectangle((0, y, right - left, y + (STRIPE_STEP - STRIPE_WIDTH) * SCALE - 1), fill=0)
    large.paste(colour, (left, top), stencil)


def _towards(colour: RGB, goal: RGB, share: float) -> RGB:
    red, green, blue = (round(c + (g - c) * share) for c, g in zip(colour, goal, strict=True))
    return red, green, blue
