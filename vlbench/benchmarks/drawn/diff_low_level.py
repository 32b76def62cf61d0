"""Changes of a whole picture: tint, noise, resolution, texture, light.

They follow the programmatic ones of VDiff-Bench (arXiv 2609.06245, section 3.2.2): Gaussian noise, smoothed
texture, RGB shifts, gamma and linear changes of light.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random

from vlbench.benchmarks.drawn.diff_change import Change
from vlbench.benchmarks.drawn.diff_treat import Shot, Treatment
from vlbench.benchmarks.drawn.scene import BUSY, Scene, a_background, distinct_looks, scattered

# Red, green and blue of each direction, without a change of lightness.
TINTS: dict[str, tuple[float, float, float]] = {
    "red": (1, -0.5, -0.5),
    "green": (-0.5, 1, -0.5),
    "blue": (-0.5, -0.5, 1),
    "cyan": (-1, 0.5, 0.5),
    "magenta": (0.5, -1, 0.5),
    "yellow": (0.5, 0.5, -1),
}
# Each statement with the one that says the opposite.
NOISE = ("The image has become noisier.", "The image has become less noisy.")
RESOLUTION = (
    "The image has become coarser, with a lower resolution.",
    "The image has become finer, with a higher resolution.",
)
TEXTURE = (
    "The surfaces of the shapes have become smoother.",
    "The surfaces of the shapes have become rougher.",
)
LIGHT = ("The whole image has become darker.", "The whole image has become brighter.")


def tint_of(name: str) -> str:
    """What is said of a picture whose colours went towards `name`."""
    return f"The colours of the whole image have shifted towards {name}."


_ALL_TINTS = tuple(tint_of(name) for name in TINTS)


def tinted(rng: Random) -> Change:
    """An RGB shift of the whole picture."""
    name = rng.choice(tuple(TINTS))
    red, green, blue = (rng.uniform(6, 22) * part for part in TINTS[name])
    scene = _a_scene(rng)
    # A neighbour on the colour wheel would be half true: red holds some yellow.
    apart = [other for other, parts in TINTS.items() if _dot(parts, TINTS[name]) < 0]
    first, second = rng.sample(apart, 2)
    wrong = (tint_of(first), tint_of(second))
    return Change(Shot(scene), Shot(scene, Treatment(tint=(red, green, blue))), tint_of(name), wrong)


def _dot(one: Sequence[float], other: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


def noisy_or_coarse(rng: Random) -> Change:
    """More or less noise, or a lower or higher resolution."""
    scene = _a_scene(rng)
    if rng.random() < 0.5:
        weak = Treatment(noise=rng.uniform(2, 6), noise_seed=rng.getrandbits(32))
        strong = Treatment(noise=weak.noise * rng.uniform(1.25, 2.2), noise_seed=rng.getrandbits(32))
        return _either_way(rng, scene, weak, strong, NOISE, (*RESOLUTION, *_ALL_TINTS))
    fine, coarse = Treatment(), Treatment(shrink=rng.uniform(1.3, 2.6))
    return _either_way(rng, scene, fine, coarse, RESOLUTION, (*NOISE, *LIGHT))


def smoothed(rng: Random) -> Change:
    """The texture of the shapes smoothed, or rough again."""
    scene = _a_scene(rng, plain=True)
    rough = Treatment(grain=rng.uniform(4, 13), grain_seed=rng.getrandbits(32))
    smooth = replace(rough, smooth=rng.uniform(0.35, 1.2))
    return _either_way(rng, scene, rough, smooth, TEXTURE, (*LIGHT, *_ALL_TINTS))


def lit(rng: Random) -> Change:
    """Another gamma, or all values multiplied."""
    scene = _a_scene(rng)
    if rng.random() < 0.5:
        dim = Treatment(gamma=rng.uniform(1.12, 1.6))
    else:
        dim = Treatment(gain=rng.uniform(0.74, 0.96))
    return _either_way(rng, scene, Treatment(), dim, LIGHT, (*NOISE, *RESOLUTION))


def _either_way(
    rng: Random,
    scene: Scene,
    one: Treatment,
    other: Treatment,
    says: tuple[str, str],
    others: tuple[str, ...],
) -> Change:
    """From `one` to `other`, of which `says` tells first, or back.

    `others` are statements that are true of neither way, whoever judges: noise, for one, could be taken for
    rough surfaces, and darker for a shift of a tinted background's colour.
    """
    before, after = Shot(scene, one), Shot(scene, other)
    right, back = says
    if rng.random() < 0.5:
        before, after, right, back = after, before, back, right
    return Change(before, after, right, (back, rng.choice(others)))


def _a_scene(rng: Random, *, plain: bool = False) -> Scene:
    """Some shapes; without stripes if `plain`."""
    looks = distinct_looks(rng, rng.randint(4, 7))
    figures = scattered(rng, looks, [rng.uniform(16, 30) for _ in looks], overlap=BUSY)
    if plain:
        figures = tuple(replace(figure, striped=False) for figure in figures)
    return Scene(figures, a_background(rng))
