"""The inspector says why a reply was not in the cache."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.tui.conftest import Viewer, viewing
from tests.tui.fake_run import FakeRun
from tests.tui.test_hostile import HOSTILE, LONG, _check
from vlbench.errors import StoreError
from vlbench.store.why import Difference, Explanation
from vlbench.tui.details import missed
from vlbench.tui.inspector import Inspector
from vlbench.tui.powers import Powers
from vlbench.tui.samples import Samples
from vlbench.tui.sifting import Sieve

pytestmark = pytest.mark.anyio

NEAR = Explanation(False, 1234, "cd" * 32, (Difference("decoding.temperature", "0", "1"),))


@dataclass
class Looked:
    """Stands for a cache: answers every look with `found`, or with the error it is."""

    found: Explanation | StoreError | None = NEAR
    keys: list[str] = field(default_factory=list)
    goes_on: threading.Event | None = None
    given_up: bool = False

    def __call__(self, key: str, given_up: Callable[[], bool]) -> Explanation | None:
        self.keys.append(key)
        if self.goes_on is not None:
            while not self.goes_on.wait(0.005) and not given_up():
                pass
            self.given_up = given_up()
        if isinstance(self.found, StoreError):
            raise self.found
        return self.found


async def _inspect(view: Viewer, sieve: str) -> None:
    await view.press("4")
    view.app.query_one(Samples).sift(Sieve.parse(sieve))
    await view.press("enter")
    await view.until(lambda: isinstance(view.app.screen, Inspector) and bool(view.text("question")))


async def test_the_nearest_stored_request_is_shown_with_what_differs(run: FakeRun) -> None:
    looked = Looked()
    async with viewing(run, Powers(why_missed=looked), size=(110, 40)) as view:
        await _inspect(view, "refused")
        await view.until(lambda: bool(view.text("missed")))
        assert view.text("missed").splitlines() == [
            "missed    the nearest of 1,234 stored before differs in (stored → asked):",
            "          decoding.temperature: 0 → 1",
        ]
    assert looked.keys == ["ab" * 32]


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (None, "its own reply is no longer stored"),
        (Explanation(False, 0, None, ()), "nothing was stored before it was asked"),
        (Explanation(False, 1, "cd" * 32, NEAR.differences), "the one stored before differs in"),
    ],
)
def test_when_there_is_little_to_compare_with_that_is_said(found: Explanation | None, words: str) -> None:
    assert words in missed(found).plain


async def test_a_cache_that_cannot_be_read_is_named(run: FakeRun) -> None:
    looked = Looked(StoreError("There is no cache in \x1b[2J/tmp."))
    async with viewing(run, Powers(why_missed=looked), size=(110, 40)) as view:
        await _inspect(view, "refused")
        await view.until(lambda: view.text("missed") == "missed    There is no cache in [2J/tmp.")


async def test_a_hit_a_failure_and_a_view_without_a_cache_say_nothing(run: FakeRun) -> None:
    looked = Looked()
    async with viewing(run, Powers(why_missed=looked), size=(110, 40)) as view:
        await _inspect(view, "right")
        assert "cache     hit" in view.text("facts")
        await view.press("escape")
        await _inspect(view, "failed")
        await view.pilot.pause(0.4)
        assert view.text("missed") == ""
    assert looked.keys == []
    async with viewing(run, Powers(), size=(110, 40)) as view:
        await _inspect(view, "refused")
        await view.pilot.pause(0.4)
        assert "cache     miss" in view.text("facts")
        assert view.text("missed") == ""


async def test_leafing_through_samples_starts_no_look_for_each_of_them(run: FakeRun) -> None:
    looked = Looked()
    async with viewing(run, Powers(why_missed=looked), size=(110, 40)) as view:
        await _inspect(view, "right")
        await view.press("right", "right", "right", "right", "right")
        await view.until(lambda: "decoding.temperature" in view.text("missed"))
        assert "s00005" in view.text("inspector-title")
        assert len(looked.keys) == 1


@pytest.mark.parametrize("key", ["right", pytest.param("escape", marks=pytest.mark.slow)])
async def test_a_look_is_given_up_when_nobody_waits_for_it(run: FakeRun, key: str) -> None:
    looked = Looked(goes_on=threading.Event())
    async with viewing(run, Powers(why_missed=looked), size=(110, 40)) as view:
        await _inspect(view, "refused")
        await view.until(lambda: bool(looked.keys))
        await view.press(key)
        await view.until(lambda: looked.given_up)


def test_of_many_differences_the_first_are_shown() -> None:
    many = tuple(Difference(f"decoding.extra.p{number}", "1", "2") for number in range(9))
    shown = missed(Explanation(False, 3, "cd" * 32, many)).plain.splitlines()
    assert shown[0].endswith("(stored → asked, the first 6 of 9):")
    assert len(shown) == 7


async def test_no_text_in_a_difference_draws_or_breaks(run: FakeRun) -> None:
    hostile = Explanation(False, 2, "cd" * 32, (Difference(HOSTILE, HOSTILE, LONG), Difference(LONG, "", "")))
    async with viewing(run, Powers(why_missed=Looked(hostile)), size=(80, 24)) as view:
        await _inspect(view, "refused")
        await view.until(lambda: "[/] [bold red]x[/bold red]" in view.text("missed"))
        _check(view)
        await view.press("end")
        await view.until(lambda: view.app.screen.query_one("#inspector-text").scroll_offset.y > 0)
        _check(view)


def test_the_cache_of_the_run_is_looked_into(
    run: FakeRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from vlbench.cli.watching import _why_missed
    from vlbench.store.cache import CachedReply
    from vlbench.store.cache_opening import open_cache
    from vlbench.types import Reply

    monkeypatch.delenv("VLBENCH_CACHE_DIR", raising=False)
    entry = CachedReply(ingredients={"model": "m"}, reply=Reply(text="A"), created=1e9, latency_s=1.0)
    cache = open_cache(tmp_path / "chosen", on_warning=pytest.fail).cache
    cache.put("ab" * 32, entry)
    cache.close()
    manifest = run.directory.manifest()
    told = manifest.model_copy(update={"options": {"cache_dir": str(tmp_path / "chosen")}})
    assert _why_missed(run.directory, told, "ab" * 32, lambda: False) == Explanation(False, 0, None, ())
    assert _why_missed(run.directory, told, "cd" * 32, lambda: False) is None
    elsewhere = manifest.model_copy(update={"options": {"cache_dir": str(tmp_path / "none")}})
    with pytest.raises(StoreError, match="There is no cache in"):
        _why_missed(run.directory, elsewhere, "ab" * 32, lambda: False)

    # The run lies in a workspace, and is watched from outside it.
    (tmp_path / "providers").mkdir()
    (tmp_path / "providers" / "own.toml").touch()
    cache = open_cache(tmp_path / "cache", on_warning=pytest.fail).cache
    cache.put("ef" * 32, entry)
    cache.close()
    monkeypatch.chdir("/")
    found = _why_missed(run.directory, manifest, "ef" * 32, lambda: False)
    assert found == Explanation(False, 0, None, ())


def test_long_values_stand_below_each_other() -> None:
    pictures = Difference("messages[0].parts[0].image", f'"{"d5" * 30}…"', f'"{"7a" * 30}…"')
    shown = missed(Explanation(False, 3, "cd" * 32, (pictures,))).plain.splitlines()
    assert shown[1] == "          messages[0].parts[0].image"
    assert shown[2].startswith('  stored  "d5d5')
    assert shown[3].startswith('  asked   "7a7a')
    assert all(len(one) <= 60 for one in shown[2:])
