"""The built-in pairs as a set: VDiff-Bench's categories and options, in an order that favours no label."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from pathlib import Path

import pytest

from vlbench.benchmarks.benchmark import Row
from vlbench.benchmarks.drawn.diff_change import Change
from vlbench.benchmarks.drawn.diff_treat import Shot, Treatment
from vlbench.benchmarks.drawn.scene import Scene
from vlbench.benchmarks.pack import Pack
from vlbench.benchmarks.registry import find_benchmark
from vlbench.benchmarks.shapes_diff import SHAPES_DIFF, shapes_diff
from vlbench.benchmarks.vdiff_options import NullOption
from vlbench.media.inspect import inspect

SEMANTIC = {
    "position",
    "motion",
    "regional image color",
    "appearance/disappearance",
    "substitution/size",
    "OCR/text",
}
LOW_LEVEL = {"overall image color", "noise/resolution", "texture", "illumination"}


def drawn(path: Path, size: int, seed: int = 7) -> tuple[list[Row], bytes]:
    draw = shapes_diff(size, seed).draw
    assert draw is not None
    with Pack(path) as pack:
        rows = list(draw(pack))
    return rows, path.read_bytes()


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[Row], bytes]:
    draw, path = SHAPES_DIFF.draw, tmp_path_factory.mktemp("shapes-diff") / "pictures.bin"
    assert draw is not None
    with Pack(path) as pack:
        return list(draw(pack)), path.read_bytes()


def test_the_registry_knows_it() -> None:
    assert find_benchmark("shapes-diff") is SHAPES_DIFF


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


def test_the_same_seed_gives_the_same_bytes_and_another_one_others(tmp_path: Path) -> None:
    rows, pictures = drawn(tmp_path / "one", 10)
    again, pictures_again = drawn(tmp_path / "two", 10)
    others, other_pictures = drawn(tmp_path / "three", 10, seed=8)
    assert ([r.sample for r in rows], pictures) == ([r.sample for r in again], pictures_again)
    assert pictures != other_pictures
    assert [r.sample.options for r in rows] != [r.sample.options for r in others]


def test_a_larger_set_begins_with_the_smaller_one(tmp_path: Path) -> None:
    rows, pictures = drawn(tmp_path / "small", 5)
    larger, more_pictures = drawn(tmp_path / "large", 12)
    assert [r.sample for r in larger[:5]] == [r.sample for r in rows]
    assert more_pictures.startswith(pictures)


def test_pictures_that_do_not_differ_are_no_change() -> None:
    shot = Shot(Scene(()), Treatment(noise=2))
    with pytest.raises(ValueError, match="do not differ"):
        Change(shot, shot, "a", ("b", "c"))
    with pytest.raises(ValueError, match="four different options"):
        Change(shot, Shot(Scene(())), "a", ("a", "c"))


def test_a_changed_question_is_a_new_version(full: tuple[list[Row], bytes]) -> None:
    """Published numbers name the version: whoever changes a question raises it, and this digest with it."""
    content = [[s.question, s.options, s.gold, s.categories] for s in (row.sample for row in full[0])]
    digest = hashlib.sha256(json.dumps(content).encode()).hexdigest()
    assert (SHAPES_DIFF.version, digest[:16]) == ("1", "3e743df6a753d3d2")
