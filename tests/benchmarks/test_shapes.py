"""The built-in benchmark as a set: what it holds, in which order, and where its pictures are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial

import pytest

from vlbench.benchmarks.benchmark import Row, RowDrawer
from vlbench.benchmarks.drawn.questions import AXES
from vlbench.benchmarks.shapes import SHAPES, draw_rows
from vlbench.media.inspect import inspect
from vlbench.types import Span

Drawn = Callable[[RowDrawer], tuple[list[Row], bytes]]

MMSTAR_CAPABILITIES = {
    "coarse perception",
    "fine-grained perception",
    "instance reasoning",
    "logical reasoning",
    "science & technology",
    "math",
}


@pytest.fixture(scope="module")
def full(drawn: Drawn) -> list[Row]:
    assert SHAPES.draw is not None
    return drawn(SHAPES.draw)[0]


def test_twenty_samples_of_each_mmstar_capability(full: list[Row]) -> None:
    assert len(full) == SHAPES.size == 120
    assert Counter(r.sample.categories[0] for r in full) == dict.fromkeys(MMSTAR_CAPABILITIES, 20)


def test_every_axis_occurs_under_its_capability(full: list[Row]) -> None:
    seen = {r.sample.categories for r in full}
    assert seen == {(capability, axis) for capability, axes in AXES.items() for axis in axes}
    assert len(SHAPES.levels) == 2


def test_each_label_is_right_equally_often_in_each_capability(full: list[Row]) -> None:
    golds = Counter((r.sample.categories[0], r.sample.gold) for r in full)
    assert set(golds.values()) == {5}
    assert len(golds) == 6 * 4


def test_ids_are_numbered_and_options_differ(full: list[Row]) -> None:
    assert [r.sample.id for r in full] == [f"shapes-{n:04d}" for n in range(1, 121)]
    for row in full:
        assert list(row.sample.options) == ["A", "B", "C", "D"]
        assert len(set(row.sample.options.values())) == 4
        assert row.sample.gold in row.sample.options
        assert row.sample.problem is None


def test_the_spans_hold_whole_pictures_without_gaps(drawn: Drawn) -> None:
    rows, pictures = drawn(partial(draw_rows, 18, 7))
    position = 0
    for row in rows:
        (span,) = row.pictures
        assert isinstance(span, Span)
        assert span.offset == position
        position += span.length
        picture = inspect(pictures[span.offset : position])
        assert (picture.media_type, picture.width, picture.height) == ("image/png", 320, 240)
    assert position == len(pictures)
