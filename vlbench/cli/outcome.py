"""What an exit code means; the same for every command that runs something."""

from __future__ import annotations

from collections.abc import Sequence

from vlbench.state.events import RunEnded, RunStatus

EXIT_CODES: dict[RunStatus, int] = {"complete": 0, "partial": 3, "budget": 4, "interrupted": 130}


def how_to_go_on(ended: RunEnded) -> str:
    """What to type after a run that is not complete."""
    if ended.status == "budget" and "$" in ended.message:
        return "Run the same command with a higher --max-cost to go on; what was answered is not asked again."
    return "Run the same command again to go on; what was answered is not asked again."


def worst(codes: Sequence[int]) -> int:
    """The exit code of several runs together: the one that most needs somebody to look."""
    return max(codes, default=0)
