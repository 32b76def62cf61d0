"""The view in a browser is for whoever has the token, on this machine."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from vlbench.store.run_dir import RunDir

pytest.importorskip("textual_serve", reason="the extra vlbench[web] is not installed")

import aiohttp
from aiohttp import web

from vlbench.cli.web import _free, make_server
from vlbench.errors import UsageError

pytestmark = pytest.mark.anyio
TOKEN = "a-token"


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


@pytest.mark.parametrize("path", ["/", "/?token=wrong", "/ws", "/static/js/textual.js"])
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


def test_a_port_that_is_taken_is_named() -> None:
    import socket

    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        with pytest.raises(UsageError, match=str(other.getsockname()[1])):
            _free(other.getsockname()[1])
