"""Answers a question from what was found in the picture, in words; the options are not looked at here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from vlbench.simulator.eye.read import Prompt
from vlbench.simulator.eye.segment import Patch, Sight

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

Solver = Callable[[Prompt, Sight], str | None]

# Red, yellow and blue paint, as taught in schools.
PAINTS = {
    frozenset({"red", "yellow"}): "orange",
    frozenset({"blue", "yellow"}): "green",
    frozenset({"red", "blue"}): "purple",
}


def solve(prompt: Prompt, sight: Sight) -> str | None:
    """The answer in words; None when the question is not understood or its subject is not found."""
    for words, solver in _TOPICS:
        if prompt.has(*words):
            return solver(prompt, sight)
    return None


def _background(_: Prompt, sight: Sight) -> str | None:
    return sight.background


def _layout(_: Prompt, sight: Sight) -> str | None:
    """Row, column or diagonal by how far the patches are from a line; a ring by equal distances."""
    import numpy as np

    if len(sight.patches) < 3:
        return None
    places = np.array([(p.x, p.y) for p in sight.patches])
    offsets = places - places.mean(axis=0)
    variances, axes = np.linalg.eigh(np.cov(offsets.T))
    if variances[0] < 0.03 * variances[1]:
        along, down = abs(axes[:, 1])
        if min(along, down) > 0.35:
            return "diagonal line"
        return "row" if along > down else "column"
    distances = np.hypot(offsets[:, 0], offsets[:, 1])
    return "ring" if distances.std() < 0.12 * distances.mean() else "scattered"


def _main_colour(_: Prompt, sight: Sight) -> str | None:
    return _most_common(p.colour for p in sight.patches)


def _count(prompt: Prompt, sight: Sight) -> str | None:
    """The patches of the named kinds or colours, together or as a difference."""
    groups: Sequence[str] = prompt.kinds or prompt.colours
    counts = [sum(group in (p.kind, p.colour) for p in sight.patches) for group in dict.fromkeys(groups)]
    if not counts:
        return str(len(sight.patches))
    if len(counts) == 2 and prompt.has("more", "fewer", "difference"):
        return str(abs(counts[0] - counts[1]))
    return str(sum(counts))


def _where(prompt: Prompt, sight: Sight) -> str | None:
    """A corner of the picture, or the direction from a second shape that the question names."""
    if len(prompt.looks) < 2:
        shape = _find(sight, prompt.looks[0]) if prompt.looks else None
        if shape is None:
            return None
        side = "left" if shape.x < sight.width / 2 else "right"
        return f"{'top' if shape.y < sight.height / 2 else 'bottom'} {side}"
    first, second = (_find(sight, look) for look in prompt.looks[:2])
    if first is None or second is None:
        return None
    # "Seen from the X, where is the Y": the origin follows "from", wherever that stands.
    from_at = prompt.words.index("from") if prompt.has("from") else len(prompt.words)
    origin_first = from_at < prompt.words.index(prompt.looks[0][1])
    seen, origin = (second, first) if origin_first else (first, second)
    dx, dy = seen.x - origin.x, seen.y - origin.y
    if abs(dx) > abs(dy):
        return "left" if dx < 0 else "right"
    return "above" if dy < 0 else "below"


def _what_shape(prompt: Prompt, sight: Sight) -> str | None:
    wanted = [p for p in sight.patches if p.colour in prompt.colours]
    return max(wanted, key=lambda p: p.area).kind if wanted else None


def _what_colour(prompt: Prompt, sight: Sight) -> str | None:
    wanted = [p for p in sight.patches if p.kind in prompt.kinds] or list(sight.patches)
    return max(wanted, key=lambda p: p.area).colour if wanted else None


def _extreme(prompt: Prompt, sight: Sight) -> str | None:
    if not sight.patches:
        return None
    choose = max if prompt.has("largest") else min
    return choose(sight.patches, key=lambda p: p.extent).name


def _same_colour(prompt: Prompt, sight: Sight) -> str | None:
    named = next((p for p in sight.patches if p.kind in prompt.kinds), None)
    if named is None:
        return None
    twins = [p for p in sight.patches if p is not named and p.colour == named.colour]
    return twins[0].kind if twins else None


def _next_in_row(_: Prompt, sight: Sight) -> str | None:
    """The shape that keeps the shortest repetition going."""
    row = [p.name for p in sorted(sight.patches, key=lambda p: p.x)]
    for period in range(1, len(row) // 2 + 1):
        if all(a == b for a, b in zip(row, row[period:], strict=False)):
            return row[len(row) - period]
    return row[-2] if len(row) > 1 else None


def _odd_one_out(_: Prompt, sight: Sight) -> str | None:
    """The patch whose kind or colour is rare where the others agree."""
    kinds = Counter(p.kind for p in sight.patches)
    colours = Counter(p.colour for p in sight.patches)
    if not kinds:
        return None
    if kinds.most_common(1)[0][1] >= colours.most_common(1)[0][1]:
        return min(sight.patches, key=lambda p: kinds[p.kind]).name
    return min(sight.patches, key=lambda p: colours[p.colour]).name


def _next_number(_: Prompt, sight: Sight) -> str | None:
    """Goes on with the step between the groups of patches from left to right."""
    patches = sorted(sight.patches, key=lambda p: p.x)
    if len(patches) < 2:
        return None
    # Groups are further apart than a patch and a half is wide.
    wide = 1.7 * max(p.width for p in patches)
    counts = [1]
    for before, after in pairwise(patches):
        if after.x - before.x > wide:
            counts.append(1)
        else:
            counts[-1] += 1
    return str(counts[-1] + (counts[-1] - counts[-2] if len(counts) > 1 else 1))


def _mix(_: Prompt, sight: Sight) -> str | None:
    return PAINTS.get(frozenset(p.colour for p in sight.patches))


def _heavier(_: Prompt, sight: Sight) -> str | None:
    if len(sight.patches) < 2:
        return None
    one, other = sorted(sight.patches, key=lambda p: p.area)[-2:]
    if abs(one.y - other.y) < 8:
        return "same"
    return f"{max(one, other, key=lambda p: p.y).colour} block"


def _temperature(prompt: Prompt, sight: Sight) -> str | None:
    """The top of the red column between the lowest and the highest mark beside it."""
    column = max((p for p in sight.patches if p.colour == "red"), key=lambda p: p.height, default=None)
    numbers = [int(w) for w in prompt.words if w.isdigit()]
    if column is None or len(numbers) < 2:
        return None
    low, high = min(numbers), max(numbers)
    beside = sight.dark[:, round(column.x + 0.45 * column.width + 4) :][:, :10]
    marks = _line_rows(beside.sum(axis=1) > 5)
    if len(marks) < 2:
        return None
    share = (marks[-1] - column.top) / (marks[-1] - marks[0])
    return str(round(low + share * (high - low)))


def _bar_height(prompt: Prompt, sight: Sight) -> str | None:
    """The height of a named bar over the grid's spacing, or the difference of two."""
    bars = [b for c in prompt.colours if (b := _largest(sight, c)) is not None]
    lines = _line_rows((sight.faint | sight.dark).mean(axis=1) > 0.3)
    if not bars or len(lines) < 2:
        return None
    gaps = sorted(b - a for a, b in pairwise(lines))
    unit = gaps[len(gaps) // 2]
    values = [round(bar.height / unit) for bar in bars]
    return str(abs(values[0] - values[1]) if len(values) > 1 else values[0])


def _coloured_part(prompt: Prompt, sight: Sight) -> str | None:
    """The area of one colour over the whole area within the dark frame, lines left out of both."""
    import numpy as np

    rows, columns = np.nonzero(sight.dark)
    area = sum(p.area for p in sight.patches if p.colour in prompt.colours)
    if not len(rows) or not area:
        return None
    inside = (np.ptp(rows) + 1) * (np.ptp(columns) + 1) - len(rows)
    return f"{area / inside:.3f}" if inside > 0 else None


def _find(sight: Sight, look: tuple[str, str]) -> Patch | None:
    """The patch that looks like that, else the largest one of its colour."""
    exact = next((p for p in sight.patches if (p.colour, p.kind) == look), None)
    return exact or _largest(sight, look[0])


def _largest(sight: Sight, colour: str) -> Patch | None:
    return max((p for p in sight.patches if p.colour == colour), key=lambda p: p.area, default=None)


def _most_common(names: Iterable[str]) -> str | None:
    counted = Counter(names).most_common(1)
    return counted[0][0] if counted else None


def _line_rows(marked: npt.NDArray[np.bool_]) -> list[float]:
    """The middle of every unbroken stretch of marked rows."""
    import numpy as np

    edges = np.flatnonzero(np.diff(np.concatenate([[False], marked, [False]])))
    return [(int(start) + int(end) - 1) / 2 for start, end in zip(edges[::2], edges[1::2], strict=True)]


# The first topic with a word in the question decides: narrow ones stand before wide ones.
_TOPICS: tuple[tuple[tuple[str, ...], Solver], ...] = (
    (("background", "backdrop"), _background),
    (("thermometer", "temperature"), _temperature),
    (("bar", "bars", "chart"), _bar_height),
    (("fraction", "cell", "cells"), _coloured_part),
    (("mixed", "mixing", "mix"), _mix),
    (("heavier", "weighs", "balance", "heaviest"), _heavier),
    (("sequence",), _next_number),
    (("odd", "belong", "unlike"), _odd_one_out),
    (("pattern", "continues", "next"), _next_in_row),
    (("arranged", "arrangement", "layout"), _layout),
    (("largest", "smallest"), _extreme),
    (("same", "shares", "share"), _same_colour),
    (("most", "main", "dominant"), _main_colour),
    (("many", "number", "count"), _count),
    (("where", "part", "position"), _where),
    (("colour",), _what_colour),
    (("shape", "object"), _what_shape),
)
