"""Patches of colour are found where they were drawn."""

from __future__ import annotations

import io
from itertools import product
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from PIL import Image

from vlbench.benchmarks.drawn.draw import png
from vlbench.benchmarks.drawn.scene import BACKGROUNDS, COLOURS, KINDS, Background, Colour, Figure, Scene
from vlbench.simulator.eye.segment import UnreadablePicture, connected, look


def grid_of(rng: Random) -> tuple[Figure, ...]:
    """Eight plain shapes, apart from each other."""
    cells = list(product((50, 120, 200, 270), (65, 175)))
    return tuple(
        Figure(kind, rng.choice(COLOURS), x, y, rng.uniform(14, 28), rng.uniform(-8, 8))
        for kind, (x, y) in zip(KINDS, cells, strict=True)
    )


@pytest.mark.parametrize("seed", range(8))
def test_every_drawn_shape_is_found_with_its_colour_kind_and_place(seed: int) -> None:
    rng = Random(seed)
    figures = grid_of(rng)
    sight = look(png(Scene(figures, rng.choice(BACKGROUNDS))))
    assert len(sight.patches) == len(figures)
    for figure in figures:
        nearest = min(sight.patches, key=lambda p: abs(p.x - figure.x) + abs(p.y - figure.y))
        assert nearest.name == figure.name
        # A star's or triangle's box is not centred on the figure's circle.
        assert abs(nearest.x - figure.x) < 4
        assert abs(nearest.y - figure.y) < 0.3 * figure.radius + 2
        assert nearest.extent == pytest.approx(2 * figure.radius, rel=0.35)


@pytest.mark.parametrize("background", BACKGROUNDS)
@pytest.mark.parametrize("colour", COLOURS)
def test_background_and_colour_are_named_together(background: Background, colour: Colour) -> None:
    sight = look(png(Scene((Figure("circle", colour, 160, 120, 30),), background)))
    assert sight.background == background
    assert [p.name for p in sight.patches] == [f"{colour} circle"]


def test_grey_is_nothing_to_see() -> None:
    buffer = io.BytesIO()
    Image.new("RGB", (64, 48), (128, 128, 128)).save(buffer, "PNG")
    sight = look(buffer.getvalue())
    assert sight.empty
    assert sight.background == "grey"


def test_a_large_photograph_is_scaled_down() -> None:
    buffer = io.BytesIO()
    Image.new("RGB", (2000, 1000), (30, 60, 200)).save(buffer, "JPEG")
    sight = look(buffer.getvalue())
    assert (sight.width, sight.height) == (640, 320)
    assert [p.colour for p in sight.patches] == ["blue"]


@pytest.mark.parametrize("cut", [0, 10, 60, 400])
def test_a_broken_picture_is_named_so(cut: int) -> None:
    whole = png(Scene((Figure("star", "red", 160, 120, 60),)))
    with pytest.raises(UnreadablePicture):
        look(whole[:cut])


def flooded(classes: list[list[int]]) -> set[frozenset[tuple[int, int]]]:
    """The connected areas by a plain flood fill."""
    left = {(y, x) for y, row in enumerate(classes) for x, value in enumerate(row) if value}
    areas = set()
    while left:
        area, border = set(), [left.pop()]
        while border:
            y, x = border.pop()
            area.add((y, x))
            for near in ((y + 1, x), (y - 1, x), (y, x + 1), (y, x - 1)):
                if near in left and classes[near[0]][near[1]] == classes[y][x]:
                    left.remove(near)
                    border.append(near)
        areas.add(frozenset(area))
    return areas


@given(arrays(np.int8, array_shapes(min_dims=2, max_dims=2, max_side=9), elements=st.integers(0, 2)))
def test_connected_areas_are_those_of_a_flood_fill(
    classes: np.ndarray[tuple[int, int], np.dtype[np.int8]],
) -> None:
    components = connected(classes)
    numbers = {int(n) for n in np.unique(components)} - {0}
    found = {frozenset((int(y), int(x)) for y, x in np.argwhere(components == n)) for n in numbers}
    assert found == flooded(classes.tolist())
    assert ((components == 0) == (classes == 0)).all()
    assert numbers == set(range(1, len(numbers) + 1))
