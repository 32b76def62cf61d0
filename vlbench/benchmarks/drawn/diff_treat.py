"""Changes to a whole picture as a camera or a filter makes them: noise, blur, colour, light, surfaces."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

from vlbench.benchmarks.drawn.draw import GROUNDS, encoded, picture
from vlbench.benchmarks.drawn.scene import Scene

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    from PIL.Image import Image

    Values = npt.NDArray[np.float64]

# So many uniform bytes added up are close to a normal distribution, and the same on every machine.
_BYTES_PER_DRAW = 6
_BYTE_VARIANCE = (256**2 - 1) / 12
# Surfaces are smoothed this far inside their outlines, which stay sharp.
_RIM = 7


@dataclass(frozen=True, slots=True)
class Treatment:
    """What is done to a drawn picture, in this order; a default leaves it as it is.

    `grain` is the standard deviation of a fine texture on everything but the background, drawn from
    `grain_seed`; `smooth` the radius in pixels by which surfaces are blurred inside their outlines; `shrink`
    the factor by which the resolution is lowered; `tint` is added to red, green and blue; every value v of
    0..1 becomes gain * v ** gamma; `noise` is the standard deviation of noise on every value, drawn from
    `noise_seed`. Standard deviations and tints are in steps of 0..255.
    """

    grain: float = 0.0
    smooth: float = 0.0
    shrink: float = 1.0
    tint: tuple[float, float, float] = (0.0, 0.0, 0.0)
    gamma: float = 1.0
    gain: float = 1.0
    noise: float = 0.0
    grain_seed: int = 0
    noise_seed: int = 0


@dataclass(frozen=True, slots=True)
class Shot:
    """One picture of a pair: what it shows, and what was done to it."""

    scene: Scene
    treatment: Treatment = Treatment()

    def png(self) -> bytes:
        """The picture as an 8-bit RGB PNG; the same shot gives the same bytes with the same Pillow."""
        drawn = picture(self.scene)
        if self.treatment != Treatment():
            drawn = _treated(drawn, self.treatment, GROUNDS[self.scene.background])
        return encoded(drawn)


def _treated(image: Image, treatment: Treatment, ground: tuple[int, int, int]) -> Image:
    import numpy as np
    from PIL import Image

    if treatment.grain or treatment.smooth:
        image = _with_surface(image, treatment, ground)
    if treatment.shrink != 1:
        small = (round(image.width / treatment.shrink), round(image.height / treatment.shrink))
        image = image.resize(small, Image.Resampling.BOX).resize(image.size, Image.Resampling.BILINEAR)
    values = np.asarray(image).astype(np.float64) + np.array(treatment.tint)
    if (treatment.gamma, treatment.gain) != (1, 1):
        values = 255 * treatment.gain * (values.clip(0, 255) / 255) ** treatment.gamma
    if treatment.noise:
        values += treatment.noise * _normal(treatment.noise_seed, values.shape)
    return Image.fromarray(values.round().clip(0, 255).astype(np.uint8))


def _with_surface(image: Image, treatment: Treatment, ground: tuple[int, int, int]) -> Image:
    """Texture on everything that is not background, smoothed where asked."""
    import numpy as np
    from PIL import Image, ImageFilter

    pixels = np.asarray(image).astype(np.float64)
    covered = (pixels != np.array(ground)).any(axis=2)
    grains = treatment.grain * _normal(treatment.grain_seed, covered.shape)
    pixels[covered] += grains[covered][:, None]
    rough = Image.fromarray(pixels.round().clip(0, 255).astype(np.uint8))
    if not treatment.smooth:
        return rough
    inside = Image.fromarray(covered.astype(np.uint8) * 255).filter(ImageFilter.MinFilter(_RIM))
    rough.paste(rough.filter(ImageFilter.GaussianBlur(treatment.smooth)), mask=inside)
    return rough


def _normal(seed: int, shape: tuple[int, ...]) -> Values:
    """Nearly normal values of mean 0 and variance 1; not numpy's, whose streams change with its version."""
    import numpy as np

    drawn = np.frombuffer(Random(seed).randbytes(int(np.prod(shape)) * _BYTES_PER_DRAW), np.uint8)
    sums = drawn.reshape(*shape, _BYTES_PER_DRAW).sum(axis=-1, dtype=np.int64)
    values: Values = (sums - 127.5 * _BYTES_PER_DRAW) / (_BYTES_PER_DRAW * _BYTE_VARIANCE) ** 0.5
    return values
