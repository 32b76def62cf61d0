"""`shapes-min`: drawn quads in the protocol of VisMin, so that it needs no download."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from vlbench.benchmarks.benchmark import Benchmark, Row
from vlbench.benchmarks.drawn.draw import png
from vlbench.benchmarks.drawn.min_quads import quad
from vlbench.benchmarks.pack import Pack
from vlbench.benchmarks.quads import quad_samples

QUADS = 32
SEED = 2407


def draw_rows(quads: int, seed: int, pack: Pack) -> Iterator[Row]:
    """Four questions for each of the first `quads`; those of another seed are others."""
    source = f"drawn, seed {seed}"
    for number in range(1, quads + 1):
        drawn = quad(number, seed)
        pictures = tuple(pack.add(png(scene)) for scene in drawn.scenes)
        yield from quad_samples(pictures, drawn.captions, drawn.category, drawn.id, source=source)


SHAPES_MIN = Benchmark(
    name="shapes-min",
    title="shapes-min (built in): two pictures, two captions, VisMin's four categories",
    version="1",
    split=f"seed-{SEED}",
    levels=("category", "task"),
    size=4 * QUADS,
    images_per_question=2,
    source="drawn by vlbench",
    licence="Apache-2.0",
    draw=partial(draw_rows, QUADS, SEED),
    metrics=("quads",),
    prompts="vismin",
)
