"""Every screen and every key of the view."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.widgets import Input, Static

from tests.tui.conftest import Steered, Viewer, viewing
from tests.tui.fake_run import TEXT, FakeRun, fake_run, variant
from vlbench.tui.app import WatchApp
from vlbench.tui.dialogs import FilterDialog, HelpScreen, LeaveDialog, SureDialog
from vlbench.tui.inspector import Inspector
from vlbench.tui.powers import Powers
from vlbench.tui.samples import Samples
from vlbench.tui.sifting import Sieve
from vlbench.tui.themes import LIGHT
from vlbench.types import Price

pytestmark = pytest.mark.anyio


def _sift(view: Viewer, typed: str) -> None:
    view.app.query_one(Samples).sift(Sieve.parse(typed))


async def test_the_overview_shows_rows_scores_lanes_and_notes(run: FakeRun) -> None:
    async with viewing(run, size=(130, 40)) as view:
        header, matrix = view.text("header"), view.text("matrix")
        assert "shapes  16 samples × image, text" in header
        assert "▶ running" in header
        assert "45 of 80" in header
        image, text = matrix.splitlines()[2:4]
        assert image.split()[:2] == ["gemini:flash", "image"]
        assert "81%" in image
        assert "61.5" in image, "8 of 13 are right: what has no answer is not right"
        assert text.split()[0] == "text"
        assert "local:base (base)" in matrix
        scores = view.text("scores")
        assert "provisional: 16 of 32 pairs" in scores
        assert "+75.0" in scores, "8 of 8 with the picture, 2 of 8 without"
        assert "waiting 12 s (server asked)" in view.text("lanes-brief")
        assert "▃▅█▆" in view.text("lanes-brief") or "7/16" in view.text("lanes-brief")
        assert "1 of 13 requests failed" in view.text("notes")


async def test_the_header_shows_dollars_against_their_limit(tmp_path: Path) -> None:
    priced = variant().model_copy(update={"price": Price(input=100.0, output=1_000.0)})
    with fake_run(tmp_path, variants=(priced,)) as run, run.directory.lock():
        limited = {"options": {"benchmarks": ["shapes"], "max_cost": 5}}
        run.directory.manifest().model_copy(update=limited).save(run.directory.manifest_path)
        run.start()
        for number in range(6):
            run.reply(number, cached=number == 5)
        for size in ((80, 24), (130, 40)):
            async with viewing(run, size=size) as view:
                assert "spent $0.1000 / $5.00" in view.text("header")


async def test_what_happens_while_it_is_watched_is_drawn(run: FakeRun) -> None:
    async with viewing(run) as view:
        run.reply(12)
        run.reply(13)
        await view.until(lambda: "46 of 80" in view.text("header"))
        run.end("partial")
        await view.until(lambda: "◐ partial" in view.text("header"))


async def test_numbers_go_to_the_screens(run: FakeRun) -> None:
    async with viewing(run) as view:
        for key, part, words in (
            ("2", "categories-table", "perception"),
            ("3", "lanes-blocks", "in flight   7 of 16"),
            ("4", "samples-title", "wrong · 1 of 1"),
            ("5", "errors-table", "overloaded"),
            ("6", "log-lines", "started with 16 samples"),
            ("1", "matrix", "gemini:flash"),
        ):
            await view.press(key)
            assert words in view.text(part), key
            number = " ".join(view.text("tabs").split())
            assert f"{key} " in number


async def test_categories_are_sorted_and_shown_for_one_or_for_all(run: FakeRun) -> None:
    async with viewing(run, size=(120, 32)) as view:
        await view.press("2")
        assert view.text("categories-table").startswith("gemini:flash")
        names = [line.split()[0] for line in view.text("categories-table").splitlines()[2:]]
        assert names == ["perception", "colour", "shape", "reasoning", "count", "order"]
        await view.press("s")
        assert "sorted by accuracy" in view.text("categories-table")
        await view.press("right_square_bracket")
        assert view.text("categories-table").startswith("gpt:sol+effort=low")
        await view.press("a")
        table = view.text("categories-table")
        assert "All providers" in table
        assert "gemini:flash" in table.splitlines()[1]
        assert "gpt:sol" in table.splitlines()[1]


async def test_the_list_of_samples_is_sifted_moved_through_and_read_by_page(run: FakeRun) -> None:
    async with viewing(run, size=(120, 32)) as view:
        await view.press("4")
        await view.until(lambda: "Answer: A" in view.text("samples-page"))
        assert "✗ wrong" in view.text("samples-page")
        await view.press("f")
        await view.until(lambda: "I cannot help with that." in view.text("samples-page"))
        await view.press("f")
        assert "unparsed · 1 of 1" in view.text("samples-title")
        _sift(view, "right")
        assert "right · 1 of 8" in view.text("samples-title")
        await view.press("down", "j", "up")
        assert "right · 2 of 8" in view.text("samples-title")
        await view.press("end")
        assert "8 of 8" in view.text("samples-title")
        await view.press("home", "pagedown", "pageup")
        assert "1 of 8" in view.text("samples-title")
        await view.press("s")
        assert "newest first" in view.text("samples-title")
        assert "s00007" in view.text("samples-page").splitlines()[1]
        await view.press("right_square_bracket")
        assert "gemini:flash · text" in view.text("samples-title")


async def test_the_cursor_stays_on_its_sample_while_the_list_grows(run: FakeRun) -> None:
    async with viewing(run) as view:
        await view.press("4", "f")
        assert "1 of 1" in view.text("samples-title")
        for number in (14, 15):
            run.reply(number, label="A" if number % 4 else "B")
        _sift(view, "wrong")
        await view.until(lambda: "of 3" in view.text("samples-title"))
        await view.press("end")
        run.reply(13, label="A")
        await view.until(lambda: "4 of 4" in view.text("samples-title"))


async def test_a_filter_is_typed(run: FakeRun) -> None:
    async with viewing(run) as view:
        await view.press("slash")
        await view.until(lambda: isinstance(view.app.screen, FilterDialog))
        view.app.screen.query_one(Input).value = "right colour"
        await view.press("enter")
        await view.until(lambda: not isinstance(view.app.screen, FilterDialog))
        await view.until(lambda: "right colour · 1 of 2" in view.text("samples-title"))
        _sift(view, "right colour")
        assert "right colour · 1 of 2" in view.text("samples-title"), "the same filter again"
        await view.press("slash")
        await view.until(lambda: isinstance(view.app.screen, FilterDialog))
        await view.press("escape")
        await view.until(lambda: "right colour · 1 of 2" in view.text("samples-title"))


async def test_the_inspector_shows_the_sample_the_reply_and_how_it_was_read(run: FakeRun) -> None:
    async with viewing(run, size=(130, 40)) as view:
        await view.press("4", "enter")
        await view.until(lambda: isinstance(view.app.screen, Inspector))
        await view.until(lambda: "What is shown in picture 11?" in view.text("question"))
        assert "✗ wrong  s00011  gemini:flash · image" in view.text("inspector-title")
        assert "✓ D  a fish  ← gold" in view.text("question")
        assert "✗ A  a cat  ← read" in view.text("question")
        assert "Answer: A" in view.text("reply")
        assert "rule declared" in view.text("facts")
        assert "100 in, 10 out" in view.text("facts")
        assert "ab" * 32 in view.text("facts")
        await view.press("c")
        assert view.app.clipboard == "I think it is\nAnswer: A"
        await view.press("right_square_bracket")
        await view.until(lambda: "gemini:flash · text" in view.text("inspector-title"))
        assert "No reply yet." in view.text("reply")
        await view.press("escape")
        assert not isinstance(view.app.screen, Inspector)


async def test_the_inspector_goes_through_the_list_and_tells_a_failure(run: FakeRun) -> None:
    async with viewing(run, size=(80, 24)) as view:
        await view.press("4")
        _sift(view, "failed")
        assert "failed · 1 of 1" in view.text("samples-title")
        await view.press("enter")
        await view.until(
            lambda: isinstance(view.app.screen, Inspector) and "s00012" in view.text("inspector-title")
        )
        await view.until(lambda: "the server is too busy" in view.text("reply"))
        await view.press("escape")
        _sift(view, "right")
        await view.press("enter")
        await view.until(
            lambda: isinstance(view.app.screen, Inspector) and "s00000" in view.text("inspector-title")
        )
        await view.press("right")
        await view.until(lambda: "s00001" in view.text("inspector-title"))
        await view.press("left", "left")
        await view.until(lambda: "s00007" in view.text("inspector-title"))


async def test_the_mouse_chooses_and_opens_a_sample(run: FakeRun) -> None:
    async with viewing(run) as view:
        await view.press("4")
        _sift(view, "right")
        page = view.app.screen.query_one("#samples-page")
        await view.pilot.click(page, offset=(5, 3))
        assert "3 of 8" in view.text("samples-title")
        await view.pilot.click(page, offset=(5, 3))
        await view.until(lambda: isinstance(view.app.screen, Inspector))


async def test_the_mouse_chooses_a_screen_and_a_lane(run: FakeRun) -> None:
    async with viewing(run) as view:
        await view.pilot.click("#tabs", offset=(31, 0))
        await view.until(lambda: "in flight" in view.text("lanes-blocks"))
        await view.pilot.click("#lanes-blocks", offset=(10, 7))
        await view.until(lambda: "▸ gpt" in view.text("lanes-blocks"))


async def test_the_palette_offers_the_screens_and_what_may_be_done(run: FakeRun) -> None:
    async with viewing(run) as view:
        offered = {command.title for command in view.app.get_system_commands(view.app.screen)}
        assert {"Lanes", "Write the report", "Leave"} <= offered
        assert "Retry failed" not in offered, "this view only reads"


async def test_nothing_is_drawn_again_while_nothing_happens(
    run: FakeRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with viewing(run) as view:
        await view.until(lambda: "provisional" in view.text("scores"))
        drawn: list[object] = []
        monkeypatch.setattr(Static, "update", lambda *given, **_: drawn.append(given))
        for _ in range(3):
            view.app.redraw()
        assert drawn == []
        run.reply(13)
        await view.until(lambda: bool(drawn))


async def test_keys_steer_the_run_over_its_socket(run: FakeRun, steered: Steered) -> None:
    async with viewing(run, Powers(steering=steered)) as view:
        await view.press("p", "r")
        await view.until(lambda: len(steered.sent) == 2)
        await view.press("3", "down", "plus", "minus")
        await view.until(lambda: len(steered.sent) == 4)
        assert steered.sent == [
            ("pause", {}),
            ("retry", {}),
            ("set", {"lane": "gpt", "concurrency": 20}),
            ("set", {"lane": "gpt", "concurrency": 12}),
        ]
        await view.press("x")
        await view.until(lambda: isinstance(view.app.screen, SureDialog))
        await view.press("n", "x")
        await view.until(lambda: isinstance(view.app.screen, SureDialog))
        await view.press("y")
        await view.until(lambda: steered.sent[-1] == ("drop", {"lane": "gpt"}))


async def test_keys_that_steer_are_offered_while_there_is_something_to_steer(
    run: FakeRun, steered: Steered
) -> None:
    async with viewing(run, Powers(steering=steered)) as view:
        assert "p" in view.app.screen.active_bindings
        run.end()
        await view.until(lambda: "p" not in view.app.screen.active_bindings)


async def test_what_the_run_refuses_is_told(run: FakeRun) -> None:
    async with viewing(run, Powers(steering=Steered(refusal="The run is [/]stopping."))) as view:
        await view.press("p")
        await view.until(lambda: any("[/]stopping" in one.message for one in view.app._notifications))


async def test_a_view_without_control_sends_nothing_and_leaves_without_asking(run: FakeRun) -> None:
    async with viewing(run) as view:
        await view.press("p", "r", "x", "plus", "q")
        assert view.app.return_value == "detached"


async def test_leaving_asks_what_becomes_of_the_run(run: FakeRun, steered: Steered) -> None:
    async with viewing(run, Powers(steering=steered)) as view:
        await view.press("q")
        await view.until(lambda: isinstance(view.app.screen, LeaveDialog))
        await view.press("escape")
        await view.until(lambda: not isinstance(view.app.screen, LeaveDialog))
        await view.press("ctrl+c")
        await view.until(lambda: isinstance(view.app.screen, LeaveDialog))
        await view.press("d")
        await view.until(lambda: view.app.return_value == "detached")
        assert steered.sent == []


async def test_leaving_may_stop_the_run(run: FakeRun, steered: Steered) -> None:
    async with viewing(run, Powers(steering=steered)) as view:
        await view.press("q")
        await view.until(lambda: isinstance(view.app.screen, LeaveDialog))
        await view.press("s")
        await view.until(lambda: view.app.return_value == "stopping")
        assert steered.sent == [("drain", {})]


async def test_a_finished_run_is_left_without_a_question(tmp_path: Path, steered: Steered) -> None:
    with fake_run(tmp_path) as run:
        run.start()
        run.end()
        async with viewing(run, Powers(steering=steered)) as view:
            assert "✓ complete" in view.text("header")
            await view.press("q")
            await view.until(lambda: view.app.return_value == "closed")


async def test_a_run_whose_process_is_gone_says_so(tmp_path: Path) -> None:
    with fake_run(tmp_path) as run:
        run.start()
        async with viewing(run) as view:
            assert "✗ stopped dead" in view.text("header")


async def test_a_view_closes_by_itself_when_another_run_waits(run: FakeRun) -> None:
    async with viewing(run, Powers(closes_at_end=True)) as view:
        run.end()
        await view.until(lambda: view.app.return_value == "closed")


async def test_the_report_is_written_and_the_screen_is_copied(run: FakeRun, tmp_path: Path) -> None:
    written: list[Path] = []

    def write() -> Path:
        written.append(tmp_path / "report.md")
        return written[0]

    async with viewing(run, Powers(write_report=write)) as view:
        await view.press("o")
        await view.until(lambda: bool(written))
        await view.press("c")
        assert "gemini:flash" in view.app.clipboard


async def test_help_and_themes(run: FakeRun) -> None:
    async with viewing(run) as view:
        await view.press("question_mark")
        assert isinstance(view.app.screen, HelpScreen)
        await view.press("escape", "t")
        assert view.app.theme == LIGHT.name


async def test_scores_appear_when_the_first_replies_come(tmp_path: Path) -> None:
    with fake_run(tmp_path, variants=(variant(),), conditions=(TEXT,)) as run, run.directory.lock():
        async with viewing(run) as view:
            assert "… starting" in view.text("header") or "▶ running" in view.text("header")
            run.start()
            run.reply(0, condition=TEXT)
            await view.until(lambda: view.app.watched.tally is not None)
            await view.press("4")
            assert view.app.query_one(Samples).row is not None


async def test_a_defect_of_the_view_is_kept_for_the_caller(
    run: FakeRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("drawing")

    async def look() -> None:
        async with viewing(run) as view:
            seen.append(view.app)
            monkeypatch.setattr("vlbench.tui.app.header", broken)
            await view.until(lambda: view.app.failure is not None)

    seen: list[WatchApp] = []
    with pytest.raises(ZeroDivisionError):
        await look()
    assert isinstance(seen[0].failure, ZeroDivisionError)


async def test_a_lane_between_two_requests_says_what_it_waits_for(run: FakeRun) -> None:
    async with viewing(run, size=(140, 40)) as view:
        run.lane(in_flight=0)
        await view.until(lambda: "keeping to its rate" in view.text("lanes-brief"))
        for number in range(16):
            run.reply(number)
            run.reply(number, condition=TEXT)
        await view.until(lambda: "✓ done" in view.text("lanes-brief"))
