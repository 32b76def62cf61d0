"""Names a filled shape from its outline: how far the edge is from the centre in every direction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Mask = npt.NDArray[np.bool_]
    Points = npt.NDArray[np.float64]

DIRECTIONS = 72


@dataclass(frozen=True, slots=True)
class Outline:
    """What a mask's outline is like.

    `waves[k]` is the strength of k corners around the centre, relative to the mean radius; `roundness` the
    smallest radius over the largest; `solidity` the area over that of the convex hull.
    """

    waves: tuple[float, ...]
    roundness: float
    solidity: float


def outline_of(mask: Mask) -> Outline:
    """Measures a mask of at least some twenty pixels, cropped to its shape."""
    import numpy as np

    profile = profile_of(mask)
    spectrum = 2 * np.abs(np.fft.rfft(profile)) / DIRECTIONS / profile.mean()
    smooth = (np.roll(profile, 1) + profile + np.roll(profile, -1)) / 3
    hull = _hull_area(_row_ends(mask))
    return Outline(
        waves=tuple(float(w) for w in spectrum[:9]),
        roundness=float(smooth.min() / smooth.max()),
        solidity=np.count_nonzero(mask) / hull if hull else 0.0,
    )


def profile_of(mask: Mask) -> npt.NDArray[np.float64]:
    """How far the mask reaches from its middle, in pixels, in `DIRECTIONS` directions, clockwise."""
    import numpy as np

    rows, columns = np.nonzero(mask)
    dy, dx = rows - rows.mean(), columns - columns.mean()
    radius = np.hypot(dx, dy)
    sector = ((np.arctan2(dy, dx) + np.pi) / (2 * np.pi) * DIRECTIONS).astype(int) % DIRECTIONS
    profile = np.zeros(DIRECTIONS)
    np.maximum.at(profile, sector, radius)
    seen = np.flatnonzero(profile)
    return np.interp(np.arange(DIRECTIONS), seen, profile[seen], period=DIRECTIONS)


def kind_of(mask: Mask) -> str:
    """The likeliest of circle, square, triangle, star, pentagon, hexagon, diamond and cross."""
    outline = outline_of(mask)
    waves = outline.waves
    if outline.solidity < 0.84:
        return "star" if waves[5] > waves[4] else "cross"
    if waves[3] > 0.13 and waves[3] > waves[2]:
        return "triangle"
    if waves[2] > 0.09:
        return "diamond"
    if outline.roundness > 0.9:
        return "circle"
    corners = max(range(3, 7), key=lambda k: waves[k])
    return {3: "triangle", 4: "square", 5: "pentagon", 6: "hexagon"}[corners]


def _row_ends(mask: Mask) -> Points:
    """The outer corners of the first and last pixel of every row, as (x, y) in the order of rows."""
    import numpy as np

    rows = np.flatnonzero(mask.any(axis=1))
    first = mask[rows].argmax(axis=1)
    last = mask.shape[1] - mask[rows][:, ::-1].argmax(axis=1)
    x = np.concatenate([first, first, last, last])
    y = np.concatenate([rows, rows + 1, rows, rows + 1])
    order = np.lexsort((y, x))
    return np.stack([x[order], y[order]], axis=1).astype(float)


def _hull_area(points: Points) -> float:
    """The area of the convex hull of points sorted by x (Andrew's monotone chain)."""
    path = [(float(x), float(y)) for x, y in points]
    lower, upper = _chain(path), _chain(path[::-1])
    corners = lower[:-1] + upper[:-1]
    turned = corners[1:] + corners[:1]
    return abs(sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(corners, turned, strict=True))) / 2


def _chain(path: list[tuple[float, float]]) -> list[tuple[float, float]]:
    chain: list[tuple[float, float]] = []
    for point in path:
        while len(chain) > 1 and _turn(chain[-2], chain[-1], point) <= 0:
            chain.pop()
        chain.append(point)
    return chain


def _turn(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
