"""Where the cache and the runs of a command are kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import platformdirs

CACHE_VARIABLE: Final = "VLBENCH_CACHE_DIR"


@dataclass(frozen=True, slots=True)
class Workspace:
    """The directories of one command. `root` is None outside a workspace; nothing here need exist yet."""

    root: Path | None
    cache_dir: Path
    runs_dir: Path

    @classmethod
    def find(cls, cwd: Path, environ: Mapping[str, str], cache_dir: Path | None = None) -> Workspace:
        """The workspace `cwd` is, or the user's own directories when it is none.

        The cache is, first found: `cache_dir` (the option `--cache-dir`), the variable VLBENCH_CACHE_DIR,
        `cache/` of the workspace, the platform's cache directory. Relative paths are taken from `cwd`.
        """
        cwd = cwd.absolute()
        root = cwd if _has_entries(cwd / "providers") or _has_entries(cwd / "prompts") else None
        chosen = cache_dir or (Path(named) if (named := environ.get(CACHE_VARIABLE)) else None)
        if chosen is not None:
            cache = cwd / chosen.expanduser()
        else:
            cache = root / "cache" if root else Path(platformdirs.user_cache_dir("vlbench"))
        runs = root / "runs" if root else Path(platformdirs.user_data_dir("vlbench")) / "runs"
        return cls(root, cache, runs)


def _has_entries(directory: Path) -> bool:
    """Whether this is a catalog. A Python project may have a package of the same name."""
    try:
        return any(path.suffix == ".toml" for path in directory.iterdir())
    except OSError:
        return False
