"""The further metrics that benchmarks name, each a pure function from what is known of a run to sections."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import TYPE_CHECKING, Final, cast

from vlbench.errors import UsageError
from vlbench.scoring.arm import Arm
from vlbench.scoring.facts import Facts, Path
from vlbench.scoring.section import Section

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

METRICS: Final = {
    "quads": "vlbench.scoring.quads_sections:sections",
    "circular": "vlbench.scoring.circular:sections",
    "differences": "vlbench.scoring.vdiff_sections:sections",
}
"""Names as benchmarks and manifests have them, and where the functions are."""


@dataclass(frozen=True, slots=True, eq=False)
class Ground:
    """What every metric is computed from: the samples by ordinal, and the arms.

    The sequences have one value per sample ("" for what it has not); `groups` name the samples that belong
    together, `options` are numbers of options (0 on a broken row). `labels` are the names behind the numbers
    of `Arm.chosen`.
    """

    categories: Sequence[Path]
    groups: Sequence[str]
    golds: Sequence[str]
    options: Sequence[int]
    roles: Sequence[str]
    null_labels: Sequence[str]
    sources: Sequence[str]
    labels: Sequence[str]
    arms: tuple[Arm, ...]

    @property
    def size(self) -> int:
        return len(self.groups)

    def facts(self, categories: Sequence[Path] | None = None) -> Facts:
        """The facts of the samples, sorted into other `categories` than their own if some are given."""
        return Facts.of(
            categories=self.categories if categories is None else categories,
            groups=self.groups,
            golds=self.golds,
            options=self.options,
        )

    def numbers(self, labels: Iterable[str]) -> NDArray[np.int64]:
        """The number of every label as in `Arm.chosen`; -1 for one that nobody chose, and for ""."""
        import numpy as np

        known = {label: number for number, label in enumerate(self.labels) if label}
        return np.array([known.get(label, -1) for label in labels], dtype=np.int64)

    def with_image(self) -> Ground:
        """The same without the arms that were shown no pictures."""
        return replace(self, arms=tuple(arm for arm in self.arms if arm.condition.has_image))


Metric = Callable[[Ground], tuple[Section, ...]]


def sections_of(names: Iterable[str], ground: Ground) -> tuple[Section, ...]:
    """The sections of the metrics called `names`. Raises UsageError for a name this version does not know."""
    return tuple(section for name in names for section in metric_named(name)(ground))


def metric_named(name: str) -> Metric:
    """The metric called `name`; its module is imported only now. Raises UsageError for an unknown name."""
    try:
        module, function = METRICS[name].split(":")
    except KeyError:
        known = ", ".join(sorted(METRICS))
        raise UsageError(
            f"There is no metric {name!r}; known are {known}. Update vlbench if a newer one made the run."
        ) from None
    return cast("Metric", getattr(import_module(module), function))
