"""Text, Image and Group score of samples that ask four questions (Winoground, VisMin).

T counts samples whose two questions about a picture are right, I those whose two questions about a caption
are, G those with all four. T. Thrush et al., "Winoground" (CVPR 2022, arXiv 2204.03162); R. Awal et al.,
"VisMin" (NeurIPS 2024, arXiv 2407.16772).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Final

from vlbench.scoring.arm import Arm
from vlbench.scoring.codes import Code
from vlbench.scoring.metrics import Ground

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    IntArray = NDArray[np.int64]

ROLES: Final = ("text_0", "text_1", "image_0", "image_1")
ORDERS: Final = ("", "-reversed")
"""What stands behind a role: nothing, or that its two choices come in the other order."""


@dataclass(frozen=True, slots=True)
class QuadScore:
    """How many of `size` samples have both text questions right, both image questions, and all four."""

    size: int
    text: int
    image: int
    group: int

    @property
    def fractions(self) -> tuple[float | None, float | None, float | None]:
        """T, I and G as fractions; None without samples."""
        if not self.size:
            return None, None, None
        return self.text / self.size, self.image / self.size, self.group / self.size


@dataclass(frozen=True, slots=True)
class QuadMeans:
    """The averages of a set by their names, fractions; every category weighs the same, whatever its size.

    `text`, `image` and `group` are means over the categories. `cells` is the mean of all cells (category x
    T, I, G), which VisMin prints as AVG in most rows; `group` is what it prints there in others.
    """

    text: float | None
    image: float | None
    group: float | None
    cells: float | None


def quad_means(scores: Sequence[QuadScore]) -> QuadMeans:
    """The averages over categories, of which those without any sample are left out."""
    cells = [one.fractions for one in scores if one.size]
    if not cells:
        return QuadMeans(None, None, None, None)
    text, image, group = (fmean(value or 0.0 for value in column) for column in zip(*cells, strict=True))
    return QuadMeans(text, image, group, fmean((text, image, group)))


@dataclass(frozen=True, slots=True, eq=False)
class Quads:
    """The samples of a run that are complete quads.

    `ordinals` (orders, quads, 4) are the samples in the order of `ROLES`; `category` (quads,) is a place in
    `categories`. `torn` counts groups of which only a part is in the run.
    """

    ordinals: IntArray
    category: IntArray
    categories: tuple[str, ...]
    torn: int

    @classmethod
    def of(cls, ground: Ground) -> Quads:
        """Find the quads by group and role."""
        import numpy as np

        members: dict[str, dict[str, int]] = {}
        for ordinal, (group, role) in enumerate(zip(ground.groups, ground.roles, strict=True)):
            if role:
                members.setdefault(group, {})[role] = ordinal
        orders = ORDERS if any(role.endswith(ORDERS[1]) for role in ground.roles) else ORDERS[:1]
        wanted = [tuple(role + order for role in ROLES) for order in orders]
        whole = [one for one in members.values() if all(role in one for roles in wanted for role in roles)]
        ordinals = np.array(
            [[[one[role] for role in roles] for one in whole] for roles in wanted], dtype=np.int64
        ).reshape(len(orders), len(whole), len(ROLES))
        names = [_category(ground, one[ROLES[0]]) for one in whole]
        categories = tuple(dict.fromkeys(sorted(names)))
        place = {name: at for at, name in enumerate(categories)}
        category = np.array([place[name] for name in names], dtype=np.int64)
        return cls(ordinals, category, categories, len(members) - len(whole))

    def scores(self, arm: Arm, size: int) -> dict[str, QuadScore]:
        """The scores of one arm by category.

        Repeats, and the two orders of a counterbalanced set, each count as a sample of their own, so the
        fractions are averages over them. A quad with a question that is still pending is left out;
        everything else that is not right counts as not right.
        """
        import numpy as np

        grid = arm.grid(size)[:, self.ordinals]  # (repeats, orders, quads, 4)
        done = (grid != Code.PENDING).all(axis=(1, 3))[:, None, :] & np.ones(grid.shape[:3], dtype=bool)
        right = grid == Code.RIGHT
        text, image = right[..., :2].all(axis=-1) & done, right[..., 2:].all(axis=-1) & done

        def by_category(hits: NDArray[np.bool_]) -> list[int]:
            sums = np.bincount(self.category, hits.sum(axis=(0, 1)), len(self.categories))
            return [round(value) for value in sums.tolist()]

        columns = zip(*map(by_category, (done, text, image, text & image)), strict=True)
        return {name: QuadScore(*row) for name, row in zip(self.categories, columns, strict=True)}


def _category(ground: Ground, ordinal: int) -> str:
    """The category of a quad: the path of its questions without its last level, which is the task."""
    return " / ".join(ground.categories[ordinal][:-1])
