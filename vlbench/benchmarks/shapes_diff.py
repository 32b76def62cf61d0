"""`shapes-diff`: drawn pairs of pictures in the protocol of VDiff-Bench, so that it needs no download."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from vlbench.benchmarks.benchmark import Benchmark, Row
from vlbench.benchmarks.drawn.diff_questions import question
from vlbench.benchmarks.pack import Pack
from vlbench.benchmarks.vdiff import QUESTION
from vlbench.benchmarks.vdiff_categories import category_path
from vlbench.types import Sample

SIZE = 80
SEED = 2609


def draw_rows(size: int, seed: int, pack: Pack) -> Iterator[Row]:
    """The first `size` samples; those of another seed are others."""
    for number in range(1, size + 1):
        drawn = question(number, seed)
        sample = Sample(
            id=drawn.id,
            question=QUESTION,
            options=drawn.options,
            gold=drawn.gold,
            categories=category_path(drawn.category),
            source=f"drawn, seed {seed}",
            null_label=drawn.null,
        )
        yield Row(sample, (pack.add(drawn.before.png()), pack.add(drawn.after.png())))


SHAPES_DIFF = Benchmark(
    name="shapes-diff",
    title="shapes-diff (built in): what differs between two pictures, VDiff-Bench's ten categories",
    version="1",
    split=f"seed-{SEED}",
    levels=("group", "category"),
    size=SIZE,
    images_per_question=2,
    source="drawn by vlbench",
    licence="Apache-2.0",
    draw=partial(draw_rows, SIZE, SEED),
    metrics=("differences",),
    prompts="vdiff",
)
