"""What the three built-in benchmarks promise alike: they are the same everywhere, and grow at their end."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator
from functools import partial

import pytest

from vlbench.benchmarks import shapes, shapes_diff, shapes_min
from vlbench.benchmarks.benchmark import Benchmark, Row, RowDrawer
from vlbench.benchmarks.drawn import diff_questions, min_quads, questions
from vlbench.benchmarks.pack import Pack
from vlbench.benchmarks.registry import find_benchmark

Drawn = Callable[[RowDrawer], tuple[list[Row], bytes]]
DrawRows = Callable[[int, int, Pack], Iterator[Row]]

SHAPES, SHAPES_DIFF, SHAPES_MIN = shapes.SHAPES, shapes_diff.SHAPES_DIFF, shapes_min.SHAPES_MIN
EACH = pytest.mark.parametrize(
    "draw_rows",
    [shapes.draw_rows, shapes_diff.draw_rows, shapes_min.draw_rows],
    ids=["shapes", "shapes-diff", "shapes-min"],
)


@pytest.mark.parametrize("known", [SHAPES, SHAPES_DIFF, SHAPES_MIN], ids=lambda known: known.name)
def test_the_registry_knows_it(known: Benchmark) -> None:
    assert find_benchmark(known.name) is known


@EACH
def test_the_same_seed_gives_the_same_bytes_and_another_one_others(draw_rows: DrawRows, drawn: Drawn) -> None:
    rows, pictures = drawn(partial(draw_rows, 18, 7))
    again, pictures_again = drawn(partial(draw_rows, 18, 7))
    others, other_pictures = drawn(partial(draw_rows, 18, 8))
    assert ([r.sample for r in rows], pictures) == ([r.sample for r in again], pictures_again)
    assert pictures != other_pictures
    assert [r.sample.options for r in rows] != [r.sample.options for r in others]


@EACH
def test_a_larger_set_begins_with_the_smaller_one(draw_rows: DrawRows, drawn: Drawn) -> None:
    rows, pictures = drawn(partial(draw_rows, 5, 7))
    larger, more_pictures = drawn(partial(draw_rows, 12, 7))
    assert [r.sample for r in larger[: len(rows)]] == [r.sample for r in rows]
    assert more_pictures.startswith(pictures)


@pytest.mark.parametrize(
    ("known", "version", "digest"),
    [
        (SHAPES, "1", "6926b616ce8e5479"),
        (SHAPES_DIFF, "1", "3e743df6a753d3d2"),
        (SHAPES_MIN, "1", "46b10edf6c6bf940"),
    ],
    ids=["shapes", "shapes-diff", "shapes-min"],
)
def test_a_changed_question_is_a_new_version(
    known: Benchmark, version: str, digest: str, drawn: Drawn
) -> None:
    """Published numbers name the version: whoever changes a question raises it, and this digest with it."""
    assert known.draw is not None
    samples = [row.sample for row in drawn(known.draw)[0]]
    content = [[s.question, s.options, s.gold, s.categories] for s in samples]
    assert (known.version, _digest(json.dumps(content))) == (version, digest)


@pytest.mark.parametrize(
    ("item", "seed", "count", "digest"),
    [
        (questions.question, shapes.SEED, shapes.SIZE, "daecd95d45c2e14d"),
        (diff_questions.question, shapes_diff.SEED, shapes_diff.SIZE, "48588948c2ec7e6b"),
        (min_quads.quad, shapes_min.SEED, shapes_min.QUADS, "5506924a5309e284"),
    ],
    ids=["shapes", "shapes-diff", "shapes-min"],
)
def test_a_changed_picture_is_a_new_version(
    item: Callable[[int, int], object], seed: int, count: int, digest: str
) -> None:
    """What the pictures show, to a millionth of a pixel: their bytes differ from one Pillow to another."""
    shown = repr([item(number, seed) for number in range(1, count + 1)])
    assert _digest(re.sub(r"-?\d+\.\d+(e-?\d+)?", lambda found: f"{float(found[0]):.6f}", shown)) == digest


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
