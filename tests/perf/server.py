"""The server of the benchmarks, in a process of its own: the same short reply to everything, after some time.

    python -m tests.perf.server 0.2      prints its URL, ends when standard input does

It reads no more of a request than its length, so that the clients are what is measured.
"""

from __future__ import annotations

import asyncio
import sys

REPLY = (
    b'{"id":"bench","object":"chat.completion","model":"bench","choices":[{"index":0,"message":'
    b'{"role":"assistant","content":"B","refusal":null},"finish_reason":"stop"}],'
    b'"usage":{"prompt_tokens":300,"completion_tokens":1,"total_tokens":301}}'
)
RESPONSE = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%s" % (
    len(REPLY),
    REPLY,
)


class Client(asyncio.Protocol):
    """One connection, one request at a time."""

    def __init__(self, latency_s: float) -> None:
        self._latency_s = latency_s
        self._head = b""
        self._missing = -1

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        if self._missing < 0:
            self._head += data
            end = self._head.find(b"\r\n\r\n")
            if end < 0:
                return
            lengths = [
                line for line in self._head[:end].lower().split(b"\r\n") if line.startswith(b"content-length")
            ]
            data = self._head[end + 4 :]
            self._missing = int(lengths[0].split(b":")[1])
            self._head = b""
        self._missing -= len(data)
        if self._missing == 0:
            self._missing = -1
            if self._latency_s:
                asyncio.get_running_loop().call_later(self._latency_s, self._transport.write, RESPONSE)
            else:
                self._transport.write(RESPONSE)


async def main(latency_s: float) -> None:
    loop = asyncio.get_running_loop()
    listening = await loop.create_server(lambda: Client(latency_s), "127.0.0.1", 0)
    print(f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}/v1", flush=True)
    await loop.run_in_executor(None, sys.stdin.buffer.read)


if __name__ == "__main__":
    asyncio.run(main(float(sys.argv[1])))
