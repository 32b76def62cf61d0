"""The short forms of `make soak`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.soak.disks import CannotMount
from tests.soak.kills import kill_often
from tests.soak.mishaps import MISHAPS


def test_five_kills_of_real_runs_lose_nothing_and_ask_nothing_twice(tmp_path: Path) -> None:
    tally = kill_often(tmp_path, 5, seed=5, say=print, samples=40)

    assert tally.kills.total() >= 5


@pytest.mark.slow
def test_thirty_kills_in_every_phase(tmp_path: Path) -> None:
    tally = kill_often(tmp_path, 30, seed=1, say=print)

    assert tally.kills.total() >= 30
    assert len(tally.kills) == 6


@pytest.mark.slow
@pytest.mark.parametrize("mishap", MISHAPS, ids=lambda mishap: mishap.__name__)
def test_a_run_survives(mishap: Callable[[Path], None], tmp_path: Path) -> None:
    try:
        mishap(tmp_path)
    except CannotMount as why:
        pytest.skip(str(why))
