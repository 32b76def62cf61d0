"""The one place where our own requests touch the network.

An httpx transport over aiohttp is called directly with a prepared request: a client above it costs as much
again, and httpx's stock pool collapses under load. What the client would have done (proxies, certificates,
headers, decoding) is done here.
"""

from __future__ import annotations

import os
import ssl
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread
import httpx
from pydantic import SecretStr

from vlbench.adapters.proxy import proxy_for
from vlbench.adapters.replicas import Replicas
from vlbench.catalog.entry import ProviderEntry
from vlbench.catalog.urls import problem_of
from vlbench.errors import BadRequest, Fault, Network, ServerFailed, Timeout, UsageError
from vlbench.printable import printable

if TYPE_CHECKING:
    from httpx_aiohttp import AiohttpTransport

CONNECT_TIMEOUT_S = 10.0
LARGEST_RESPONSE = 64 * 1024 * 1024
# Idle connections are closed before the server does (uvicorn, hence vLLM and SGLang: 5 s), because a request
# sent into a connection that is just being closed fails although nothing is wrong.
KEEP_ALIVE_S = 4.0
# aiohttp writes a body of bytes in one go and warns above this size.
_PIECE = 1024 * 1024


@dataclass(frozen=True, slots=True)
class HttpReply:
    """A complete response. `headers` have lower-case names; `body` is decoded, and free of the key."""

    status: int
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class _Server:
    url: httpx.URL
    transport: AiohttpTransport
    targets: dict[str, httpx.URL] = field(default_factory=dict)

    def target(self, path: str) -> httpx.URL:
        """`path` (escaped, with its query) below the base URL, parsed once."""
        if path not in self.targets:
            raw_path = self.url.raw_path.rstrip(b"/") + path.encode("ascii")
            self.targets[path] = self.url.copy_with(raw_path=raw_path)
        return self.targets[path]


class Http:
    """Requests to one account: one connection pool for each base URL, the least loaded used first.

    `connections` bounds each pool; a request waits for a free one without a time-out of its own (the
    engine's deadline holds). `headers` go with every request. `key` is sent as a bearer token, unless
    `sends_key` is False (an SDK sends it its own way), and is taken out of every body that comes back.
    Nothing is retried here.
    """

    def __init__(
        self,
        urls: tuple[str, ...],
        *,
        headers: Mapping[str, str] | None = None,
        key: str | None = None,
        sends_key: bool = True,
        connections: int = 64,
        environ: Mapping[str, str] | None = None,
    ) -> None:
        self._urls = urls
        self._key = SecretStr(key or "")
        self._sends_key = sends_key
        self._own_headers = dict(headers or {})
        self._connections = connections
        self._environ = os.environ if environ is None else environ
        self._headers = httpx.Headers()
        self._servers: tuple[_Server, ...] = ()
        self._replicas = Replicas(len(urls))
        self._stack = AsyncExitStack()
        self._network_errors: tuple[type[Exception], ...] = (httpx.TransportError, OSError)

    @classmethod
    def of(
        cls, entry: ProviderEntry, urls: tuple[str, ...], key: str | None, *, sends_key: bool = True
    ) -> Http:
        """The seam to one account, with as many connections to each address as the entry may ever need."""
        connections = max(entry.limits.concurrency, entry.limits.max_concurrency)
        return cls(urls, headers=entry.headers, key=key, sends_key=sends_key, connections=connections)

    async def open(self) -> None:
        """Import aiohttp in a thread and make the pools. Raises `UsageError` for what can never work."""
        urls = tuple(_base_url(url) for url in self._urls)
        if not urls:
            raise UsageError("No server address is known; give one as provider:model@http://host:port/v1.")
        self._headers = self._prepared_headers()
        proxies = [proxy_for(url, self._environ) for url in urls]
        secure = any(u.scheme == "https" for u in urls) or any(p and p.url.scheme == "https" for p in proxies)
        tls = await anyio.to_thread.run_sync(_prepare, secure, self._environ)
        self._servers = tuple(
            [
                _Server(url, await self._transport(tls, proxy))
                for url, proxy in zip(urls, proxies, strict=True)
            ]
        )

    async def _transport(self, tls: ssl.SSLContext, proxy: httpx.Proxy | None) -> AiohttpTransport:
        import aiohttp
        from httpx_aiohttp import AiohttpTransport

        # Not every error of aiohttp is translated by the transport (a response that is not HTTP is not).
        self._network_errors = (httpx.TransportError, aiohttp.ClientError, OSError)
        session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(ssl=tls, limit=self._connections, keepalive_timeout=KEEP_ALIVE_S),
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
        )
        await self._stack.enter_async_context(session)
        return AiohttpTransport(verify=tls, client=session, proxy=proxy)

    def _prepared_headers(self) -> httpx.Headers:
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
            return httpx.Headers(headers, encoding="latin-1")
        except UnicodeEncodeError as error:
            raise UsageError(
                "A header of the provider's entry holds a character no HTTP header can carry."
            ) from error

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
            reply = await self._exchange(server, self._request(server, method, path, body, headers or {}))
            settle = self._replicas.reached
            return reply
        except self._network_errors as error:
            if _is_unreachable(error):
                settle = self._replicas.unreachable
            raise _network_fault(error, server.url) from error
        finally:
            settle(index)

    def _request(
        self, server: _Server, method: str, path: str, body: bytes, more: Mapping[str, str]
    ) -> httpx.Request:
        headers = self._headers
        if more:
            headers = httpx.Headers({**headers, **more}, encoding="latin-1")
        content: bytes | AsyncIterator[bytes] = body
        if len(body) > _PIECE:
            headers = headers.copy()
            headers["content-length"] = str(len(body))
            content = _pieces(body)
        extensions = {"timeout": {"connect": CONNECT_TIMEOUT_S}}
        return httpx.Request(
            method, server.target(path), headers=headers, content=content, extensions=extensions
        )

    async def _exchange(self, server: _Server, request: httpx.Request) -> HttpReply:
        response = await server.transport.handle_async_request(request)
        try:
            pieces = []
            size = 0
            async for piece in response.aiter_bytes():
                size += len(piece)
                if size > LARGEST_RESPONSE:
                    raise BadRequest(
                        f"{server.url.host} sent more than 64 MB; is this the address of an API?"
                    )
                pieces.append(piece)
        except httpx.DecodingError as error:
            raise ServerFailed(f"{server.url.host} sent a body that cannot be unpacked.") from error
        finally:
            if not response.is_closed:
                # A cancelled request too gives its connection back; bounded, as the server may not read on.
                with anyio.move_on_after(1.0, shield=True):
                    await response.aclose()
        headers = {
            name.decode("latin-1").lower(): value.decode("latin-1") for name, value in response.headers.raw
        }
        return HttpReply(response.status_code, headers, self._without_key(b"".join(pieces)))

    def _without_key(self, body: bytes) -> bytes:
        key = self._key.get_secret_value()
        # Placeholders for servers without keys ("x", "EMPTY") are words that may well occur in an answer.
        return body.replace(key.encode(), b"[key]") if len(key) >= 6 else body

    async def close(self) -> None:
        """Close every connection."""
        await self._stack.aclose()


async def _pieces(body: bytes) -> AsyncIterator[bytes]:
    for start in range(0, len(body), _PIECE):
        yield body[start : start + _PIECE]


def _base_url(text: str) -> httpx.URL:
    if problem := problem_of(text):
        raise UsageError(
            f"A server's address cannot be used: {problem}. Expected something like http://host:port/v1."
        )
    try:
        return httpx.URL(text)
    except httpx.InvalidURL as error:
        raise UsageError(f"A server's address cannot be used: {error}.") from error


def _prepare(secure: bool, environ: Mapping[str, str]) -> ssl.SSLContext:
    """Load aiohttp and the certificates (SSL_CERT_FILE, SSL_CERT_DIR, else certifi's)."""
    import httpx_aiohttp  # noqa: F401 -- loaded here because it takes 0.4 s that must not stop the loop

    if not secure:
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


def _is_unreachable(error: Exception) -> bool:
    import aiohttp

    unreachable = (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError)
    return isinstance(error, httpx.ProxyError) or isinstance(error.__cause__, unreachable)


def _network_fault(error: Exception, url: httpx.URL) -> Fault:
    """The transport calls a cut connection a time-out, so the exception beneath it decides."""
    import aiohttp

    cause = error.__cause__ or error
    where = url.netloc.decode("ascii")
    why = printable(str(cause)) or type(cause).__name__
    if isinstance(error, httpx.ProxyError):
        return Network(
            f"The proxy to {where} failed: {why}. Check HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY."
        )
    if isinstance(cause, aiohttp.ClientConnectorCertificateError):
        return Network(
            f"The certificate of {where} is not trusted: {why}. "
            "Point SSL_CERT_FILE to your organisation's certificates."
        )
    if isinstance(cause, aiohttp.ConnectionTimeoutError):
        return Network(f"No connection to {where} within {CONNECT_TIMEOUT_S:g} s. Is the server running?")
    if isinstance(cause, aiohttp.ClientConnectorError):
        return Network(f"No connection to {where}: {printable(str(cause.os_error))}. Is the server running?")
    if isinstance(cause, TimeoutError):
        return Timeout(f"{where} did not answer in time.")
    return Network(f"The connection to {where} was cut: {why}.")
