"""`shapes-min`: drawn quads in the protocol of VisMin, so that it needs no download."""

from __future__ import annotations

from collections.abc import Iterator

from vlbench.benchmarks.benchmark import Benchmark, Row
from vlbench.benchmarks.drawn.draw import png
from vlbench.benchmarks.drawn.min_quads import quad
from vlbench.benchmarks.pack import Pack
from vlbench.benchmarks.quads import quad_samples

QUADS = 32
SEED = 2407


def shapes_min(quads: int = QUADS, seed: int = SEED) -> Benchmark:
    """The benchmark with four questions for each quad; a larger one begins with a smaller one's samples."""

    def draw(pack: Pack) -> Iterator[Row]:
        for number in range(1, quads + 1):
            yield from _rows(number, seed, pack)

    return Benchmark(
        name="shapes-min",
        title="shapes-min (built in): two pictures, two captions, VisMin's four categories",
        version="1",
        split=f"seed-{seed}",
        levels=("category", "task"),
        size=4 * quads,
        images_per_question=2,
        source="drawn by vlbench",
        licence="Apache-2.0",
        draw=draw,
        metrics=("quads",),
        prompts="vismin",
    )


def _rows(number: int, seed: int, pack: Pack) -> list[Row]:
    drawn = quad(number, seed)
    pictures = tuple(pack.add(png(scene)) for scene in drawn.scenes)
    return quad_samples(pictures, drawn.captions, drawn.category, drawn.id, source=f"drawn, seed {seed}")


SHAPES_MIN = shapes_min()
