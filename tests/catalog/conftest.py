"""Catalogs written into temporary directories."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from vlbench.catalog.load import Catalog
from vlbench.catalog.places import Place

Write = Callable[[str, str], Path]

VENDOR = """
name = "Vendor"
wire = "chat"
urls = ["https://api.vendor.example/v1"]
key_variables = ["VENDOR_KEY"]
default_model = "eye-2"
"""


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes one file below the test's directory, as in `write("workspace/providers/x.toml", text)`."""

    def written(name: str, text: str) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    return written


@pytest.fixture
def catalog(tmp_path: Path, write: Write) -> Catalog:
    """The directories `workspace`, `user` and `shipped`; the last holds the entry `vendor`."""
    write("shipped/providers/vendor.toml", VENDOR)
    return Catalog(
        (
            Place("workspace", tmp_path / "workspace"),
            Place("user", tmp_path / "user"),
            Place("shipped", tmp_path / "shipped"),
        )
    )
