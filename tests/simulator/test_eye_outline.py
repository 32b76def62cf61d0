"""Shapes are named by their outline, at any size and with a slight turn."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from PIL import Image, ImageDraw

from vlbench.benchmarks.drawn.draw import outline
from vlbench.benchmarks.drawn.scene import KINDS, Kind
from vlbench.simulator.eye.outline import kind_of, outline_of

Mask = npt.NDArray[np.bool_]


def mask_of(kind: Kind, radius: float, angle: float = 0.0) -> Mask:
    side = round(2 * radius) + 5
    image = Image.new("1", (side, side))
    ImageDraw.Draw(image).polygon(outline(kind, side / 2, side / 2, radius, angle), fill=1)
    return np.asarray(image)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("radius", [14, 20, 35, 80])
@pytest.mark.parametrize("angle", [-8, 0, 8])
def test_names_every_kind(kind: Kind, radius: float, angle: float) -> None:
    assert kind_of(mask_of(kind, radius, angle)) == kind


def test_a_full_square_is_solid_and_has_four_corners() -> None:
    square = outline_of(np.ones((40, 40), np.bool_))
    assert square.solidity == pytest.approx(1)
    assert square.roundness == pytest.approx(0.5**0.5, abs=0.05)
    assert max(range(2, 7), key=lambda k: square.waves[k]) == 4


def test_a_disc_is_round_and_has_no_corners() -> None:
    disc = outline_of(mask_of("circle", 40))
    assert disc.roundness > 0.95
    assert max(disc.waves[2:7]) < 0.02


def test_a_star_fills_about_half_of_its_hull() -> None:
    # Ten triangles with sides 1 and 0.45 at 36 degrees, over a regular pentagon.
    expected = 5 * 0.45 * np.sin(np.pi / 5) / (2.5 * np.sin(2 * np.pi / 5))
    assert outline_of(mask_of("star", 80)).solidity == pytest.approx(expected, abs=0.03)


def test_a_shape_of_one_row_is_no_error() -> None:
    assert kind_of(np.ones((1, 30), np.bool_)) in KINDS
