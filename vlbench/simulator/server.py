"""A provider on the loopback that behaves as a `Scenario` says: for tests, the demo and dry runs."""

from __future__ import annotations

import ipaddress
import random
import re
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import NoReturn

import anyio
import anyio.to_thread
import orjson

from vlbench.errors import UsageError
from vlbench.simulator.chat_wire import ChatWire
from vlbench.simulator.completions_wire import CompletionsWire
from vlbench.simulator.exchange import Asked, Broken, Failed, Said, Step, count_tokens
from vlbench.simulator.gemini_wire import GeminiWire
from vlbench.simulator.http_server import HttpAnswer, HttpRequest, listening
from vlbench.simulator.log import Log, LogEntry
from vlbench.simulator.messages_wire import MessagesWire
from vlbench.simulator.quota import QuotaGate
from vlbench.simulator.responses_wire import ResponsesWire
from vlbench.simulator.scenario import Scenario
from vlbench.simulator.wire import MalformedBody, Wire

WIRES: tuple[Wire, ...] = (
    ChatWire(),
    ResponsesWire(),
    CompletionsWire(),
    MessagesWire(),
    GeminiWire(),
)

_NO_STATUS = 0


class Simulator:
    """Answers requests as `scenario` says. `log` lists those that named a model, in order of completion.

    `connections` counts those ever made.
    """

    def __init__(self, scenario: Scenario, url: str = "") -> None:
        self.url = url
        self.connections = 0
        self._scenario = scenario
        self._log = Log()
        self._rng = random.Random(scenario.seed)
        self._gate = QuotaGate(scenario.quota, time.monotonic) if scenario.quota else None
        self._arrived = 0
        self._in_flight = 0
        self._capacity = scenario.capacity
        slow = scenario.capacity is not None and scenario.when_full == "slow"
        self._places = anyio.CapacityLimiter(scenario.capacity or 1) if slow else None
        self._threads = anyio.CapacityLimiter(2)

    @property
    def log(self) -> Sequence[LogEntry]:
        return self._log.entries

    async def answer(self, request: HttpRequest) -> HttpAnswer:
        """The response to any request; a stalled one never returns."""
        if request.method == "GET":
            return self._answer_get(request.path)
        wire = next((w for w in WIRES if w.serves(request.path)), None)
        if request.method != "POST" or wire is None:
            return HttpAnswer(404, b'{"error":{"message":"no such address","code":"not_found"}}')
        try:
            looks = self._scenario.record or not isinstance(self._scenario.replies, Sequence)
            asked = wire.read(request.path, request.body, decode_images=looks)
        except MalformedBody as error:
            return HttpAnswer(400, wire.write_error(Failed(400, "invalid_request", str(error))))
        return await self._answer_asked(wire, asked, request.headers)

    def _answer_get(self, path: str) -> HttpAnswer:
        if path == "/health":
            return HttpAnswer(200, b'{"status":"ok"}')
        if path == "/_log":
            return HttpAnswer(200, self._log.to_json())
        if path.endswith("/models"):
            models = [{"id": self._scenario.model, "object": "model", "owned_by": "vlbench"}]
            return HttpAnswer(200, orjson.dumps({"object": "list", "data": models}))
        return HttpAnswer(404, b'{"error":{"message":"no such address","code":"not_found"}}')

    async def _answer_asked(self, wire: Wire, asked: Asked, headers: Mapping[str, str]) -> HttpAnswer:
        arrived = time.time()
        self._arrived += 1
        number = self._arrived
        self._in_flight += 1
        status = _NO_STATUS
        try:
            answer = self._refusal(wire, asked, headers)
            if answer is None:
                async with self._turn():
                    answer = await self._act(wire, asked, number)
            status = _NO_STATUS if answer.cut else answer.status
            return answer
        finally:
            self._in_flight -= 1
            if self._scenario.record:
                self._log.add(asked, time=arrived, status=status)

    @asynccontextmanager
    async def _turn(self) -> AsyncIterator[None]:
        """A place to be served in, waited for where a full server is slow."""
        if self._places is None:
            yield
            return
        async with self._places:
            yield

    @property
    def capacity(self) -> int | None:
        """How many requests may be in flight; may be changed at any time."""
        return self._capacity

    @capacity.setter
    def capacity(self, capacity: int) -> None:
        self._capacity = capacity
        if self._places is not None:
            self._places.total_tokens = capacity

    def _refusal(self, wire: Wire, asked: Asked, headers: Mapping[str, str]) -> HttpAnswer | None:
        """The answer to a request that is not let in: wrong key, over a limit, too many at once."""
        scenario = self._scenario
        if scenario.key is not None and _key_in(headers) != scenario.key:
            return HttpAnswer(401, wire.write_error(Failed(401, "invalid_api_key", "wrong key")))
        if self._gate is not None:
            wait = self._gate.enter(count_tokens(asked.text, len(asked.images)))
            if wait > 0:
                in_body = wait if scenario.quota and scenario.quota.wait == "body" else None
                failed = Failed(429, "rate_limit_exceeded", "too fast", retry_delay_s=in_body)
                body = wire.write_error(failed)
                return HttpAnswer(429, body, self._gate.headers() + self._gate.wait_headers(wait))
        if self.capacity is not None and self._in_flight > self.capacity:
            match scenario.when_full:
                case "503":
                    return HttpAnswer(503, wire.write_error(Failed(503, "overloaded", "too many at once")))
                case "429":
                    return HttpAnswer(429, wire.write_error(Failed(429, "concurrency", "too many at once")))
                case "slow":
                    return None
        return None

    async def _act(self, wire: Wire, asked: Asked, number: int) -> HttpAnswer:
        # Both are drawn for every request, so that one scenario's faults do not shift another's latencies.
        fault, latency = self._scenario.draw_fault(self._rng), self._scenario.latency.draw(self._rng)
        if latency:
            await anyio.sleep(latency)
        step = fault if fault is not None else await self._step(asked, number)
        headers = self._gate.headers() if self._gate else ()
        request_id = f"sim-{number}"
        match step:
            case str():
                return HttpAnswer(200, wire.write(Said(step), asked, request_id), headers)
            case Said():
                return HttpAnswer(200, wire.write(step, asked, request_id), headers)
            case Failed():
                body = wire.write_error(step) if step.body is None else step.body
                return HttpAnswer(step.status, body, headers + step.headers)
            case Broken("cut"):
                whole = HttpAnswer(200, wire.write(Said("cut short"), asked, request_id), headers)
                return replace(whole, cut=True)
            case Broken():
                return await _never()

    async def _step(self, asked: Asked, number: int) -> Step:
        replies = self._scenario.replies
        if replies is None:
            return await anyio.to_thread.run_sync(_look, asked, limiter=self._threads)
        if isinstance(replies, Mapping):
            found = (step for pattern, step in replies.items() if re.search(pattern, asked.text))
            return next(found, Failed(400, "no_script", "no pattern of the scenario matches"))
        if isinstance(replies, Sequence):
            return replies[(number - 1) % len(replies)]
        return replies(asked)


def _key_in(headers: Mapping[str, str]) -> str:
    """The key, in whichever header a wire's clients send it."""
    told = (headers.get(name, "") for name in ("authorization", "x-goog-api-key", "x-api-key", "api-key"))
    return next(filter(None, told), "").removeprefix("Bearer ")


async def _never() -> NoReturn:
    while True:
        await anyio.sleep_forever()


def _look(asked: Asked) -> str:
    # In here because numpy and Pillow take long to import, and only this model needs them.
    from vlbench.simulator.eye.model import answer

    asked_last = next((t for t in reversed(asked.turns) if t.role == "user"), None)
    if asked_last is None:
        return answer("", ())
    return answer(
        "\n".join(p for p in asked_last.parts if isinstance(p, str)),
        [p for p in asked_last.parts if isinstance(p, bytes)],
        worked_examples=sum(t.role == "assistant" for t in asked.turns),
    )


@asynccontextmanager
async def serve(
    scenario: Scenario | None = None, *, host: str = "127.0.0.1", port: int = 0
) -> AsyncIterator[Simulator]:
    """Serve `scenario` on the loopback; port 0 takes a free one. `url` ends in `/v1`.

    Raises `UsageError` for an address that others could reach, or one in use.
    """
    if not ipaddress.ip_address(host).is_loopback:
        raise UsageError(f"The simulator serves the loopback only, not {host}.")
    simulator = Simulator(scenario or Scenario())

    def count() -> None:
        simulator.connections += 1

    async with listening(simulator.answer, host, port, accepted=count) as address:
        simulator.url = f"{address}/v1"
        yield simulator


def run(
    host: str = "127.0.0.1",
    port: int = 0,
    scenario: Scenario | None = None,
    *,
    ready: Callable[[str], None] = print,
) -> None:
    """Serve until interrupted; `ready` is told the URL."""

    async def forever() -> None:
        async with serve(scenario, host=host, port=port) as simulator:
            ready(simulator.url)
            await anyio.sleep_forever()

    anyio.run(forever)
