"""What differs between two whole pictures: light, colour, noise, sharpness, the texture of surfaces.

Every difference is measured over a threshold from which it is believed, in small blocks, so that one changed
object moves no median. What is below its threshold is missed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vlbench.simulator.eye.segment import lightness

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from vlbench.simulator.eye.segment import Pixels

    Values = npt.NDArray[np.float64]

BLOCK = 6
# Steps of 0..255 that are believed.
LIGHT, TINT = 7.0, 5.0
# Ratios that are believed, and noise or texture below which there is none to compare.
NOISE_RATIO, EDGE_RATIO, SURFACE_RATIO = 1.25, 1.18, 1.25
# The smoothest part of the blocks of surfaces, which holds no outlines.
INSIDE = 0.3
LEAST_NOISE, LEAST_TEXTURE = 1.0, 2.0

_TINTS = {
    "red": (1, -0.5, -0.5),
    "green": (-0.5, 1, -0.5),
    "blue": (-0.5, -0.5, 1),
    "cyan": (-1, 0.5, 0.5),
    "magenta": (0.5, -1, 0.5),
    "yellow": (0.5, 0.5, -1),
}


@dataclass(frozen=True, slots=True)
class Finding:
    """A difference in words, from the first picture to the second; from strength 1 on it is believed."""

    words: str
    strength: float


@dataclass(frozen=True, slots=True, eq=False)
class _Measures:
    """One picture in blocks: mean colours (blocks, 3), roughness (blocks,), and its sharpest edges."""

    means: Values
    roughness: Values
    edge: float


def whole_differences(one: Pixels, other: Pixels) -> list[Finding]:
    """What differs all over two pictures (height, width, 3) of equal size, strongest first."""
    import numpy as np

    before, after = _measured(one), _measured(other)
    spread = np.ptp(before.means, axis=1)
    is_ground, is_surface = spread < 64, spread >= 64
    shift = np.median((after.means - before.means)[is_ground], axis=0) if is_ground.any() else np.zeros(3)
    noise = [_middle(m.roughness[is_ground]) for m in (before, after)]
    texture = [
        math.sqrt(max(_middle(m.roughness[is_surface], INSIDE) ** 2 - n**2, 0))
        for m, n in zip((before, after), noise, strict=True)
    ]
    found = [
        _light(before.means, after.means),
        _tint(shift),
        _grown(noise, LEAST_NOISE, NOISE_RATIO, "image noisier", "image less noisy"),
        _grown(
            texture,
            LEAST_TEXTURE,
            SURFACE_RATIO,
            "surfaces of the shapes rougher",
            "surfaces of the shapes smoother",
        ),
        _grown(
            [before.edge, after.edge],
            1.0,
            EDGE_RATIO,
            "image finer, with a higher resolution",
            "image coarser, with a lower resolution",
        ),
    ]
    return sorted((f for f in found if f.strength >= 1), key=lambda f: -f.strength)


def _measured(pixels: Pixels) -> _Measures:
    import numpy as np

    planes = np.ascontiguousarray(pixels.transpose(2, 0, 1), np.float32)
    means = _block_means(planes)
    variances = _block_means(planes**2) - means**2
    roughness = np.sqrt(variances.clip(0)).mean(axis=0)
    steps = np.abs(np.diff(lightness(pixels), axis=1)).ravel()
    sharpest = len(steps) // 200 + 1
    edge = float(np.partition(steps, -sharpest)[-sharpest:].mean())
    return _Measures(means.T, roughness, edge)


def _block_means(planes: npt.NDArray[np.float32]) -> Values:
    """(channels, blocks): the mean of every whole block."""
    import numpy as np

    channels, height, width = (planes.shape[0], *(side // BLOCK for side in planes.shape[1:]))
    whole = planes[:, : height * BLOCK, : width * BLOCK]
    rows = whole.reshape(channels, height, BLOCK, width * BLOCK).sum(axis=2, dtype=np.float64)
    means: Values = rows.reshape(channels, height * width, BLOCK).sum(axis=2) / BLOCK**2
    return means


def _light(before: Values, after: Values) -> Finding:
    """By the blocks that are neither black nor white: those cannot show every change."""
    import numpy as np

    one, other = before.mean(axis=1), after.mean(axis=1)
    between = (np.maximum(one, other) > 40) & (np.minimum(one, other) < 250)
    step = float(np.median((other - one)[between])) if between.any() else 0.0
    return Finding(f"whole image {'brighter' if step > 0 else 'darker'}", abs(step) / LIGHT)


def _tint(shift: Values) -> Finding:
    """By the background, whose colour a change of light leaves nearly as it is."""
    colour = shift - shift.mean()
    fits = {name: float(colour @ parts) / 1.5 for name, parts in _TINTS.items()}
    name = max(fits, key=lambda one: fits[one])
    return Finding(f"colours of the whole image shifted towards {name}", fits[name] / TINT)


def _grown(sizes: list[float], least: float, ratio: float, more: str, less: str) -> Finding:
    """By the logarithm of how many times larger the second is; none where both are hardly there."""
    if max(sizes) < least:
        return Finding("", 0.0)
    before, after = (max(size, least / 2) for size in sizes)
    grown = math.log(after / before)
    return Finding(more if grown > 0 else less, abs(grown) / math.log(ratio))


def _middle(values: Values, part: float = 0.5) -> float:
    """The value that this part of all stays below; 0 for no values."""
    import numpy as np

    return float(np.quantile(values, part)) if len(values) else 0.0
