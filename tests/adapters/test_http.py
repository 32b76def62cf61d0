from __future__ import annotations

import asyncio
import gzip
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import anyio
import pytest

from vlbench.adapters import http
from vlbench.adapters.http import Http
from vlbench.errors import BadRequest, Network, ServerFailed, Unreadable, UsageError
from vlbench.simulator.scenario import Scenario
from vlbench.simulator.server import serve

pytestmark = pytest.mark.anyio

CERTIFICATE = Path(__file__).with_name("loopback.pem")
OK = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}"


@dataclass
class Canned:
    """A server that answers every request with the same bytes, and keeps the heads it got."""

    answer: bytes = OK
    heads: list[str] = field(default_factory=list)
    port: int = 0

    async def serve_one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                self.heads.append((await reader.readuntil(b"\r\n\r\n")).decode())
                writer.write(self.answer)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()


@asynccontextmanager
async def _listening(
    serve_one: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]],
    tls: ssl.SSLContext | None = None,
) -> AsyncIterator[int]:
    server = await asyncio.start_server(serve_one, "127.0.0.1", 0, ssl=tls)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()


@asynccontextmanager
async def _opened(
    *urls: str, environ: dict[str, str] | None = None, **options: object
) -> AsyncIterator[Http]:
    client = Http(urls, environ=environ or {}, **options)  # type: ignore[arg-type] # passed through
    await client.open()
    try:
        yield client
    finally:
        await client.close()


def _server_tls() -> ssl.SSLContext:
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(CERTIFICATE)
    return tls


async def test_the_key_and_the_entrys_headers_are_sent() -> None:
    canned = Canned()
    async with (
        _listening(canned.serve_one) as port,
        _opened(f"http://127.0.0.1:{port}/v1/", headers={"X-Title": "bench"}, key="sk-1234567") as client,
    ):
        reply = await client.get("/models")
    assert (reply.status, reply.body) == (200, b"{}")
    head = canned.heads[0].lower()
    assert head.startswith("get /v1/models http/1.1")
    assert "authorization: bearer sk-1234567" in head
    assert "x-title: bench" in head


async def test_http_goes_through_the_proxy_with_its_credentials() -> None:
    canned = Canned()
    async with _listening(canned.serve_one) as port:
        environ = {"HTTP_PROXY": f"http://user:p%40ss@127.0.0.1:{port}"}
        async with _opened("http://provider.test/v1", environ=environ) as client:
            await client.get("/models")
    assert canned.heads[0].startswith("GET http://provider.test/v1/models HTTP/1.1")
    assert "Proxy-Authorization: Basic dXNlcjpwQHNz" in canned.heads[0]


async def test_https_goes_through_a_tunnel_of_the_proxy_and_trusts_the_named_certificates() -> None:
    canned = Canned()
    tunnels: list[str] = []

    async def tunnel(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        tunnels.append((await reader.readuntil(b"\r\n\r\n")).decode())
        to_reader, to_writer = await asyncio.open_connection("127.0.0.1", secure_port)
        writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_pipe, reader, to_writer)
            tasks.start_soon(_pipe, to_reader, writer)

    async with _listening(canned.serve_one, _server_tls()) as secure_port, _listening(tunnel) as proxy_port:
        environ = {
            "HTTPS_PROXY": f"http://user:secret@127.0.0.1:{proxy_port}",
            "SSL_CERT_FILE": str(CERTIFICATE),
        }
        async with _opened("https://provider.test/v1", environ=environ) as client:
            assert (await client.get("/models")).status == 200
    assert tunnels[0].startswith("CONNECT provider.test:443 HTTP/1.1")
    assert "Proxy-Authorization: Basic" in tunnels[0]
    assert "Proxy-Authorization" not in canned.heads[0]


async def _pipe(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    except ConnectionError:
        pass
    writer.close()


async def test_a_certificate_nobody_vouches_for_is_a_network_fault_that_names_the_remedy() -> None:
    canned = Canned()
    async with (
        _listening(canned.serve_one, _server_tls()) as port,
        _opened(f"https://127.0.0.1:{port}/v1") as client,
    ):
        with pytest.raises(Network, match="SSL_CERT_FILE"):
            await client.get("/models")
    assert canned.heads == []


async def test_a_folder_of_certificates_that_is_none_is_told_at_once() -> None:
    with pytest.raises(UsageError, match="SSL_CERT_FILE=/nowhere"):
        await Http(("https://provider.test",), environ={"SSL_CERT_FILE": "/nowhere"}).open()


@pytest.mark.parametrize("key", ["sk-line\nbreak", "sk-ümlaut", "sk-space "])
async def test_a_key_no_header_can_carry_is_refused_without_showing_it(key: str) -> None:
    with pytest.raises(UsageError) as caught:
        await Http(("http://127.0.0.1:1",), key=key).open()
    assert key not in str(caught.value)
    assert key not in repr(caught.value.__dict__)


@pytest.mark.parametrize(
    "url", ["127.0.0.1:8000", "ftp://x/v1", "http://user:pw@host/v1", "http://", "http://x y"]
)
async def test_what_is_no_server_address_is_refused(url: str) -> None:
    with pytest.raises(UsageError):
        await Http((url,)).open()


@pytest.mark.parametrize(
    "environ",
    [{"ALL_PROXY": "socks5://h:1"}, {"https_proxy": "socks5h://h:1"}, {"SSL_CERT_FILE": "/nowhere"}],
)
def test_what_can_never_work_is_told_without_opening_anything(environ: dict[str, str]) -> None:
    with pytest.raises(UsageError, match=next(iter(environ)).upper()):
        Http(("https://provider.test",), environ=environ).check()
    Http(("https://provider.test",), environ={}).check()


async def test_only_a_server_of_ones_own_is_asked_whether_it_runs() -> None:
    told = {}
    for is_own in (True, False):
        # The name is of this machine, yet not one of those that are known to be.
        async with _opened("http://127.1.1.1:9", self_hosted=is_own) as client:
            with pytest.raises(Network) as failed:
                await client.get("/models")
        told[is_own] = failed.value.message
    assert "Is the server running?" in told[True]
    assert "Is the server running?" not in told[False]
    assert "HTTPS_PROXY" in told[False]


async def test_an_echoed_key_is_taken_out_of_the_body() -> None:
    canned = Canned(b"HTTP/1.1 400 Bad\r\ncontent-length: 20\r\n\r\nkey sk-1234567 wrong")
    async with (
        _listening(canned.serve_one) as port,
        _opened(f"http://127.0.0.1:{port}", key="sk-1234567") as client,
    ):
        assert (await client.get("/x")).body == b"key [key] wrong"


@pytest.mark.parametrize(
    "spelled",
    [
        'sk-1/2"3+4\\5&6',
        r"sk-1/2\"3+4\\5&6",
        r"sk-1\/2\"3+4\\5&6",
        r"sk-1/2\"3+4\\5\u00266",
        "sk-1%2F2%223%2B4%5C5%266",
    ],
)
async def test_an_echoed_key_is_taken_out_in_every_spelling_also_of_headers(spelled: str) -> None:
    body = spelled.encode()
    canned = Canned(
        b"HTTP/1.1 400 Bad\r\nx-request-id: %s\r\ncontent-length: %d\r\n\r\n%s" % (body, len(body), body)
    )
    async with (
        _listening(canned.serve_one) as port,
        _opened(f"http://127.0.0.1:{port}", key='sk-1/2"3+4\\5&6') as client,
    ):
        reply = await client.get("/x")
    assert (reply.headers["x-request-id"], reply.body) == ("[key]", b"[key]")


async def test_a_key_in_a_line_that_is_no_http_is_not_repeated() -> None:
    canned = Canned(b"sk-1234567 is wrong\r\n\r\n")
    async with (
        _listening(canned.serve_one) as port,
        _opened(f"http://127.0.0.1:{port}", key="sk-1234567") as client,
    ):
        with pytest.raises(Network) as caught:
            await client.get("/x")
    assert "[key] is wrong" in caught.value.message


async def test_a_packed_body_is_unpacked_and_a_broken_one_is_a_fault() -> None:
    packed = gzip.compress(b'{"a": 1}')
    head = b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: %d\r\n\r\n"
    canned = Canned(head % len(packed) + packed)
    async with _listening(canned.serve_one) as port, _opened(f"http://127.0.0.1:{port}") as client:
        assert (await client.get("/x")).body == b'{"a": 1}'
        canned.answer = head % 4 + b"junk"
        with pytest.raises(Unreadable):
            await client.get("/x")
        canned.answer = canned.answer.replace(b"200 OK", b"500 Oh")
        with pytest.raises(ServerFailed) as failed:
            await client.get("/x")
        assert type(failed.value) is ServerFailed


async def test_an_endless_body_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "LARGEST_RESPONSE", 10_000)
    canned = Canned(b"HTTP/1.1 200 OK\r\ncontent-length: 20000\r\n\r\n" + b"x" * 20_000)
    async with _listening(canned.serve_one) as port, _opened(f"http://127.0.0.1:{port}") as client:
        with pytest.raises(BadRequest, match="64 MB"):
            await client.get("/x")


@pytest.mark.parametrize("answer", [b"SSH-2.0-OpenSSH_9.9\r\n\r\n", b"HTTP/1.1 2x0 OK\r\n\r\n"])
async def test_a_server_that_speaks_something_else_is_a_network_fault(answer: bytes) -> None:
    canned = Canned(answer)
    async with _listening(canned.serve_one) as port, _opened(f"http://127.0.0.1:{port}") as client:
        with pytest.raises(Network, match=f"127.0.0.1:{port}"):
            await client.get("/x")


async def test_connections_are_bounded_and_waiting_for_one_is_no_failure() -> None:
    in_flight, peak = 0, 0

    async def count(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal in_flight, peak
        try:
            while await reader.readuntil(b"\r\n\r\n"):
                in_flight += 1
                peak = max(peak, in_flight)
                await anyio.sleep(0.002)
                in_flight -= 1
                writer.write(OK)
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    async with (
        _listening(count) as port,
        _opened(f"http://127.0.0.1:{port}", connections=3) as client,
        anyio.create_task_group() as tasks,
    ):
        for _ in range(30):
            tasks.start_soon(client.get, "/x")
    assert peak == 3


async def test_a_dead_replica_costs_one_failure_and_the_others_go_on() -> None:
    async with serve(Scenario(replies=["x"])) as gone:
        dead = gone.url
    async with serve(Scenario(replies=["x"])) as alive, _opened(dead, alive.url) as client:
        with pytest.raises(Network):
            await client.get("/models")
        for _ in range(5):
            assert (await client.get("/models")).status == 200


async def test_replicas_share_the_load() -> None:
    async with serve(Scenario(replies=["x"])) as one, serve(Scenario(replies=["x"])) as two:
        body = b'{"model":"m","messages":[{"role":"user","content":"q"}]}'
        async with _opened(one.url, two.url) as client, anyio.create_task_group() as tasks:
            for _ in range(20):
                tasks.start_soon(client.post, "/chat/completions", body)
        assert (len(one.log), len(two.log)) == (10, 10)


async def test_a_packing_no_one_knows_leaves_the_body_as_it_is() -> None:
    canned = Canned(OK.replace(b"\r\n\r\n", b"\r\ncontent-encoding: gz\xefp\r\n\r\n"))
    async with _listening(canned.serve_one) as port, _opened(f"http://127.0.0.1:{port}") as client:
        assert (await client.get("/x")).body == b"{}"
