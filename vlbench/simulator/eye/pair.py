"""Says what differs between two pictures, and which of some statements comes nearest to that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from vlbench.simulator.eye.pair_local import local_differences
from vlbench.simulator.eye.pair_whole import whole_differences
from vlbench.simulator.eye.read import words_of
from vlbench.simulator.eye.segment import Sight, lightness, sight_of

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Values = npt.NDArray[np.float64]

# Shared words and neighbours, of all in either text, from which a statement says what was found.
ENOUGH_ALIKE = 0.3
LARGEST_SHIFT = 12
_WORDS_THAT_SAY_LITTLE = frozenset(
    {"a", "an", "the", "has", "have", "been", "is", "are", "by", "with", "its"}
)


def differences(one: Sight, other: Sight) -> list[str]:
    """What differs from the first picture to the second, in words, most certain first."""
    one, other = _aligned(one, other)
    whole = whole_differences(one.pixels, other.pixels)
    return [finding.words for finding in whole] + local_differences(one, other)


def best_statement(statements: Mapping[str, str], found: Sequence[str]) -> str | None:
    """The label of the statement that says the most certain thing that any statement says; None for none."""
    claims = {label: _features(text) for label, text in statements.items()}
    for words in found:
        said = _features(words)
        scores = {label: _likeness(said, claim) for label, claim in claims.items()}
        best = max(scores, key=lambda label: scores[label], default=None)
        if best is not None and scores[best] >= ENOUGH_ALIKE:
            return best
    return None


def _features(text: str) -> frozenset[tuple[str, ...]]:
    """Words and neighbouring words, so that "from red to blue" is not "from blue to red"."""
    words = [word for word in words_of(text) if word not in _WORDS_THAT_SAY_LITTLE]
    return frozenset([*((word,) for word in words), *pairwise(words)])


def _likeness(one: frozenset[tuple[str, ...]], other: frozenset[tuple[str, ...]]) -> float:
    return len(one & other) / len(one | other) if one | other else 0.0


def _aligned(one: Sight, other: Sight) -> tuple[Sight, Sight]:
    """Both pictures cut to what they share: of equal size, and with a small shift taken back."""
    height, width = min(one.height, other.height), min(one.width, other.width)
    dx, dy = _shift(*(lightness(sight.pixels[:height, :width]) for sight in (one, other)))
    if (one.height, one.width, dx, dy) == (other.height, other.width, 0, 0):
        return one, other
    rows, columns = height - abs(dy), width - abs(dx)
    top, left = max(-dy, 0), max(-dx, 0)
    down, right = max(dy, 0), max(dx, 0)
    return (
        sight_of(one.pixels[top : top + rows, left : left + columns]),
        sight_of(other.pixels[down : down + rows, right : right + columns]),
    )


def _shift(one: Values, other: Values) -> tuple[int, int]:
    """How far the second is to the right and down of the first, by phase correlation; (0, 0) if in doubt."""
    import numpy as np

    as_it_is = abs(one - other).mean()
    product = np.fft.rfft2(other) * np.conj(np.fft.rfft2(one))
    peaks = np.fft.irfft2(product / np.maximum(abs(product), 1e-9), one.shape)
    near = LARGEST_SHIFT
    around = np.roll(peaks, (near, near), (0, 1))[: 2 * near + 1, : 2 * near + 1]
    row, column = np.unravel_index(around.argmax(), around.shape)
    dx, dy = int(column) - near, int(row) - near
    shifted = abs(one - np.roll(other, (-dy, -dx), (0, 1))).mean()
    return (dx, dy) if shifted < 0.5 * as_it_is else (0, 0)
