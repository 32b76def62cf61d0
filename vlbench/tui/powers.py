"""What a view may do beside looking, and how it was left."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from vlbench.store.why import Explanation
from vlbench.tui.steering import Steering

WhyMissed = Callable[[str, Callable[[], bool]], Explanation | None]
"""Why the request behind a key was not in the cache. Takes seconds: for a thread; the second argument says
when to give up."""

Farewell = Literal["closed", "detached", "stopping"]
"""How a view was left: there was nothing to leave running; it goes on; it was told to stop."""


@dataclass(frozen=True, slots=True)
class Powers:
    """What a view may do beside looking.

    `steering` None makes it read-only. `write_report` writes the report of the run as it stands and returns
    where. `why_missed` looks into the cache of the run. `closes_at_end` closes the view when the run ends,
    for whoever has another run to show.
    """

    steering: Steering | None = None
    write_report: Callable[[], Path] | None = None
    why_missed: WhyMissed | None = None
    closes_at_end: bool = False
