"""A view on a run that was written for the test, with a clock that stands still."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from textual.pilot import Pilot

from tests.tui.fake_run import IMAGE, TEXT, FakeRun, fake_run, picture, samples, variant
from vlbench.errors import UsageError
from vlbench.state.tail import LiveRun
from vlbench.tui.app import WatchApp
from vlbench.tui.painted import Painted
from vlbench.tui.powers import Farewell, Powers
from vlbench.types import Outcome

PATIENCE = 300
ROUNDS = 3
"""How often every widget is heard after a key: from the app to the screen, to the widget, and back."""


@dataclass
class Steered:
    """Takes what the view sends to the run; refuses everything when `refusal` is set."""

    sent: list[tuple[str, dict[str, str | int]]] = field(default_factory=list)
    refusal: str = ""

    async def __call__(self, action: str, **fields: str | int) -> str:
        if self.refusal:
            raise UsageError(self.refusal)
        self.sent.append((action, fields))
        return f"{action} done"


@dataclass
class Viewer:
    """An open view and the hands on it."""

    app: WatchApp
    pilot: Pilot[Farewell]

    def text(self, part: str) -> str:
        """What the painted part of that id shows."""
        return self.app.screen.query_one(f"#{part}", Painted).painted.plain

    async def press(self, *keys: str) -> None:
        """Press keys without the pilot's waiting for an idle processor after each of them."""
        for key in keys:
            self.app.simulate_key(key)
            for _ in range(ROUNDS):
                await self.pilot.pause(0)

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait for what a thread brings; fails when it does not come within some seconds."""
        for _ in range(PATIENCE):
            if condition():
                return
            await self.pilot.pause(0.005)
            self.app.call_later(self.app.redraw)
        raise AssertionError("it did not happen")


@asynccontextmanager
async def viewing(
    run: FakeRun, powers: Powers | None = None, size: tuple[int, int] = (100, 32)
) -> AsyncIterator[Viewer]:
    """The view on `run`, caught up with its journal and with its first scores."""
    with LiveRun.open(run.directory) as live:
        app = WatchApp(live, powers, clock=lambda: 0.0)
        async with app.run_test(size=size, notifications=True) as pilot:
            viewer = Viewer(app, pilot)
            await viewer.until(lambda: app.watched.tally is not None or not app.watched.state.rows)
            await pilot.pause()
            yield viewer


@pytest.fixture
def run(tmp_path: Path) -> Iterator[FakeRun]:
    """Two providers and a base, half-way, alive, with one reply of every kind."""
    variants = (variant(), variant("gpt:sol+effort=low"), variant("local:base", base=True))
    pictured = samples(16, picture(tmp_path / "picture.b64"))
    with (
        fake_run(tmp_path / "runs", variants=variants, chosen=pictured) as made,
        made.directory.lock(),
    ):
        made.start()
        for number in range(8):
            made.reply(number, cached=number < 2)
            made.reply(number, condition=TEXT, label="A")
            made.reply(number, who=1, label="B" if number % 2 else None)
            made.reply(number, who=1, condition=TEXT, label="C")
            made.reply(number, who=2, condition=TEXT, label="D")
        made.reply(8, outcome=Outcome.REFUSED, text="I cannot help with that.")
        made.reply(9, outcome=Outcome.UNPARSED, text="Two of them, perhaps.")
        made.reply(10, outcome=Outcome.TRUNCATED, text="Let me think about every")
        made.reply(11, label="A")
        made.fail(12)
        for in_flight in (2, 5, 9, 7):
            made.lane(in_flight=in_flight)
            made.lane(1, in_flight=16 - in_flight, waiting_s=12.0)
        yield made


@pytest.fixture
def steered() -> Steered:
    return Steered()


__all__ = ["IMAGE", "TEXT", "FakeRun", "Steered", "Viewer", "viewing"]
