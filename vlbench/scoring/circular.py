"""Circular evaluation: a question counts as right when it is right in every rotation of its options.

Y. Liu et al., "MMBench: Is Your Multi-modal Model an All-around Player?" (ECCV 2024, arXiv 2307.06281).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from vlbench.scoring.arm import Arm
from vlbench.scoring.codes import Code
from vlbench.scoring.gain import gain_of
from vlbench.scoring.intervals import wilson
from vlbench.scoring.metrics import Ground
from vlbench.scoring.section import Figure, Line, Section, count, share

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    BoolArray = NDArray[np.bool_]

ROTATION: Final = "rotation-"
_NOTE: Final = (
    "A question is right when it is right in every rotation of its options; what failed counts as not right. "
    "Guessing gives (1/n)^n with n options, 0.4 % for four."
)


@dataclass(frozen=True, slots=True)
class Circle:
    """One question: the ordinals of all its rotations, and its coarse category."""

    ordinals: tuple[int, ...]
    category: str


@dataclass(frozen=True, slots=True)
class Circles:
    """The questions of a run with all their rotations; `torn` counts those with some missing."""

    whole: tuple[Circle, ...]
    torn: int

    @classmethod
    def of(cls, ground: Ground) -> Circles:
        members: dict[str, dict[str, int]] = {}
        for ordinal, (group, role) in enumerate(zip(ground.groups, ground.roles, strict=True)):
            if role.startswith(ROTATION):
                members.setdefault(group, {})[role] = ordinal
        whole = []
        for roles in members.values():
            first = next(iter(roles.values()))
            if len(roles) == max(ground.options[ordinal] for ordinal in roles.values()):
                path = ground.categories[first]
                whole.append(Circle(tuple(roles.values()), path[0] if path else ""))
        return cls(tuple(whole), len(members) - len(whole))

    def right(self, arm: Arm, size: int) -> tuple[BoolArray, BoolArray]:
        """Whether each question is right and whether it is settled, (repeats, questions) both."""
        import numpy as np

        grid = arm.grid(size)
        columns = [grid[:, list(circle.ordinals)] for circle in self.whole]
        right = np.stack([(column == Code.RIGHT).all(axis=1) for column in columns], axis=1)
        settled = np.stack([(column != Code.PENDING).all(axis=1) for column in columns], axis=1)
        return right, settled


def sections(ground: Ground) -> tuple[Section, ...]:
    """The circular accuracy of every arm by coarse category, and what the picture adds to it."""
    circles = Circles.of(ground)
    if not circles.whole or not ground.arms:
        return ()
    notes = [_NOTE]
    if circles.torn:
        notes.append(f"{circles.torn:,} questions of which not all rotations are in this run are left out.")
    return (
        Section(
            id="circular",
            title="Circular accuracy: right in every rotation",
            names=("category",),
            columns=("questions", "circular accuracy"),
            lines=tuple(line for arm in ground.arms for line in _accuracies(circles, arm, ground.size)),
            notes=tuple(notes),
            brief=True,
        ),
        Section(
            id="circular-gain",
            title="MG and ML of the circular accuracy",
            names=(),
            columns=("questions", "with image", "without (ML)", "MG"),
            lines=tuple(_gains(circles, ground)),
        ),
    )


def _accuracies(circles: Circles, arm: Arm, size: int) -> Iterator[Line]:
    import numpy as np

    right, settled = circles.right(arm, size)
    names = np.array([circle.category for circle in circles.whole])
    kept = sorted(set(names) - {""})
    for name in ("all", *kept):
        here = slice(None) if name == "all" else names == name
        hits, total = int((right & settled)[:, here].sum()), int(settled[:, here].sum())
        interval = wilson(hits / total, total) if total else None
        yield Line(arm.variant, arm.condition.id, (str(name),), (count(total), share(hits, total, interval)))


def _gains(circles: Circles, ground: Ground) -> Iterator[Line]:
    """Each variant's arms with and without the pictures, over the questions settled in both."""
    for without in ground.arms:
        seen = next(
            (arm for arm in ground.arms if arm.variant == without.variant and arm.condition.show == "image"),
            None,
        )
        if without.condition.has_image or seen is None or len(seen.repeats) != len(without.repeats):
            continue
        right, settled = circles.right(seen, ground.size)
        other, other_settled = circles.right(without, ground.size)
        both = settled & other_settled
        total = int(both.sum())
        shares = [share(int((hits & both).sum()), total) for hits in (right, other)]
        values = [figure.value for figure in shares]
        gain = None if values[0] is None or values[1] is None else gain_of(values[0], values[1])
        yield Line(without.variant, without.condition.id, (), (count(total), *shares, Figure(gain)))
