"""One variant under one condition: the codes that every metric is computed from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from vlbench.scoring.codes import Code
from vlbench.types import Condition

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    CodeGrid = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Arm:
    """The codes of one variant under one condition, one array per repeat with one byte per sample ordinal.

    `cut` marks, in arrays of the same shape, answers that were committed before the reply was cut off (1)
    and all others (0); `chosen` holds the number of the label that was read (0: none). Both may be left out.
    """

    variant: str
    condition: Condition
    repeats: tuple[bytes | bytearray, ...]
    cut: tuple[bytes | bytearray, ...] = ()
    chosen: tuple[bytes | bytearray, ...] = ()

    def grid(self, size: int) -> CodeGrid:
        """A copy of the codes (repeats, size), which later changes of the arrays do not touch.

        Raises ValueError when there is no repeat, an array has another length, or a byte is no code.
        """
        if not self.repeats:
            raise ValueError(f"{self.variant} under {self.condition.id} has no repeat to score")
        grid = self._stacked(self.repeats, size)
        if grid.size and int(grid.max()) > max(Code):
            raise ValueError(f"{self.variant} under {self.condition.id} holds a byte that is no code")
        return grid

    def cut_grid(self, size: int) -> CodeGrid:
        """A copy of `cut` (repeats, size), all 0 when it was left out. Raises ValueError like `grid`."""
        return self._stacked(self.cut or (bytes(size),) * len(self.repeats), size)

    def chosen_grid(self, size: int) -> CodeGrid:
        """A copy of `chosen` (repeats, size), all 0 when it was left out. Raises ValueError like `grid`."""
        return self._stacked(self.chosen or (bytes(size),) * len(self.repeats), size)

    def _stacked(self, arrays: tuple[bytes | bytearray, ...], size: int) -> CodeGrid:
        import numpy as np

        if len(arrays) != len(self.repeats) or any(len(array) != size for array in arrays):
            raise ValueError(
                f"{self.variant} under {self.condition.id}: arrays must be {size} bytes, one per repeat"
            )
        return np.stack([np.frombuffer(array, dtype=np.uint8) for array in arrays])
