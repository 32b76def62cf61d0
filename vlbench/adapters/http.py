"""The one place where our own requests touch the network.

aiohttp is called directly: httpx's own pool collapses under load, and its types around each request cost a
third of what the request itself does (docs/performance.md). Addresses, proxies and certificates are read by
httpx all the same; what a client would have done with them is done here.
"""

from __future__ import annotations

import os
import ssl
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import anyio.to_thread
import httpx
from pydantic import SecretStr

from vlbench.adapters.key_spellings import KeyFilter
from vlbench.adapters.network_faults import CONNECT_TIMEOUT_S, is_unreachable, network_fault
from vlbench.adapters.proxy import proxy_for
from vlbench.adapters.replicas import Replicas
from vlbench.catalog.entry import ProviderEntry
from vlbench.catalog.urls import is_local, problem_of
from vlbench.errors import BadRequest, Fault, ServerFailed, Unreadable, UsageError
from vlbench.printable import printable

if TYPE_CHECKING:
    import aiohttp
    import yarl

LARGEST_RESPONSE = 64 * 1024 * 1024
# Idle connections are closed before the server does (uvicorn, hence vLLM and SGLang: 5 s), because a request
# sent into a connection that is just being closed fails although nothing is wrong.
KEEP_ALIVE_S = 4.0
# aiohttp writes a body of bytes in one go and warns above this size.
_PIECE = 1024 * 1024


Route = tuple[httpx.URL, httpx.Proxy | None]
"""A base URL, and the proxy that leads to it."""


@dataclass(frozen=True, slots=True)
class HttpReply:
    """A complete response. `headers` have lower-case names; `body` is decoded. Both are free of the key."""

    status: int
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class _Server:
    url: httpx.URL
    session: aiohttp.ClientSession
    proxy: httpx.Proxy | None
    targets: dict[str, yarl.URL] = field(default_factory=dict)

    def target(self, path: str) -> yarl.URL:
        """`path` (escaped, with its query) below the base URL, parsed once."""
        if path not in self.targets:
            from yarl import URL

            raw_path = self.url.raw_path.rstrip(b"/") + path.encode("ascii")
            self.targets[path] = URL(str(self.url.copy_with(raw_path=raw_path)), encoded=True)
        return self.targets[path]


class Http:
    """Requests to one account: one connection pool for each base URL, the least loaded used first.

    `connections` bounds each pool; a request waits for a free one without a time-out of its own (the
    engine's deadline holds). `headers` go with every request; `self_hosted` says that the servers are the
    user's own. `key` is sent as a bearer token, unless `sends_key` is False (an SDK sends it its own way),
    and is taken out of everything that comes back. Nothing is retried here.
    """

    def __init__(
        self,
        urls: tuple[str, ...],
        *,
        headers: Mapping[str, str] | None = None,
        key: str | None = None,
        sends_key: bool = True,
        connections: int = 64,
        self_hosted: bool = True,
        environ: Mapping[str, str] | None = None,
    ) -> None:
        self._urls = urls
        self._key = SecretStr(key or "")
        self._key_filter = KeyFilter.of(key or "")
        self._sends_key = sends_key
        self._own_headers = dict(headers or {})
        self._connections = connections
        self._self_hosted = self_hosted
        self._environ = os.environ if environ is None else environ
        self._headers: dict[str, str] = {}
        self._servers: tuple[_Server, ...] = ()
        self._replicas = Replicas(len(urls))
        self._stack = AsyncExitStack()
        self._network_errors: tuple[type[Exception], ...] = (OSError,)

    @classmethod
    def of(
        cls, entry: ProviderEntry, urls: tuple[str, ...], key: str | None, *, sends_key: bool = True
    ) -> Http:
        """The seam to one account, with as many connections to each address as the entry may ever need."""
        connections = max(entry.limits.concurrency, entry.limits.max_concurrency)
        return cls(
            urls,
            headers=entry.headers,
            key=key,
            sends_key=sends_key,
            connections=connections,
            self_hosted=entry.self_hosted,
        )

    @property
    def own_headers(self) -> frozenset[str]:
        """The names (lower case) of the headers that this account was given."""
        return frozenset(name.lower() for name in self._own_headers)

    async def open(self) -> None:
        """Import aiohttp in a thread and make the pools. Raises `UsageError` for what can never work."""
        self._headers = self._prepared_headers()
        routes = self._routes()
        tls = await anyio.to_thread.run_sync(_prepare, routes, self._environ)
        self._servers = tuple([_Server(url, await self._session(tls), proxy) for url, proxy in routes])

    def check(self) -> None:
        """Raise the `UsageError` that `open` would: for key, headers, addresses, proxies and certificates."""
        self._prepared_headers()
        routes = self._routes()
        if self._environ.get("SSL_CERT_FILE") or self._environ.get("SSL_CERT_DIR"):
            _certificates(routes, self._environ)

    def _routes(self) -> list[Route]:
        urls = [_base_url(url) for url in self._urls]
        if not urls:
            raise UsageError("No server address is known; give one as provider:model@http://host:port/v1.")
        return [(url, proxy_for(url, self._environ)) for url in urls]

    async def _session(self, tls: ssl.SSLContext) -> aiohttp.ClientSession:
        import aiohttp

        self._network_errors = (aiohttp.ClientError, OSError)
        session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(ssl=tls, limit=self._connections, keepalive_timeout=KEEP_ALIVE_S),
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_TIMEOUT_S),
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
        )
        return await self._stack.enter_async_context(session)

    def _prepared_headers(self) -> dict[str, str]:
        key = self._key.get_secret_value()
        if not key.isascii() or not key.isprintable() or key != key.strip():
            raise UsageError(
                "The key holds a space at an end, a line break or a character outside ASCII, which no HTTP "
                "header can carry. Copy it again without quotes or blanks."
            )
        headers = {
            "content-type": "application/json",
            "accept": "application/json",
            # Replies are small; unpacking them would cost more than their transfer.
            "accept-encoding": "identity",
            "user-agent": "vlbench",
        }
        if key and self._sends_key:
            headers["authorization"] = f"Bearer {key}"
        headers |= {name.lower(): value for name, value in self._own_headers.items()}
        try:
            for value in headers.values():
                value.encode("latin-1")
        except UnicodeEncodeError as error:
            raise UsageError(
                "A header of the provider's entry holds a character no HTTP header can carry."
            ) from error
        return headers

    async def post(self, path: str, body: bytes, headers: Mapping[str, str] | None = None) -> HttpReply:
        """POST `body` to `path` below the base URL of the least loaded server, once.

        `headers` are added to those of the account, and replace what is named alike (lower-case names).
        """
        return await self._send("POST", path, body, headers)

    async def get(self, path: str) -> HttpReply:
        """GET `path` below the base URL of the least loaded server, once."""
        return await self._send("GET", path, b"")

    async def _send(
        self, method: str, path: str, body: bytes, headers: Mapping[str, str] | None = None
    ) -> HttpReply:
        index = self._replicas.take()
        server = self._servers[index]
        settle = self._replicas.drop
        try:
            reply = await self._exchange(server, method, path, body, headers or {})
            settle = self._replicas.reached
            return reply
        except self._network_errors as error:
            if is_unreachable(error):
                settle = self._replicas.unreachable
            raise self._network_fault(error, server.url) from error
        finally:
            settle(index)

    async def _exchange(
        self, server: _Server, method: str, path: str, body: bytes, more: Mapping[str, str]
    ) -> HttpReply:
        headers = {**self._headers, **more} if more else self._headers
        data: bytes | AsyncIterator[bytes] | None = body or None
        if len(body) > _PIECE:
            headers = {**headers, "content-length": str(len(body))}
            data = _pieces(body)
        proxy = server.proxy
        response = await server.session.request(
            method,
            server.target(path),
            data=data,
            headers=headers,
            allow_redirects=False,
            proxy=str(proxy.url) if proxy else None,
            proxy_headers=dict(proxy.headers) if proxy else None,
        )
        try:
            pieces = []
            size = 0
            async for piece in response.content.iter_any():
                size += len(piece)
                if size > LARGEST_RESPONSE:
                    raise _too_large(server)
                pieces.append(piece)
        finally:
            if response.connection is not None:
                # Cut short, or answered before the request was read: this connection is of no more use.
                response.close()
        clean = self._key_filter.clean
        told = {
            name.decode("latin-1").lower(): clean(value).decode("latin-1")
            for name, value in response.raw_headers
        }
        return HttpReply(response.status, told, clean(_unpacked(pieces, response.status, told, server)))

    def _network_fault(self, error: Exception, url: httpx.URL) -> Fault:
        # A line that is no HTTP is repeated in the error, and a server may have put the key there.
        why = printable(self._key_filter.clean_text(str(error))) or type(error).__name__
        is_own = self._self_hosted or is_local(str(url))
        return network_fault(error, url.netloc.decode("ascii"), why, is_own=is_own)

    async def close(self) -> None:
        """Close every connection."""
        await self._stack.aclose()


async def _pieces(body: bytes) -> AsyncIterator[bytes]:
    for start in range(0, len(body), _PIECE):
        yield body[start : start + _PIECE]


def _unpacked(pieces: Sequence[bytes], status: int, headers: Mapping[str, str], server: _Server) -> bytes:
    """The body, also of a server that packs it although it was asked not to."""
    packing = headers.get("content-encoding", "identity")
    if packing.lower() == "identity":
        return b"".join(pieces)
    response = httpx.Response(
        200, headers=[(b"content-encoding", packing.encode("latin-1"))], content=iter(pieces)
    )
    unpacked: list[bytes] = []
    size = 0
    try:
        for piece in response.iter_bytes():
            size += len(piece)
            if size > LARGEST_RESPONSE:
                raise _too_large(server)
            unpacked.append(piece)
    except httpx.DecodingError as error:
        kind = Unreadable if 200 <= status < 300 else ServerFailed
        raise kind(f"{server.url.host} sent a body that cannot be unpacked.", status=status) from error
    return b"".join(unpacked)


def _too_large(server: _Server) -> BadRequest:
    return BadRequest(f"{server.url.host} sent more than 64 MB; is this the address of an API?")


def _base_url(text: str) -> httpx.URL:
    if problem := problem_of(text):
        raise UsageError(
            f"A server's address cannot be used: {problem}. Expected something like http://host:port/v1."
        )
    try:
        return httpx.URL(text)
    except httpx.InvalidURL as error:
        raise UsageError(f"A server's address cannot be used: {error}.") from error


def _prepare(routes: Sequence[Route], environ: Mapping[str, str]) -> ssl.SSLContext:
    import aiohttp  # noqa: F401 -- loaded here because it takes 0.4 s that must not stop the loop

    return _certificates(routes, environ)


def _certificates(routes: Sequence[Route], environ: Mapping[str, str]) -> ssl.SSLContext:
    """Load them where a route needs any: those of SSL_CERT_FILE or SSL_CERT_DIR, else certifi's."""
    if not any(url.scheme == "https" or (proxy and proxy.url.scheme == "https") for url, proxy in routes):
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    file, folder = environ.get("SSL_CERT_FILE"), environ.get("SSL_CERT_DIR")
    try:
        if file or folder:
            return ssl.create_default_context(cafile=file or None, capath=folder or None)
        return httpx.create_ssl_context(trust_env=False)
    except (OSError, ssl.SSLError) as error:
        named = f"SSL_CERT_FILE={file}" if file else f"SSL_CERT_DIR={folder}"
        raise UsageError(
            f"No certificates can be read from {named}: {error}. Correct or unset it."
        ) from error
