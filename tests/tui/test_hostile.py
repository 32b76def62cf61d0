"""Names, questions, replies and messages from outside go through every widget and stay text."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tui.conftest import Steered, Viewer, viewing
from tests.tui.fake_run import TEXT, FakeRun, fake_run, picture, samples, variant
from vlbench.state.events import Control, LaneStopped, Warned
from vlbench.tui.dialogs import SureDialog
from vlbench.tui.inspector import Inspector
from vlbench.tui.powers import Powers
from vlbench.types import Outcome, Sample

pytestmark = pytest.mark.anyio

HOSTILE = (
    "[/] [bold red]x[/bold red] [@click=app.quit]go[/] [A] $primary {x}"
    "\x1b[2J\x1b]0;title\x07\x1b[31m\x9b31m\x08\x7f\r"
    "\u202eevil\u2066\u200b\u200d\ufeff\u2028漢字é\u0301\u0301\u0301\u0301❤\ufe0f👩\u200d👧"
)
LONG = HOSTILE + "w" * 1_000_000 + "\u202e"


@pytest.fixture
def hostile(tmp_path: Path) -> Iterator[FakeRun]:
    ref = picture(tmp_path / "p.b64").model_copy(update={"media_type": HOSTILE})
    chosen = [
        Sample.model_validate(
            {
                **sample.model_dump(),
                "id": f"{HOSTILE}{number}",
                "question": LONG if number == 0 else HOSTILE,
                "options": {"A": HOSTILE, "B": LONG, HOSTILE: "x"},
                "gold": "A",
                "categories": (HOSTILE, f"{number % 2}{HOSTILE}"),
                "images": (ref.model_dump(),),
            }
        )
        for number, sample in enumerate(samples(4))
    ]
    variants = (variant(f"gpt:{HOSTILE}"), variant(f"{HOSTILE}:x"))
    with fake_run(tmp_path / "runs", variants=variants, chosen=chosen) as run, run.directory.lock():
        run.start()
        for who in (0, 1):
            for condition in run.conditions:
                run.reply(0, who=who, condition=condition, text=LONG, label="B")
                run.reply(1, who=who, condition=condition, text=HOSTILE, label=HOSTILE)
                run.reply(
                    2, who=who, condition=condition, outcome=Outcome.UNPARSED, text=f"{HOSTILE}\n{HOSTILE}"
                )
            run.fail(3, who=who, message=LONG, kind=HOSTILE)
            run.lane(who)
        run.write(Warned(subject=HOSTILE, message=LONG))
        run.write(LaneStopped(lane=variants[1].lane, model=HOSTILE, kind=HOSTILE, message=LONG))
        run.write(Control(action=HOSTILE, detail=LONG))
        yield run


def _check(view: Viewer) -> None:
    """Whatever reaches the terminal is printable, and every line is exactly as wide as the screen."""
    for strip in view.app.screen._compositor.render_strips():
        assert strip.cell_length == view.app.size.width
        for character in strip.text:
            assert unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Zl", "Zp"), repr(strip.text)


@pytest.mark.parametrize("size", [(80, 24), pytest.param((160, 45), marks=pytest.mark.slow)])
async def test_no_text_draws_breaks_or_misleads(hostile: FakeRun, size: tuple[int, int]) -> None:
    async with viewing(hostile, Powers(steering=Steered()), size=size) as view:
        for key in ("1", "2", "s", "a", "3", "5", "6", "4"):
            await view.press(key)
            _check(view)
        await view.until(lambda: "[/]" in view.text("samples-page"))
        _check(view)
        assert "[bold red]x[/bold red]" in view.text("samples-page") or size[0] == 80
        await view.press("enter")
        await view.until(lambda: isinstance(view.app.screen, Inspector) and "[/]" in view.text("reply"))
        _check(view)
        await view.press("right")
        await view.until(lambda: "2 of 2" in view.text("inspector-title"))
        _check(view)
        assert "␛[2J" in view.text("reply")


async def test_dialogs_and_notices_take_any_text(hostile: FakeRun) -> None:
    async with viewing(hostile, Powers(steering=Steered(refusal=LONG))) as view:
        await view.press("3", "down", "x")
        await view.until(lambda: isinstance(view.app.screen, SureDialog))
        _check(view)
        await view.press("y")
        await view.until(lambda: bool(view.app._notifications))
        await view.pilot.pause()
        _check(view)


async def test_a_typed_filter_is_text_too(hostile: FakeRun) -> None:
    async with viewing(hostile) as view:
        await view.press("slash")
        await view.pilot.pause()
        await view.pilot.press(*"[/x]", "enter")
        await view.until(lambda: "[/x]" in view.text("samples-title"))
        _check(view)
        hostile.reply(3, condition=TEXT, text=LONG)
        await view.press("1")
        _check(view)
