"""The view in a real browser, where Chromium is installed: it is driven over its debugging socket."""

from __future__ import annotations

import base64
import shutil
import subprocess
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import anyio
import pytest

from tests.cli.serving import serving
from tests.tui.fake_run import FakeRun, fake_run

pytest.importorskip("textual_serve", reason="the extra vlbench[web] is not installed")

import aiohttp

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--remote-debugging-port=0",
)  # fmt: skip
PATIENCE_S = 30.0
BINARY = 2
"""The kind of WebSocket frame that carries what a view draws."""

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed"),
]

Message = dict[str, Any]  # Any: whatever JSON the browser sends


@dataclass
class Tab:
    """One tab: what its view drew (as terminal bytes), and what went wrong in it."""

    socket: aiohttp.ClientWebSocketResponse
    drawn: bytes = b""
    trouble: list[Message] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    numbers: Iterator[int] = field(default_factory=lambda: count(1))

    async def call(self, method: str, **parameters: object) -> Message:
        number = next(self.numbers)
        await self.socket.send_json({"id": number, "method": method, "params": parameters})
        while (message := await self._next()).get("id") != number:
            pass
        assert "error" not in message, message
        result: Message = message["result"]
        return result

    async def _next(self) -> Message:
        message: Message = await self.socket.receive_json(timeout=PATIENCE_S)
        what = message.get("params", {})
        match message.get("method"):
            case "Network.webSocketFrameReceived" if what["response"]["opcode"] == BINARY:
                self.drawn += base64.b64decode(what["response"]["payloadData"])
            case "Runtime.exceptionThrown" | "Network.loadingFailed":
                self.trouble.append(what)
            case "Log.entryAdded" if what["entry"]["level"] == "error":
                self.trouble.append(what)
            case "Network.requestWillBeSent":
                self.asked.append(what["request"]["url"])
        return message

    async def until_drawn(self, words: str) -> None:
        """Wait until the view has drawn `words` since the last wait, and forget what it drew before them."""
        with anyio.fail_after(PATIENCE_S):
            while words.encode() not in self.drawn:
                await self._next()
        self.drawn = self.drawn.partition(words.encode())[2]

    async def press(self, key: str) -> None:
        text = {"Enter": "\r"}.get(key, key)
        code = 13 if key == "Enter" else ord(key.upper())
        await self.call("Input.dispatchKeyEvent", type="keyDown", key=key, text=text,
                        windowsVirtualKeyCode=code)  # fmt: skip
        await self.call("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code)

    async def until(self, question: str) -> None:
        """Wait until the expression `question` is true in the page."""
        asked = f"new Promise(done => setInterval(() => ({question}) && done(), 20))"
        await self.call("Runtime.evaluate", expression=asked, awaitPromise=True, timeout=1000 * PATIENCE_S)


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[tuple[str, FakeRun]]:
    """A run that goes on, and where its view is served."""
    with fake_run(tmp_path / "runs") as run, run.directory.lock():
        run.start()
        run.reply(0)
        with serving(run.directory.path) as (_, address):
            yield address, run


@pytest.fixture
def debugged(tmp_path: Path) -> Iterator[int]:
    """The debugging port of a browser without a history, with one empty tab."""
    assert CHROMIUM is not None
    profile = tmp_path / "profile"
    profile.mkdir()
    command = [CHROMIUM, *FLAGS, f"--user-data-dir={profile}", "about:blank"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as chromium:
        try:
            written, until = profile / "DevToolsActivePort", time.monotonic() + PATIENCE_S
            while not written.exists() or not written.read_text(encoding="ascii"):
                assert time.monotonic() < until, "Chromium does not start"
                time.sleep(0.05)
            yield int(written.read_text(encoding="ascii").split()[0])
        finally:
            chromium.terminate()


@pytest.fixture
async def tab(debugged: int) -> AsyncIterator[Tab]:
    async with aiohttp.ClientSession() as session:
        async with session.get(f"http://127.0.0.1:{debugged}/json/list") as answer:
            pages = [one for one in await answer.json() if one["type"] == "page"]
        async with session.ws_connect(pages[0]["webSocketDebuggerUrl"], max_msg_size=0) as socket:
            opened = Tab(socket)
            for domain in ("Page", "Network", "Runtime", "Log"):
                await opened.call(f"{domain}.enable")
            yield opened


async def test_keys_reach_the_view_without_a_click_and_it_can_be_opened_again(
    watched: tuple[str, FakeRun], tab: Tab
) -> None:
    address, run = watched
    served, _, token = address.partition("?token=")
    await tab.call("Page.navigate", url=address)
    await tab.until_drawn("Providers")
    await tab.until("document.fonts.check('bold 16px \"Roboto Mono\"')")
    await tab.until("document.activeElement.className === 'xterm-helper-textarea'")
    await tab.press("3")
    await tab.until_drawn("A lane shows up here")
    await tab.press("?")
    await tab.until_drawn("overview, categories, lanes")
    assert tab.trouble == []
    await tab.press("Enter")
    await tab.press("q")
    await tab.until("document.activeElement.id === 'again'")
    await tab.press("Enter")
    await tab.until_drawn("Providers")
    run.end("partial")
    await tab.until_drawn("partial")
    assert token not in (await tab.call("Runtime.evaluate", expression="location.href"))["result"]["value"]
    assert all(one.startswith((served, "data:", "about:")) for one in tab.asked)
