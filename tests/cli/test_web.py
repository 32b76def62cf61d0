"""The view in a browser is for whoever has the token, on this machine."""

from __future__ import annotations

import re
import signal
import socket
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.cli.serving import serving
from tests.tui.fake_run import fake_run
from vlbench.store.run_dir import RunDir
from vlbench.tui.themes import DARK

pytest.importorskip("textual_serve", reason="the extra vlbench[web] is not installed")

import aiohttp
import anyio.to_thread
from aiohttp import web

from vlbench.cli.web import _PAGE as PAGE
from vlbench.cli.web import _free, make_server
from vlbench.errors import UsageError

pytestmark = pytest.mark.anyio
TOKEN = "a-token"
LEAVING = (aiohttp.WSMsgType.CLOSE, aiohttp.WSMsgType.CLOSING, aiohttp.WSMsgType.CLOSED)


@pytest.fixture
async def address(tmp_path: Path) -> AsyncIterator[str]:
    port = _free(0)
    server = make_server(RunDir(tmp_path / "run"), port, TOKEN, control=False)
    runner = web.AppRunner(await server._make_app())
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", port).start()
    yield f"http://127.0.0.1:{port}"
    await runner.cleanup()


@pytest.fixture
async def browser() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as session:
        yield session


@pytest.mark.parametrize("path", ["/", "/?token=wrong", "/ws", "/static/js/textual.js", "/page/view.js"])
async def test_nothing_is_served_without_the_token(
    address: str, browser: aiohttp.ClientSession, path: str
) -> None:
    async with browser.get(address + path) as answer:
        assert answer.status == 403
        assert TOKEN not in await answer.text()


async def test_the_token_is_taken_once_and_then_kept_in_a_cookie(
    address: str, browser: aiohttp.ClientSession
) -> None:
    async with browser.get(f"{address}/?token={TOKEN}") as answer:
        assert answer.status == 200
        assert TOKEN not in str(answer.url), "the address no longer shows it"
        assert TOKEN not in await answer.text()
        assert "frame-ancestors 'none'" in answer.headers["Content-Security-Policy"]
    async with browser.get(f"{address}/static/js/textual.js") as answer:
        assert answer.status == 200


async def test_the_page_and_what_it_names_come_from_this_machine(
    address: str, browser: aiohttp.ClientSession
) -> None:
    async with browser.get(f"{address}/?token={TOKEN}") as answer:
        page = await answer.text()
    named = re.findall(r'(?:href|src)="([^"]+)"', page)
    assert all(one.startswith(("/", address, "data:")) for one in named)
    assert "unsafe-inline" not in answer.headers["Content-Security-Policy"].partition("style-src")[0]
    named += re.findall(r'url\("([^"]+)"\)', (PAGE / "view.css").read_text(encoding="utf-8"))
    for one in named:
        if not one.startswith("data:"):
            async with browser.get(address + one.removeprefix(address)) as answer:
                assert answer.status == 200, one


def test_the_page_has_the_background_of_the_view() -> None:
    assert DARK.background is not None
    assert DARK.background.lower() in (PAGE / "view.css").read_text(encoding="utf-8")


async def test_keys_reach_the_view_and_the_server_ends_at_once_while_it_is_open(
    tmp_path: Path, browser: aiohttp.ClientSession
) -> None:
    with fake_run(tmp_path) as run, run.directory.lock():
        run.start()
        with serving(run.directory.path) as (served, address):
            async with browser.get(address):
                pass
            async with browser.ws_connect(f"{address.partition('?')[0]}ws?width=100&height=30") as view:
                await _until(view, "Providers")
                await view.send_json(["stdin", "3"])
                await _until(view, "A lane shows up here")
                served.send_signal(signal.SIGINT)
                while (await view.receive(timeout=20)).type not in LEAVING:
                    pass
                assert await anyio.to_thread.run_sync(served.wait) == 0


async def _until(view: aiohttp.ClientWebSocketResponse, words: str) -> None:
    seen = b""
    while words.encode() not in seen:
        seen += await view.receive_bytes(timeout=20)


@pytest.mark.parametrize("headers", [{"Host": "evil.example"}, {"Origin": "http://evil.example"}])
async def test_other_sites_are_kept_out_even_with_the_cookie(
    address: str, browser: aiohttp.ClientSession, headers: dict[str, str]
) -> None:
    async with browser.get(f"{address}/?token={TOKEN}"):
        pass
    async with browser.get(f"{address}/", headers=headers) as answer:
        assert answer.status == 403


def test_the_view_is_served_on_loopback_and_reads_only_unless_asked(tmp_path: Path) -> None:
    reading = make_server(RunDir(tmp_path / "a b"), 1234, TOKEN, control=False)
    steering = make_server(RunDir(tmp_path / "a b"), 1234, TOKEN, control=True)
    assert reading.host == "127.0.0.1"
    assert "--control" not in reading.command
    assert "--control" in steering.command
    assert f"'{tmp_path / 'a b'}'" in reading.command
    assert TOKEN not in reading.command


def test_a_port_whose_last_connection_was_just_closed_is_free_again() -> None:
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        port: int = listener.getsockname()[1]
        with socket.create_connection(("127.0.0.1", port)) as asker:
            answerer, _ = listener.accept()
            answerer.close()
            assert asker.recv(1) == b""
    assert _free(port) == port


def test_a_port_that_is_taken_is_named() -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        with pytest.raises(UsageError, match=str(other.getsockname()[1])):
            _free(other.getsockname()[1])
