"""What is physically there: the same requests through a bare HTTP client or SDK, nothing kept or checked.

python -m tests.perf.raw_clients aiohttp|httpx|openai URL FOLDER REQUESTS CONCURRENCY
"""

from __future__ import annotations

import base64
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import anyio
import orjson

Send = Callable[[str, bytes], Awaitable[str]]


def body_of(question: str, picture: bytes) -> dict[str, object]:
    url = "data:image/jpeg;base64," + base64.b64encode(picture).decode()
    parts = [{"type": "image_url", "image_url": {"url": url}}, {"type": "text", "text": question}]
    return {"model": "bench", "messages": [{"role": "user", "content": parts}], "max_tokens": 4096}


async def through_aiohttp(url: str, concurrency: int, work: Callable[[Send], Awaitable[None]]) -> None:
    import aiohttp

    connector = aiohttp.TCPConnector(limit=concurrency)
    async with aiohttp.ClientSession(connector=connector) as session:

        async def send(question: str, picture: bytes) -> str:
            data = orjson.dumps(body_of(question, picture))
            headers = {"content-type": "application/json"}
            async with session.post(f"{url}/chat/completions", data=data, headers=headers) as response:
                reply = orjson.loads(await response.read())
            return str(reply["choices"][0]["message"]["content"])

        await work(send)


async def through_httpx(url: str, concurrency: int, work: Callable[[Send], Awaitable[None]]) -> None:
    import httpx

    limits = httpx.Limits(max_connections=concurrency, max_keepalive_connections=concurrency)
    async with httpx.AsyncClient(limits=limits, timeout=60) as client:

        async def send(question: str, picture: bytes) -> str:
            data = orjson.dumps(body_of(question, picture))
            headers = {"content-type": "application/json"}
            response = await client.post(f"{url}/chat/completions", content=data, headers=headers)
            return str(orjson.loads(response.content)["choices"][0]["message"]["content"])

        await work(send)


async def through_openai(url: str, concurrency: int, work: Callable[[Send], Awaitable[None]]) -> None:
    import openai

    async with openai.AsyncOpenAI(base_url=url, api_key="x", max_retries=0) as client:

        async def send(question: str, picture: bytes) -> str:
            # Any: the SDK's types of a request are far narrower than a plain body.
            body: dict[str, object] = body_of(question, picture)
            reply = await client.chat.completions.create(**body)  # type: ignore[call-overload]  # a plain body
            return str(reply.choices[0].message.content)

        await work(send)


CLIENTS = {"aiohttp": through_aiohttp, "httpx": through_httpx, "openai": through_openai}


async def main(kind: str, url: str, folder: Path, requests: int, concurrency: int) -> None:
    pictures = sorted(folder.glob("*.jpg"))  # noqa: ASYNC240  # nothing else runs yet
    numbers = iter(range(requests))
    began = 0.0

    async def work(send: Send) -> None:
        nonlocal began

        async def worker() -> None:
            for number in numbers:
                picture = pictures[number % len(pictures)].read_bytes()  # as a plain loop does
                await send(f"What is on picture {number}? A. this B. that", picture)

        began = time.perf_counter()
        async with anyio.create_task_group() as group:
            for _ in range(concurrency):
                group.start_soon(worker)

    await CLIENTS[kind](url, concurrency, work)
    print(time.perf_counter() - began)


if __name__ == "__main__":
    _, kind_, url_, folder_, requests_, concurrency_ = sys.argv
    anyio.run(main, kind_, url_, Path(folder_), int(requests_), int(concurrency_))
