"""The built-in pairs as a set: VDiff-Bench's categories and options, in an order that favours no label."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

from vlbench.benchmarks.benchmark import Row, RowDrawer
from vlbench.benchmarks.drawn.diff_change import Change
from vlbench.benchmarks.drawn.diff_treat import Shot, Treatment
from vlbench.benchmarks.drawn.scene import Scene
from vlbench.benchmarks.shapes_diff import SHAPES_DIFF
from vlbench.benchmarks.vdiff_options import NullOption
from vlbench.media.inspect import inspect

Drawn = Callable[[RowDrawer], tuple[list[Row], bytes]]

SEMANTIC = {
    "position",
    "motion",
    "regional image color",
    "appearance/disappearance",
    "substitution/size",
    "OCR/text",
}
LOW_LEVEL = {"overall image color", "noise/resolution", "texture", "illumination"}


@pytest.fixture(scope="module")
def full(drawn: Drawn) -> tuple[list[Row], bytes]:
    assert SHAPES_DIFF.draw is not None
    return drawn(SHAPES_DIFF.draw)


def test_eight_samples_of_each_category_in_its_group(full: tuple[list[Row], bytes]) -> None:
    rows = full[0]
    assert len(rows) == SHAPES_DIFF.size == 80
    expected = {("semantic", name) for name in SEMANTIC} | {("low-level", name) for name in LOW_LEVEL}
    assert Counter(row.sample.categories for row in rows) == dict.fromkeys(expected, 8)


def test_each_label_is_right_and_says_nothing_differs_equally_often(full: tuple[list[Row], bytes]) -> None:
    samples = [row.sample for row in full[0]]
    assert set(Counter((s.categories, s.gold) for s in samples).values()) == {2}
    assert set(Counter((s.categories, s.null_label) for s in samples).values()) == {2}


def test_one_fixed_option_says_that_nothing_differs_and_is_never_right(
    full: tuple[list[Row], bytes],
) -> None:
    samples = [row.sample for row in full[0]]
    null = NullOption.of(sample.options.values() for sample in samples)
    for sample in samples:
        assert list(sample.options) == ["A", "B", "C", "D"]
        assert len(set(sample.options.values())) == 4
        assert null.label(sample.options) == sample.null_label != sample.gold
    assert len({sample.options[sample.null_label] for sample in samples}) == 1


def test_two_different_pictures_of_one_size_to_each_question(full: tuple[list[Row], bytes]) -> None:
    rows, pictures = full
    for row in rows:
        before, after = (pictures[span.offset : span.offset + span.length] for span in row.pictures)
        assert before != after
        for picture in (inspect(before), inspect(after)):
            assert (picture.media_type, picture.width, picture.height) == ("image/png", 320, 240)


def test_pictures_that_do_not_differ_are_no_change() -> None:
    shot = Shot(Scene(()), Treatment(noise=2))
    with pytest.raises(ValueError, match="do not differ"):
        Change(shot, shot, "a", ("b", "c"))
    with pytest.raises(ValueError, match="four different options"):
        Change(shot, Shot(Scene(())), "a", ("a", "c"))
