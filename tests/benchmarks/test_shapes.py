"""The built-in benchmark as a set: what it holds, in which order, and that it is the same everywhere."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from pathlib import Path

import pytest

from vlbench.benchmarks.benchmark import Row
from vlbench.benchmarks.drawn.questions import AXES
from vlbench.benchmarks.pack import Pack
from vlbench.benchmarks.registry import find_benchmark
from vlbench.benchmarks.shapes import SHAPES, shapes
from vlbench.media.inspect import inspect
from vlbench.types import Span

MMSTAR_CAPABILITIES = {
    "coarse perception",
    "fine-grained perception",
    "instance reasoning",
    "logical reasoning",
    "science & technology",
    "math",
}


def drawn(path: Path, size: int, seed: int = 7) -> tuple[list[Row], bytes]:
    draw = shapes(size, seed).draw
    assert draw is not None
    with Pack(path) as pack:
        rows = list(draw(pack))
    return rows, path.read_bytes()


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> list[Row]:
    draw = SHAPES.draw
    assert draw is not None
    with Pack(tmp_path_factory.mktemp("shapes") / "pictures.bin") as pack:
        return list(draw(pack))


def test_the_registry_knows_it() -> None:
    assert find_benchmark("shapes") is SHAPES


def test_the_same_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    rows, pictures = drawn(tmp_path / "one", 36)
    again, pictures_again = drawn(tmp_path / "two", 36)
    assert pictures == pictures_again
    assert [r.sample for r in rows] == [r.sample for r in again]


def test_another_seed_gives_other_pictures_and_questions(tmp_path: Path) -> None:
    rows, pictures = drawn(tmp_path / "one", 18, seed=1)
    others, other_pictures = drawn(tmp_path / "two", 18, seed=2)
    assert pictures != other_pictures
    assert [r.sample.options for r in rows] != [r.sample.options for r in others]


def test_a_larger_set_begins_with_the_smaller_one(tmp_path: Path) -> None:
    rows, pictures = drawn(tmp_path / "small", 12)
    larger, more_pictures = drawn(tmp_path / "large", 30)
    assert [r.sample for r in larger[:12]] == [r.sample for r in rows]
    assert more_pictures.startswith(pictures)


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


def test_the_spans_hold_whole_pictures_without_gaps(tmp_path: Path) -> None:
    rows, pictures = drawn(tmp_path / "pack", 18)
    position = 0
    for row in rows:
        (span,) = row.pictures
        assert isinstance(span, Span)
        assert span.offset == position
        position += span.length
        picture = inspect(pictures[span.offset : position])
        assert (picture.media_type, picture.width, picture.height) == ("image/png", 320, 240)
    assert position == len(pictures)


def test_a_changed_question_is_a_new_version(full: list[Row]) -> None:
    """Published numbers name the version: whoever changes a question raises it, and this digest with it."""
    content = [[r.sample.question, r.sample.options, r.sample.gold, r.sample.categories] for r in full]
    digest = hashlib.sha256(json.dumps(content).encode()).hexdigest()
    assert (SHAPES.version, digest[:16]) == ("1", "6926b616ce8e5479")
