"""The short form of `make soak`: a few kills and mishaps of real runs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.soak import endurance
from tests.soak.endurance import Arena, arena


def test_a_run_that_is_killed_again_and_again_loses_nothing_and_asks_nothing_twice(tmp_path: Path) -> None:
    with arena(tmp_path) as place:
        kills = endurance.kill_and_resume(place, 4)
        place.finish()
        endurance.check_complete(place, kills)


@pytest.mark.parametrize(
    "mishap",
    [
        endurance.cut_journal,
        pytest.param(endurance.full_disk, marks=pytest.mark.slow),
        pytest.param(endurance.corrupt_cache, marks=pytest.mark.slow),
        pytest.param(endurance.two_at_once, marks=pytest.mark.slow),
    ],
)
def test_a_run_survives(mishap: Callable[[Arena], None], tmp_path: Path) -> None:
    with arena(tmp_path) as place:
        mishap(place)


@pytest.mark.slow
def test_thirty_kills(tmp_path: Path) -> None:
    assert endurance.killed_often(tmp_path, 30) >= 30
