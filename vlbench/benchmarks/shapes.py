"""`shapes`: the built-in benchmark, drawn from a seed, so that a first run needs no download and no key."""

from __future__ import annotations

from collections.abc import Iterator

from vlbench.benchmarks.benchmark import Benchmark, Row
from vlbench.benchmarks.drawn.draw import png
from vlbench.benchmarks.drawn.questions import question
from vlbench.benchmarks.pack import Pack
from vlbench.types import Sample

SIZE = 120
SEED = 2403


def shapes(size: int = SIZE, seed: int = SEED) -> Benchmark:
    """The benchmark with `size` samples; a larger one begins with the samples of a smaller one."""

    def draw(pack: Pack) -> Iterator[Row]:
        for number in range(1, size + 1):
            yield _row(number, seed, pack)

    return Benchmark(
        name="shapes",
        title="shapes (built in): coloured shapes, four options, MMStar's six capabilities",
        version="1",
        split=f"seed-{seed}",
        levels=("capability", "axis"),
        size=size,
        images_per_question=1,
        source="drawn by vlbench",
        licence="Apache-2.0",
        draw=draw,
    )


def _row(number: int, seed: int, pack: Pack) -> Row:
    drawn = question(number, seed)
    sample = Sample(
        id=drawn.id,
        question=drawn.question,
        options=drawn.options,
        gold=drawn.gold,
        categories=(drawn.category, drawn.axis),
        source=f"drawn, seed {seed}",
    )
    return Row(sample, (pack.add(png(drawn.scene)),))


SHAPES = shapes()
