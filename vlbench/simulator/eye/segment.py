"""Finds patches of one colour in a picture: hue classes, connected components, dark and faint lines."""

from __future__ import annotations

import io
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from vlbench.simulator.eye.outline import kind_of

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Pixels = npt.NDArray[np.int16]
    Labels = npt.NDArray[np.int64]
    Mask = npt.NDArray[np.bool_]

# Upper ends of the hue classes in degrees; red lies on both sides of 0.
HUES: tuple[tuple[float, str], ...] = (
    (14, "red"),
    (38, "orange"),
    (65, "yellow"),
    (170, "green"),
    (245, "blue"),
    (292, "purple"),
    (345, "pink"),
    (360, "red"),
)
NAMES = ("red", "orange", "yellow", "green", "blue", "purple", "pink")
# Channel spread (0-255) from which a pixel counts as coloured; tinted paper stays below.
COLOURED = 64
DARK = 120
SMALLEST_PATCH = 50
LONGEST_SIDE = 640


class UnreadablePicture(ValueError):
    """The bytes are no picture, or a broken one."""


@dataclass(frozen=True, slots=True)
class Patch:
    """One connected patch: colour, likeliest kind, bounding box and area in pixels.

    `mask` marks its pixels inside the box.
    """

    colour: str
    kind: str
    left: int
    top: int
    width: int
    height: int
    area: int
    mask: Mask = field(compare=False, repr=False)

    @property
    def x(self) -> float:
        """The middle of the box, to the right."""
        return self.left + self.width / 2

    @property
    def y(self) -> float:
        """The middle of the box, downwards."""
        return self.top + self.height / 2

    @property
    def extent(self) -> float:
        """How large it looks: the longer side of its box."""
        return max(self.width, self.height)

    @property
    def name(self) -> str:
        """As people say it: "red star"."""
        return f"{self.colour} {self.kind}"


@dataclass(frozen=True, slots=True, eq=False)
class Sight:
    """What was found in one picture.

    `dark` and `faint` mark colourless lines, by row and column; `pixels` (height, width, 3) are the colours.
    """

    width: int
    height: int
    background: str
    patches: tuple[Patch, ...]
    dark: Mask
    faint: Mask
    pixels: Pixels

    @property
    def is_plain_grey(self) -> bool:
        """Whether it is what is shown in place of a picture."""
        return self.empty and self.background == "grey"

    @property
    def empty(self) -> bool:
        """Whether there is nothing but background."""
        return not self.patches and not self.dark.any()


def look(picture: bytes) -> Sight:
    """Reads an encoded picture; large ones are scaled down first.

    Raises `UnreadablePicture` for bytes that cannot be decoded.
    """
    return sight_of(_decoded(picture))


def sight_of(pixels: Pixels) -> Sight:
    """What is found in the pixels (height, width, 3; 0..255) of a picture."""
    strongest, weakest = extremes(pixels)
    spread = strongest - weakest
    ground = _edge_colour(pixels)
    classes = _hue_classes(pixels, strongest, spread)
    colourless = spread < 30
    return Sight(
        width=pixels.shape[1],
        height=pixels.shape[0],
        background=_name_of_ground(ground),
        patches=_patches(classes),
        dark=colourless & (strongest < DARK) & (strongest < int(ground.max()) - 60),
        faint=colourless & (strongest < int(ground.max()) - 25) & (strongest >= DARK),
        pixels=pixels,
    )


def extremes(pixels: Pixels) -> tuple[Pixels, Pixels]:
    """The largest and the smallest channel of every pixel; several times faster than along the last axis."""
    import numpy as np

    red, green, blue = (pixels[..., i] for i in range(3))
    return np.maximum(np.maximum(red, green), blue), np.minimum(np.minimum(red, green), blue)


def lightness(pixels: Pixels) -> npt.NDArray[np.float64]:
    """The mean of the three channels of every pixel."""
    mean: npt.NDArray[np.float64] = (pixels[..., 0] + pixels[..., 1] + pixels[..., 2]) / 3
    return mean


def _decoded(picture: bytes) -> Pixels:
    import numpy as np
    from PIL import Image

    try:
        with Image.open(io.BytesIO(picture)) as image:
            image.draft("RGB", (LONGEST_SIDE, LONGEST_SIDE))
            plain = image.convert("RGB")
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        raise UnreadablePicture(str(error)) from error
    plain.thumbnail((LONGEST_SIDE, LONGEST_SIDE))
    return np.asarray(plain).astype(np.int16)


def _edge_colour(pixels: Pixels) -> Pixels:
    """The middle colour of the picture's four edges."""
    import numpy as np

    edge = np.concatenate([pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1]])
    middle: Pixels = np.median(edge, axis=0).astype(np.int16)
    return middle


def _name_of_ground(ground: Pixels) -> str:
    import numpy as np

    strongest, weakest = int(ground.max()), int(ground.min())
    spread = strongest - weakest
    if spread < 10:
        if strongest > 244:
            return "white"
        return "light grey" if strongest > 180 else "grey" if strongest > 60 else "black"
    pixel = ground.reshape(1, 1, 3)
    hue = _hue(pixel, np.array([[strongest]]), np.array([[spread]]))[0, 0]
    name = next(name for end, name in HUES if hue <= end)
    if spread >= COLOURED:
        return name
    # A pale red looks pink.
    return f"pale {'pink' if name == 'red' else name}"


def _hue(
    pixels: Pixels, strongest: npt.NDArray[np.int16], spread: npt.NDArray[np.int16]
) -> npt.NDArray[np.float64]:
    """Hue in degrees, 0-360 (the usual hexagonal one of HSV)."""
    import numpy as np

    red, green, blue = (pixels[..., i].astype(float) for i in range(3))
    step = np.maximum(spread, 1)
    sector = np.select(
        [strongest == red, strongest == green],
        [(green - blue) / step % 6, (blue - red) / step + 2],
        (red - green) / step + 4,
    )
    hue: npt.NDArray[np.float64] = sector * 60
    return hue


def _hue_classes(
    pixels: Pixels, strongest: npt.NDArray[np.int16], spread: npt.NDArray[np.int16]
) -> npt.NDArray[np.int8]:
    """0 where a pixel has no colour, else 1 + its place in `NAMES`."""
    import numpy as np

    classes = np.zeros(spread.shape, np.int8)
    coloured = spread > COLOURED
    hue = _hue(pixels[coloured], strongest[coloured], spread[coloured])
    ends = np.array([end for end, _ in HUES])
    numbers = np.array([1 + NAMES.index(name) for _, name in HUES], np.int8)
    classes[coloured] = numbers[np.searchsorted(ends, hue)]
    return classes


def _patches(classes: npt.NDArray[np.int8]) -> tuple[Patch, ...]:
    """The patches that are large and thick enough to be more than the seam between two colours."""
    import numpy as np

    components = connected(classes)
    count = int(components.max(initial=0))
    areas = np.bincount(components.ravel(), minlength=count + 1)
    found = []
    # Pixels sorted by component, so that each patch costs no more than its own size.
    rows, columns = np.nonzero(components)
    numbers = components[rows, columns]
    order = np.argsort(numbers, kind="stable")
    rows, columns = rows[order], columns[order]
    starts = np.searchsorted(numbers[order], np.arange(1, count + 2))
    for number in np.flatnonzero(areas[1:] >= SMALLEST_PATCH):
        part = slice(starts[number], starts[number + 1])
        top, bottom = int(rows[part].min()), int(rows[part].max()) + 1
        left, right = int(columns[part].min()), int(columns[part].max()) + 1
        if min(bottom - top, right - left) < 4:
            continue
        mask = components[top:bottom, left:right] == number + 1
        colour = NAMES[int(classes[rows[part][0], columns[part][0]]) - 1]
        size = (right - left, bottom - top)
        found.append(Patch(colour, kind_of(mask), left, top, *size, int(areas[number + 1]), mask))
    return tuple(found)


def connected(classes: npt.NDArray[np.int8]) -> Labels:
    """Numbers the 4-connected areas of equal class from 1; 0 where the class is 0.

    Works on horizontal runs: a run is joined to those of the next row that it touches, and each set of
    joined runs takes its lowest number.
    """
    import numpy as np

    height, width = classes.shape
    padded = np.pad(classes, ((0, 0), (1, 1)))
    is_start = (classes != 0) & (classes != padded[:, :-2])
    is_end = (classes != 0) & (classes != padded[:, 2:])
    rows, starts = np.nonzero(is_start)
    ends = np.nonzero(is_end)[1]
    # One line of positions for all rows, with a gap so that runs of two rows never meet in it.
    stride = width + 1
    below = (rows + 1) * stride
    first = np.searchsorted(rows * stride + ends, below + starts)
    past = np.searchsorted(rows * stride + starts, below + ends, side="right")
    touching = np.maximum(past - first, 0)
    upper = np.repeat(np.arange(len(rows)), touching)
    lower = np.arange(touching.sum()) - np.repeat(np.cumsum(touching) - touching, touching) + first[upper]
    same = classes[rows[upper], starts[upper]] == classes[rows[lower], starts[lower]]
    root = _joined(len(rows), upper[same], lower[same])
    components = np.zeros(height * width, np.int64)
    components[np.flatnonzero(classes)] = np.repeat(
        np.unique(root, return_inverse=True)[1] + 1, ends - starts + 1
    )
    return components.reshape(height, width)


def _joined(count: int, one: Labels, other: Labels) -> Labels:
    """For each of `count` things the lowest one it is joined to through the given pairs."""
    import numpy as np

    root = np.arange(count)
    while True:
        a, b = root[one], root[other]
        if (a == b).all():
            return root
        np.minimum.at(root, np.maximum(a, b), np.minimum(a, b))
        while (root != root[root]).any():
            root = root[root]
