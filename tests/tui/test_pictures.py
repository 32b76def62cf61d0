"""What the screens look like, down to the cell. For a change that is meant: VLBENCH_NEW_PICTURES=1 pytest."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.tui.conftest import Viewer, viewing
from tests.tui.fake_run import FakeRun
from vlbench.tui.inspector import Inspector

pytestmark = pytest.mark.anyio

PICTURES = Path(__file__).parent / "pictures"
SETTLED_S = 0.6


async def _compare(name: str, view: Viewer) -> None:
    """Parts of a screen arrive one after the other, so the picture is compared until it is the same."""
    path = PICTURES / f"{name}.svg"
    if os.environ.get("VLBENCH_NEW_PICTURES"):
        await view.pilot.pause(SETTLED_S)
        path.parent.mkdir(exist_ok=True)
        path.write_text(view.app.export_screenshot(), encoding="utf-8")
    expected = path.read_text(encoding="utf-8")
    await view.until(lambda: view.app.export_screenshot() == expected)


@pytest.mark.parametrize(
    ("name", "keys", "size"),
    [
        ("overview-narrow", (), (80, 24)),
        ("overview-light", ("t",), (120, 30)),
        ("categories", ("2",), (100, 20)),
        ("lanes", ("3",), (120, 20)),
    ],
)
async def test_the_screens_look_as_before(
    run: FakeRun, name: str, keys: tuple[str, ...], size: tuple[int, int]
) -> None:
    async with viewing(run, size=size) as view:
        await view.press(*keys)
        await _compare(name, view)


async def test_the_inspector_looks_as_before(run: FakeRun) -> None:
    async with viewing(run, size=(100, 18)) as view:
        await view.press("4", "enter")
        await view.until(lambda: isinstance(view.app.screen, Inspector))
        await _compare("inspector", view)
