"""`shapes`: the built-in benchmark, drawn from a seed, so that a first run needs no download and no key."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from vlbench.benchmarks.benchmark import Benchmark, Row
from vlbench.benchmarks.drawn.draw import png
from vlbench.benchmarks.drawn.questions import question
from vlbench.benchmarks.pack import Pack
from vlbench.types import Sample

SIZE = 120
SEED = 2403


def draw_rows(size: int, seed: int, pack: Pack) -> Iterator[Row]:
    """The first `size` samples; those of another seed are others."""
    for number in range(1, size + 1):
        drawn = question(number, seed)
        sample = Sample(
            id=drawn.id,
            question=drawn.question,
            options=drawn.options,
            gold=drawn.gold,
            categories=(drawn.category, drawn.axis),
            source=f"drawn, seed {seed}",
        )
        yield Row(sample, (pack.add(png(drawn.scene)),))


SHAPES = Benchmark(
    name="shapes",
    title="shapes (built in): coloured shapes, four options, MMStar's six capabilities",
    version="1",
    split=f"seed-{SEED}",
    levels=("capability", "axis"),
    size=SIZE,
    images_per_question=1,
    source="drawn by vlbench",
    licence="Apache-2.0",
    draw=partial(draw_rows, SIZE, SEED),
)
