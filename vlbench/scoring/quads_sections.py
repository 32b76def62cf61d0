"""What is reported of a set of quads: T, I and G by category, and the averages by their names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from vlbench.scoring.intervals import wilson
from vlbench.scoring.metrics import Ground
from vlbench.scoring.quads import QuadMeans, Quads, QuadScore, quad_means
from vlbench.scoring.section import Figure, Line, Section, count

MEAN: Final = "mean over categories"
_CHANCE: Final = (
    "T: both questions about a picture right; I: both about a caption; G: all four. Chance: 25, 25 and 16.7 "
    "for similarities, 25, 25 and 6.3 for answers given independently."
)
_AVERAGES: Final = (
    "Every category weighs the same, whatever its size. VisMin's paper prints the mean of all cells as AVG, "
    "in three rows the mean of the G cells."
)
_WITHOUT: Final = (
    "T, I and G are — without the picture: both text questions of a sample are then the same request with "
    "two golds, so T and G are 0 by construction. MG and ML are of the single questions (chance 50)."
)


def sections(ground: Ground) -> tuple[Section, ...]:
    """T, I and G of every arm, and their averages."""
    quads = Quads.of(ground)
    if not ground.arms or not quads.categories:
        return ()
    notes = [_CHANCE]
    if len(quads.ordinals) > 1:
        notes.append("Counterbalanced: each question was asked in both orders of its choices; n counts both.")
    if quads.torn:
        notes.append(f"{quads.torn:,} samples of which not all questions are in this run are left out.")
    if len(ground.with_image().arms) < len(ground.arms):
        notes.append(_WITHOUT)
    lines: list[Line] = []
    means: list[Line] = []
    for arm in ground.arms:
        scores = quads.scores(arm, ground.size) if arm.condition.has_image else None
        overall = quad_means(list(scores.values())) if scores else QuadMeans(None, None, None, None)
        named = (arm.variant, arm.condition.id)
        if scores:
            lines += [Line(*named, (name or "all",), _cells(score)) for name, score in scores.items()]
        lines.append(Line(*named, (MEAN,), (count(_size(scores)), *_figures(overall))))
        values = (overall.cells, overall.group)
        means.append(Line(*named, (), tuple(Figure(value) for value in values)))
    return (
        Section(
            "quads",
            "Text, image and group score",
            ("category",),
            ("n", "T", "I", "G"),
            tuple(lines),
            tuple(notes),
            brief=True,
        ),
        Section(
            "quad-averages",
            "Averages of T, I and G",
            (),
            ("mean of all cells", "mean of the G cells"),
            tuple(means),
            (_AVERAGES,),
        ),
    )


def _size(scores: dict[str, QuadScore] | None) -> int:
    return sum(score.size for score in scores.values()) if scores else 0


def _cells(score: QuadScore) -> tuple[Figure, ...]:
    return (count(score.size), *(_hits(hits, score.size) for hits in (score.text, score.image, score.group)))


def _hits(hits: int, size: int) -> Figure:
    value = hits / size if size else None
    return Figure(value, interval=wilson(value, size) if value is not None else None, of=size)


def _figures(means: QuadMeans) -> Iterator[Figure]:
    return map(Figure, (means.text, means.image, means.group))
