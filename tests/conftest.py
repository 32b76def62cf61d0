"""Fixtures every test may use."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings

# A busy machine draws examples slowly; that says nothing about the code.
# A run of all tests has a minute and a half; whoever changes a law sets its own number of examples.
settings.register_profile(
    "here", deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("here")


@pytest.fixture
def anyio_backend() -> str:
    """The engine runs on asyncio."""
    return "asyncio"
