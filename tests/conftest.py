"""Fixtures every test may use."""

from __future__ import annotations

import pytest


@pytest.fixture
def anyio_backend() -> str:
    """The engine runs on asyncio."""
    return "asyncio"
