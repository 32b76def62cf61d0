"""What a view may do beside looking, and how it was left."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from vlbench.tui.steering import Steering

Farewell = Literal["closed", "detached", "stopping"]
"""How a view was left: there was nothing to leave running; it goes on; it was told to stop."""


@dataclass(frozen=True, slots=True)
class Powers:
    """What a view may do beside looking.

    `steering` None makes it read-only. `write_report` writes the report of the run as it stands and returns
    where. `closes_at_end` closes the view when the run ends, for whoever has another run to show.
    """

    steering: Steering | None = None
    write_report: Callable[[], Path] | None = None
    closes_at_end: bool = False
