"""What an exit code means; the same for every command that runs something."""

from __future__ import annotations

from collections.abc import Sequence

from vlbench.state.events import RunStatus

EXIT_CODES: dict[RunStatus, int] = {"complete": 0, "partial": 3, "budget": 4, "interrupted": 130}


def worst(codes: Sequence[int]) -> int:
    """The exit code of several runs together: the one that most needs somebody to look."""
    return max(codes, default=0)
