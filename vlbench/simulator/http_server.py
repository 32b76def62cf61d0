"""A small HTTP/1.1 server for the loopback: keep-alive, Content-Length bodies, one request at a time."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from http import HTTPStatus

from anyio import CancelScope, create_task_group
from anyio.abc import TaskGroup

from vlbench.errors import UsageError

LARGEST_HEAD = 64 * 1024
LARGEST_BODY = 256 * 1024 * 1024
_PHRASES = {status.value: status.phrase for status in HTTPStatus}


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """`path` is without the query; `headers` have lower-case names."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """A response; with `cut` only half of it is sent before the connection is reset."""

    status: int
    body: bytes
    headers: tuple[tuple[str, str], ...] = ()
    cut: bool = False


@dataclass(frozen=True, slots=True)
class _Head:
    method: str
    path: str
    headers: Mapping[str, str]
    length: int


class BadHead(ValueError):
    """A request that is not HTTP as we speak it; `status` is the answer it gets."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


Handler = Callable[[HttpRequest], Awaitable[HttpAnswer]]


class Connection(asyncio.Protocol):
    """One client. A request is handled in a task of `tasks`, and cancelled when the client goes away."""

    def __init__(self, handler: Handler, tasks: TaskGroup, connections: set[Connection]) -> None:
        self._handler = handler
        self._tasks = tasks
        self._connections = connections
        self._buffer = bytearray()
        self._head: _Head | None = None
        self._scope: CancelScope | None = None
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._connections.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self._connections.discard(self)
        self._transport = None
        if self._scope is not None:
            self._scope.cancel()

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        self._advance()

    def abort(self) -> None:
        """Reset the connection."""
        if self._transport is not None:
            self._transport.abort()

    def _advance(self) -> None:
        """Start the next request if it has arrived whole and none is being handled."""
        if self._scope is not None or self._transport is None:
            return
        if self._head is None:
            try:
                self._head = self._take_head()
            except BadHead as error:
                self._write(HttpAnswer(error.status, b"", (("connection", "close"),)))
                self._transport.close()
                return
        if self._head is None or len(self._buffer) < self._head.length:
            return
        head, self._head = self._head, None
        body = bytes(memoryview(self._buffer)[: head.length])
        del self._buffer[: head.length]
        self._scope = CancelScope()
        request = HttpRequest(head.method, head.path, head.headers, body)
        self._tasks.start_soon(self._respond, request, self._scope)

    def _take_head(self) -> _Head | None:
        end = self._buffer.find(b"\r\n\r\n", 0, LARGEST_HEAD)
        if end < 0:
            if len(self._buffer) >= LARGEST_HEAD:
                raise BadHead(431)
            return None
        head = _parse_head(bytes(self._buffer[:end]))
        del self._buffer[: end + 4]
        if head.headers.get("expect", "").lower() == "100-continue" and self._transport is not None:
            self._transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        return head

    async def _respond(self, request: HttpRequest, scope: CancelScope) -> None:
        with scope:
            self._write(await self._handler(request))
        self._scope = None
        self._advance()

    def _write(self, answer: HttpAnswer) -> None:
        if self._transport is None:
            return
        data = _serialise(answer)
        if answer.cut:
            self._transport.write(data[: len(data) - len(answer.body) // 2 - 1])
            # close() flushes what was written; abort() could take even that away.
            self._transport.close()
        else:
            self._transport.write(data)


@asynccontextmanager
async def listening(
    handler: Handler, host: str = "127.0.0.1", port: int = 0, *, accepted: Callable[[], None] = lambda: None
) -> AsyncIterator[str]:
    """Serve with `handler` at the address given, `http://host:port`; port 0 takes a free one.

    `accepted` is told of every connection. Raises `UsageError` for an address that is in use.
    """
    connections: set[Connection] = set()

    def accept() -> Connection:
        accepted()
        return Connection(handler, tasks, connections)

    try:
        server = await asyncio.get_running_loop().create_server(accept, host, port, start_serving=False)
    except OSError as error:
        why = os.strerror(error.errno) if error.errno else str(error)
        raise UsageError(
            f"Port {port} on {host} cannot be used: {why}. Choose another one; 0 takes any that is free."
        ) from error
    async with create_task_group() as tasks:
        try:
            await server.start_serving()
            bound = server.sockets[0].getsockname()[1]
            yield f"http://{f'[{host}]' if ':' in host else host}:{bound}"
        finally:
            server.close()
            for connection in tuple(connections):
                connection.abort()
            tasks.cancel_scope.cancel()


def _parse_head(data: bytes) -> _Head:
    first, *lines = data.decode("latin-1").split("\r\n")
    try:
        method, target, _ = first.split(" ")
    except ValueError:
        raise BadHead(400) from None
    pairs = (line.partition(":") for line in lines)
    headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
    if "transfer-encoding" in headers:
        raise BadHead(411)
    length = headers.get("content-length", "0")
    if not (length.isascii() and length.isdecimal()):
        raise BadHead(400)
    if int(length) > LARGEST_BODY:
        raise BadHead(413)
    return _Head(method, target.partition("?")[0], headers, int(length))


def _serialise(answer: HttpAnswer) -> bytes:
    lines = [
        f"HTTP/1.1 {answer.status} {_PHRASES.get(answer.status, '')}",
        f"content-length: {len(answer.body)}",
    ]
    if not any(name == "content-type" for name, _ in answer.headers):
        lines.append("content-type: application/json")
    lines += (f"{name}: {value}" for name, value in answer.headers)
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + answer.body
