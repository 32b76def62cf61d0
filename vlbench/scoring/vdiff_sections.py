"""What is reported of questions about the difference of two pictures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from vlbench.scoring.accuracy import Accuracy, accuracy_row
from vlbench.scoring.facts import Path
from vlbench.scoring.intervals import wilson
from vlbench.scoring.metrics import Ground
from vlbench.scoring.position_bias import label_use
from vlbench.scoring.section import Figure, Line, Section, count, share
from vlbench.scoring.vdiff import (
    LOW_LEVEL,
    SEMANTIC,
    TEXTUAL,
    ErrorCounts,
    error_counts,
    pair_score,
    three_way,
)

_ERRORS: Final = (
    "Missed: answered that nothing differs. Competing: chose a false difference. Both of the wrong answers "
    "that were read, and of all questions. No answer: unparsed, refused, cut off or failed; in neither. Of "
    "random wrong answers to four options a third is missed."
)
_HONEST: Final = (
    "Without the pictures, or with two equal grey ones, that nothing differs is the honest answer, and it is "
    "never the gold: read every score without the image beside its share of missed changes."
)
_SPLITS: Final = (
    "Micro: right / all questions. Macro: unweighted mean over the categories. The two-way split counts text "
    "as semantic; the three-way split sets it apart."
)
_LABELS: Final = (
    "p: chance of choices so far from the golds' own distribution if no label were preferred (test of "
    "Stuart and Maxwell); below 0.05 the model prefers some labels."
)
_NULL: Final = "A preference for the option itself is the same at every position; one for a label is not."


def sections(ground: Ground) -> tuple[Section, ...]:
    """Errors, splits, sources, image pairs and labels of every arm."""
    if not ground.arms:
        return ()
    made = (
        _errors(ground, depths=(0, 1), by="group"),
        _splits(ground),
        _errors(ground, depths=(2,), by="category"),
        _parts(ground, "sources", "Accuracy by source", "source", ground.sources),
        _pairs(ground),
        _labels(ground),
        _null_positions(ground),
    )
    return tuple(section for section in made if section.lines)


def _errors(ground: Ground, *, depths: tuple[int, ...], by: str) -> Section:
    facts = ground.facts()
    levels = [facts.levels[depth] for depth in depths if depth < len(facts.levels)]
    lines = [
        Line(arm.variant, arm.condition.id, (path[-1] if path else "all",), _error_figures(counts))
        for arm in ground.arms
        for level in levels
        for path, counts in error_counts(ground, arm, level).items()
    ]
    blind = any(not arm.condition.has_image for arm in ground.arms)
    return Section(
        id=f"errors-by-{by}",
        title=f"Missed and competing changes by {by}",
        names=(by,),
        columns=("n", "right", "missed/wrong", "missed/all", "competing/wrong", "competing/all", "no answer"),
        lines=tuple(lines),
        notes=((_ERRORS, _HONEST) if blind else (_ERRORS,)) if by == "group" else (),
        wide=("competing/wrong", "competing/all"),
        brief=by == "group",
    )


def _error_figures(counts: ErrorCounts) -> tuple[Figure, ...]:
    return (
        count(counts.total),
        share(counts.right, counts.total),
        share(counts.missed, counts.wrong, counts.missed_of_wrong),
        share(counts.missed, counts.total, counts.missed_of_all),
        share(counts.competing, counts.wrong),
        share(counts.competing, counts.total),
        count(counts.silent),
    )


def _splits(ground: Ground) -> Section:
    """Micro and macro accuracy of the groups, in two ways and in three."""
    known = {SEMANTIC, TEXTUAL, LOW_LEVEL}
    split = {"two-way": ground.categories, "three-way": [three_way(path) for path in ground.categories]}
    lines = [
        Line(
            arm.variant, arm.condition.id, (name, one.path[0]), _micro_macro(one.accuracy, one.mean_of_parts)
        )
        for arm in ground.arms
        for name, categories in split.items()
        for one in accuracy_row(ground.facts(categories), arm).categories
        if len(one.path) == 1 and one.path[0] in known
    ]
    return Section("groups", "Groups", ("split", "group"), ("n", "micro", "macro"), tuple(lines), (_SPLITS,))


def _micro_macro(accuracy: Accuracy, macro: float | None) -> tuple[Figure, ...]:
    return (*_accuracy(accuracy), Figure(macro))


def _accuracy(accuracy: Accuracy) -> tuple[Figure, Figure]:
    return count(accuracy.total), Figure(accuracy.value, interval=accuracy.interval, of=accuracy.total)


def _parts(ground: Ground, id: str, title: str, name: str, parts: Iterable[str]) -> Section:
    """Accuracy by something that every sample has one of; empty where none has any."""
    paths: list[Path] = [(part,) if part else () for part in parts]
    lines: list[Line] = []
    if any(paths):
        facts = ground.facts(paths)
        for arm in ground.arms:
            rows = accuracy_row(facts, arm).categories
            lines += [Line(arm.variant, arm.condition.id, one.path, _accuracy(one.accuracy)) for one in rows]
    return Section(id, title, (name,), ("n", "accuracy"), tuple(lines))


def _pairs(ground: Ground) -> Section:
    lines = []
    for arm in ground.arms:
        score = pair_score(ground, arm)
        value = score.right / score.size if score.size else None
        interval = None if value is None else wilson(value, score.size / len(arm.repeats))
        figure = Figure(value, interval=interval, of=score.size)
        lines.append(Line(arm.variant, arm.condition.id, (), (count(score.size), figure)))
    return Section(
        "image-pairs",
        "Image pairs all of whose questions are right",
        (),
        ("pairs", "all right"),
        tuple(lines),
        (f"{ground.size:,} questions are about {len(set(ground.groups)):,} pairs of images.",),
    )


def _labels(ground: Ground) -> Section:
    labels = sorted(set(ground.golds) | (set(ground.labels) - {""}) | (set(ground.null_labels) - {""}))

    def lines() -> Iterator[Line]:
        for arm in ground.arms:
            use = label_use(ground, arm, labels)
            yield Line(arm.variant, arm.condition.id, ("gold",), (*_shares(use.golds), Figure(None, "p")))
            yield Line(
                arm.variant, arm.condition.id, ("chosen",), (*_shares(use.chosen), Figure(use.p_value, "p"))
            )

    return Section(
        "labels", "Gold and chosen labels", ("label is",), (*labels, "p"), tuple(lines()), (_LABELS,)
    )


def _shares(counts: tuple[int, ...]) -> Iterator[Figure]:
    whole = sum(counts)
    return (share(part, whole) for part in counts)


def _null_positions(ground: Ground) -> Section:
    """How often the no-difference option is chosen where it stands."""
    facts = ground.facts([(label,) if label else () for label in ground.null_labels])
    lines = [
        Line(arm.variant, arm.condition.id, path, _null_figures(counts))
        for arm in ground.arms
        for level in facts.levels[1:]
        for path, counts in error_counts(ground, arm, level).items()
    ]
    return Section(
        "null-positions",
        "Position of the no-difference option",
        ("it is",),
        ("n", "right", "chosen"),
        tuple(lines),
        (_NULL,),
    )


def _null_figures(counts: ErrorCounts) -> tuple[Figure, ...]:
    return count(counts.total), share(counts.right, counts.total), share(counts.nothing, counts.total)
