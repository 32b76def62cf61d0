"""Which runs a command that only reads is about."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from vlbench.store.run_dir import RunDir, find
from vlbench.store.workspace import Workspace


def runs_dir() -> Path:
    """Where the runs of the current workspace are."""
    return Workspace.find(Path.cwd(), os.environ).runs_dir


def chosen_runs(names: Sequence[str]) -> list[RunDir]:
    """The named runs in the order given, each once; the newest when none is named. Raises StoreError."""
    directory = runs_dir()
    return list(dict.fromkeys(find(directory, name) for name in names or (None,)))
