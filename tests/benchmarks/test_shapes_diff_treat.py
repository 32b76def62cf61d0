"""What is done to a whole picture, measured in its pixels."""

from __future__ import annotations

import io
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest
from PIL import Image

from vlbench.benchmarks.drawn.diff_treat import Shot, Treatment
from vlbench.benchmarks.drawn.draw import png
from vlbench.benchmarks.drawn.scene import Figure, Scene

SCENE = Scene((Figure("square", "blue", 160, 120, 60),), "light grey")
GROUND, SURFACE = np.s_[:40, :300], np.s_[105:135, 145:175]

Pixels = npt.NDArray[np.float64]


def seen(treatment: Treatment) -> Pixels:
    with Image.open(io.BytesIO(Shot(SCENE, treatment).png())) as image:
        return np.asarray(image).astype(float)


PLAIN = seen(Treatment())


def test_without_treatment_it_is_the_drawing() -> None:
    assert Shot(SCENE).png() == png(SCENE)


def test_noise_has_the_deviation_asked_for_and_no_mean() -> None:
    added = seen(Treatment(noise=6, noise_seed=1)) - PLAIN
    assert added[GROUND].std() == pytest.approx(6, rel=0.03)
    assert abs(added[GROUND].mean()) < 0.1
    assert np.corrcoef(added[GROUND][..., 0].ravel(), added[GROUND][..., 1].ravel())[0, 1] < 0.05


def test_noise_differs_between_seeds_and_not_between_runs() -> None:
    treatment = Treatment(noise=3, noise_seed=1)
    assert Shot(SCENE, treatment).png() == Shot(SCENE, treatment).png()
    assert Shot(SCENE, treatment).png() != Shot(SCENE, replace(treatment, noise_seed=2)).png()


def test_grain_is_on_the_shapes_alone_and_smoothing_takes_it_off() -> None:
    rough = Treatment(grain=10, grain_seed=1)
    grains, smooth = seen(rough), seen(replace(rough, smooth=1.2))
    assert (grains[GROUND] == PLAIN[GROUND]).all()
    assert (smooth[GROUND] == PLAIN[GROUND]).all()
    assert grains[SURFACE].std(axis=(0, 1)).mean() == pytest.approx(10, rel=0.15)
    assert smooth[SURFACE].std(axis=(0, 1)).mean() < 0.5 * grains[SURFACE].std(axis=(0, 1)).mean()


def test_smoothing_leaves_outlines_sharp_and_a_lower_resolution_does_not() -> None:
    def steepest(pixels: Pixels) -> float:
        return float(abs(np.diff(pixels[120], axis=0)).max())

    assert steepest(seen(Treatment(smooth=1.4))) == steepest(PLAIN)
    assert steepest(seen(Treatment(shrink=2.5))) < 0.8 * steepest(PLAIN)


def test_a_tint_is_added_to_every_pixel() -> None:
    added = seen(Treatment(tint=(10, -5, -5))) - PLAIN
    assert (added[GROUND] == (10, -5, -5)).all()


@pytest.mark.parametrize(
    ("treatment", "value"),
    [(Treatment(gain=0.8), 0.8 * 226), (Treatment(gamma=1.5), 255 * (226 / 255) ** 1.5)],
)
def test_light_changes_every_value_by_its_formula(treatment: Treatment, value: float) -> None:
    assert (seen(treatment)[GROUND][..., 0] == round(value)).all()
