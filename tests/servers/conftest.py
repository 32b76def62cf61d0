"""Servers nobody here wrote, and a workspace to run against them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.servers.workspace import Workspace

KEYS = {
    "OPENAI_API_KEY": "sk-openai-0123456789",
    "ANTHROPIC_API_KEY": "sk-anthropic-0123456789",
    "GEMINI_API_KEY": "gemini-0123456789",
}


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """A workspace without entries of its own, with a key for each of the three vendors."""
    folder = tmp_path / "workspace"
    (folder / "providers").mkdir(parents=True)
    (folder / "providers" / "none.toml").write_text("", encoding="utf-8")
    kept = {name: value for name, value in os.environ.items() if not name.startswith("VLBENCH_")}
    return Workspace(folder, {**kept, **KEYS, "XDG_CONFIG_HOME": str(tmp_path / "config"), "COLUMNS": "100"})
