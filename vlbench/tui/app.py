"""The live view: one app on one run, drawn by a timer from what the journal says."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Final

import anyio
import anyio.to_thread
from textual import work
from textual.app import App, ComposeResult, SystemCommand
from textual.css.query import NoMatches
from textual.screen import Screen
from textual.widgets import ContentSwitcher, Footer

from vlbench.errors import VlbenchError
from vlbench.state.tail import LiveRun
from vlbench.tui.categories import Categories
from vlbench.tui.dialogs import FilterDialog, HelpScreen, LeaveDialog, Leaving, SureDialog
from vlbench.tui.grid import text
from vlbench.tui.header import header
from vlbench.tui.inert import line
from vlbench.tui.inspector import Inspector
from vlbench.tui.keys import ALWAYS, BINDINGS, HELP, OURS, PANES
from vlbench.tui.lanes import Lanes
from vlbench.tui.overview import Overview
from vlbench.tui.painted import Painted
from vlbench.tui.powers import Farewell, Powers
from vlbench.tui.samples import Samples
from vlbench.tui.sifting import OUTCOMES, Sieve
from vlbench.tui.tabs import Tabs
from vlbench.tui.tally import Order, Tally, tally
from vlbench.tui.themes import DARK, EITHER, LIGHT
from vlbench.tui.trouble import Errors, Log
from vlbench.tui.watched import Watched

REDRAW_EVERY_S: Final = 0.5
PARENT_EVERY_S: Final = 2.0
CATCH_UP_S: Final = 0.2
"""How long one step of reading an old journal may take in its thread before the screen says how far it is."""

Pane = Overview | Categories | Lanes | Samples | Errors | Log


class WatchApp(App[Farewell]):
    """The view on one run. It reads; whatever it changes goes through the control socket of the run."""

    CSS_PATH = Path(__file__).with_name("watch.tcss")
    TITLE = "vlbench"
    ENABLE_COMMAND_PALETTE = True
    BINDINGS = BINDINGS

    def __init__(
        self, live: LiveRun, powers: Powers | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        super().__init__()
        self.watched = Watched(live, clock)
        self.powers = powers or Powers()
        self.failure: Exception | None = None
        self._caught_up = False

    # --- drawing ---

    def compose(self) -> ComposeResult:
        yield Painted(id="header")
        yield Tabs(PANES, id="tabs")
        with ContentSwitcher(initial="overview", id="panes"):
            yield Overview(id="overview")
            yield Categories(id="categories")
            yield Lanes(id="lanes")
            yield Samples(id="samples")
            yield Errors(id="errors")
            yield Log(id="log")
        yield Footer(show_command_palette=False)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return EITHER

    def on_mount(self) -> None:
        self.register_theme(DARK)
        self.register_theme(LIGHT)
        self.theme = DARK.name
        self._draw_tabs()
        self._catch_up()
        if not self.is_headless:
            self._heed_signals()
        if self.is_web:
            self._heed_server()

    @work
    async def _heed_signals(self) -> None:
        """Leave a terminal that is closed, or a view that is ended, in good order; the run goes on."""
        with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGHUP) as signals:
            async for _ in signals:
                self.exit("detached")

    @work
    async def _heed_server(self) -> None:
        """Leave when the server of a view in a browser is gone, however it went."""
        server = os.getppid()
        while os.getppid() == server:  # noqa: ASYNC110  # nobody tells of it
            await anyio.sleep(PARENT_EVERY_S)
        self.exit("detached")

    @work
    async def _catch_up(self) -> None:
        """Read what is there in a thread, saying how far it is; then look twice a second."""
        live = self.watched.live
        whole = max(1, live.unread)
        painted = self.query_one("#header", Painted)
        while await anyio.to_thread.run_sync(self.watched.look, CATCH_UP_S):
            painted.paint(text(f"Reading the journal: {100 - 100 * live.unread // whole}%", "$muted"))
        self._caught_up = True
        self.redraw()
        self.set_interval(REDRAW_EVERY_S, self.redraw)

    def redraw(self) -> None:
        """Look at the journal and draw what has changed of what is in sight."""
        if not self._caught_up:
            return
        was_live = self.watched.is_live
        self.watched.look()
        if self.watched.is_live != was_live:
            self.refresh_bindings()
        if order := self.watched.order():
            self._count(order)
        if self.watched.live.worth_saving():
            self._keep(self.watched.live.pack())
        self._draw()
        if self.powers.closes_at_end and self.watched.standing == "ended":
            self.exit("closed")

    def _draw(self) -> None:
        try:
            painted = self.screen_stack[0].query_one("#header", Painted)
            painted.paint(header(self.watched, painted.width))
            self.pane.show(self.watched)
        except (NoMatches, IndexError):
            # Scores may come from their thread while the screen is being taken down.
            if self.is_running and self.return_value is None:
                raise

    @property
    def pane(self) -> Pane:
        """The pane in sight."""
        switcher = self.screen_stack[0].query_one(ContentSwitcher)
        shown = switcher.visible_content
        assert isinstance(shown, Pane)
        return shown

    def on_resize(self) -> None:
        self.call_after_refresh(self._draw_again)

    def _draw_again(self) -> None:
        if self._caught_up:
            self._draw_tabs()
            self._draw()

    def _draw_tabs(self) -> None:
        base = self.screen_stack[0]
        base.query_one(Tabs).mark(base.query_one(ContentSwitcher).current or "")

    def on_tabs_chosen(self, message: Tabs.Chosen) -> None:
        self.action_pane(message.name)

    @work(group="tally", exclusive=True)
    async def _count(self, order: Order) -> None:
        """Scores in a thread: with 50,000 samples they take longer than a redraw may."""
        made: Tally = await anyio.to_thread.run_sync(tally, order)
        self.watched.tally = made
        self._draw()

    @work(group="snapshot")
    async def _keep(self, parts: list[bytes]) -> None:
        await anyio.to_thread.run_sync(self.watched.live.write_snapshot, parts)

    # --- keys ---

    def action_pane(self, name: str) -> None:
        """Show one of the screens."""
        self.query_one(ContentSwitcher).current = name
        self._draw_tabs()
        pane = self.query_one(f"#{name}")
        if pane.focusable:
            pane.focus()
        self.redraw()

    def action_sort(self) -> None:
        """Sort what is shown by the next thing."""
        if isinstance(self.pane, Categories | Samples):
            self.pane.next_sort()
            self._draw()

    def action_choose(self, step: int) -> None:
        """Show the next or the previous provider."""
        if isinstance(self.pane, Categories | Samples):
            self.pane.choose(step)
            self._draw()

    def action_side_by_side(self) -> None:
        """Categories of all providers beside each other, or of one."""
        if isinstance(self.pane, Categories):
            self.pane.side_by_side = not self.pane.side_by_side
            self._draw()

    @work
    async def action_filter(self) -> None:
        """Ask for a filter and list what passes it."""
        samples = self.query_one(Samples)
        typed = await self.push_screen_wait(FilterDialog(str(samples.sieve), list(OUTCOMES)))
        if typed is not None:
            self.action_pane("samples")
            samples.sift(Sieve.parse(typed))

    def on_samples_inspect(self, message: Samples.Inspect) -> None:
        slots, why_missed = self.query_one(Samples).slots, self.powers.why_missed
        self.push_screen(Inspector(self.watched, message.row, slots, message.slot, why_missed))

    def action_copy(self) -> None:
        """Copy what is shown, as text."""
        shown = [painted.painted.plain for painted in self.pane.query(Painted) if painted.display]
        self.copy_to_clipboard("\n".join(shown))
        self.notify("The screen was copied as text.", markup=False)

    def action_theme(self) -> None:
        """Dark or light."""
        self.theme = LIGHT.name if self.current_theme.dark else DARK.name

    def action_help(self) -> None:
        """All keys."""
        self.push_screen(HelpScreen(HELP))

    @work
    async def action_report(self) -> None:
        """Write the report of the run as it stands."""
        if self.powers.write_report is None:
            return
        try:
            path = await anyio.to_thread.run_sync(self.powers.write_report)
        except VlbenchError as error:
            self.say(str(error), is_bad=True)
        else:
            self.say(f"The report is in {path}")

    # --- steering ---

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Keys without use at this moment do nothing and are not shown."""
        if action in ALWAYS:
            return True
        if len(self.screen_stack) != 1:
            return action not in OURS
        if action in ("pause", "concurrency", "drop", "retry"):
            if self.powers.steering is None or not self.watched.is_live:
                return False
            return action in ("pause", "retry") or isinstance(self.pane, Lanes | Overview)
        if action in ("sort", "choose"):
            return isinstance(self.pane, Categories | Samples)
        if action == "side_by_side":
            return isinstance(self.pane, Categories)
        return True

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """What the command palette offers beside Textual's own commands."""
        yield from super().get_system_commands(screen)
        for name in PANES:
            yield SystemCommand(name.capitalize(), f"Show the {name}", partial(self.action_pane, name))
        for title, does, action in (
            ("Pause or go on", "Send nothing, or send again", "pause"),
            ("Retry failed", "Ask again what failed", "retry"),
            ("Write the report", "Write the report of the run as it stands", "report"),
            ("Filter samples", "By outcome, category or id", "filter"),
            ("Leave", "Detach, or stop the run", "leave"),
        ):
            if self.check_action(action, ()):
                yield SystemCommand(title, does, getattr(self, f"action_{action}"))

    def action_pause(self) -> None:
        """Pause the run, or go on."""
        self.steer("resume" if self.watched.state.paused else "pause")

    def action_concurrency(self, step: int) -> None:
        """A quarter more or fewer requests in flight in the chosen lane."""
        name = self._lane()
        if name is None:
            return
        now = self.watched.state.lanes[name].concurrency
        self.steer("set", lane=name, concurrency=max(1, now + step * max(1, now // 4)))

    @work
    async def action_drop(self) -> None:
        """Ask no more of the chosen lane."""
        name = self._lane()
        if name is None:
            return
        if await self.push_screen_wait(SureDialog(f"Ask {name} no more in this run?", "Drop the lane")):
            self.steer("drop", lane=name)

    def action_retry(self) -> None:
        """Ask again what failed."""
        self.steer("retry")

    def _lane(self) -> str | None:
        """The lane to act on: the chosen one, or the only one."""
        names = list(self.watched.state.lanes)
        if isinstance(self.pane, Lanes):
            return self.pane.lane
        if len(names) != 1:
            self.say("Choose a lane first: 3, then up and down.")
            return None
        return names[0]

    @work
    async def steer(self, action: str, **fields: str | int) -> None:
        """Send one command to the run and say what it answered."""
        if self.powers.steering is None:
            return
        try:
            said = await self.powers.steering(action, **fields)
        except VlbenchError as error:
            self.say(str(error), is_bad=True)
        else:
            self.say(said)
        self.redraw()

    def say(self, words: str, *, is_bad: bool = False) -> None:
        """A short notice in the corner."""
        self.notify(line(words, 400), severity="error" if is_bad else "information", markup=False)

    # --- leaving ---

    @work
    async def action_leave(self) -> None:
        """Leave; ask first whether a run goes on that this view may stop."""
        if not self.watched.is_live or self.powers.steering is None:
            self.exit("detached" if self.watched.is_live else "closed")
            return
        chosen: Leaving = await self.push_screen_wait(LeaveDialog(self.watched.live.directory.name))
        if chosen == "detach":
            self.exit("detached")
        elif chosen == "stop":
            try:
                await self.powers.steering("drain")
            except VlbenchError as error:
                self.say(str(error), is_bad=True)
            else:
                self.exit("stopping")

    def _handle_exception(self, error: Exception) -> None:
        """A defect of the view ends the view, never the run; the caller goes on with plain lines."""
        self.failure = self.failure or error
        super()._handle_exception(error)

    def _print_error_renderables(self) -> None:
        """Nothing: a traceback over the shell helps nobody; `failure` is told in a sentence."""
        self._exit_renderables.clear()
