"""Whether a provider can be used: reach, key, model, and whether its model sees what it is sent."""

from __future__ import annotations

import re
import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

import anyio
import anyio.to_thread

from vlbench.adapters.adapter import Adapter
from vlbench.adapters.probe import Server
from vlbench.catalog.resolve import final_decoding
from vlbench.engine.asked import Asked
from vlbench.engine.servers import probe_one
from vlbench.errors import (
    AuthFailed,
    Fault,
    Network,
    NoImageSupport,
    NoSuchModel,
    Overloaded,
    QuotaGone,
    RateLimited,
    Timeout,
    UsageError,
)
from vlbench.media.canary import Canaries
from vlbench.printable import printable
from vlbench.types import Allowance, Completion, Decoding, ImagePart, Message, Part, Request, TextPart

ANSWER_WITHIN_S: Final = 180.0
LOOK_AGAIN_AFTER_S: Final = 2.0
_SHOWN: Final = 80
_NUMBER: Final = re.compile(r"\d+")

State = Literal["ok", "failed", "unknown"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at, and what was found in words."""

    what: str
    state: State
    detail: str


@dataclass(slots=True)
class Checked:
    """What was found of one target; `servers` are its replicas as they were found, by address."""

    target: str
    findings: list[Finding] = field(default_factory=list)
    servers: dict[tuple[str, str], Server] = field(default_factory=dict)

    @property
    def is_usable(self) -> bool:
        return all(finding.state != "failed" for finding in self.findings)

    def add(self, what: str, state: State, detail: str) -> None:
        """Write one finding down."""
        self.findings.append(Finding(what, state, detail))


def draw_numbers() -> tuple[str, str, str]:
    """Three different numbers of three digits that no model can guess."""
    found: dict[str, None] = {}
    while len(found) < 3:
        found[str(100 + secrets.randbelow(900))] = None
    first, second, third = found
    return first, second, third


async def check(
    asked: Asked,
    adapter: Adapter,
    *,
    wait_s: float = 0.0,
    numbers: tuple[str, str, str] | None = None,
    look_again_after_s: float = LOOK_AGAIN_AFTER_S,
) -> Checked:
    """Look at one target with at most two cheap requests; for up to `wait_s` a server may still be loading.

    The first shows a picture of a number, the second two of them, whose order must be kept; a model that
    takes no pictures is asked in words. `numbers` are the three that are drawn.
    """
    checked = Checked(asked.variant.id)
    deadline = time.monotonic() + wait_s
    if asked.entry.self_hosted and not asked.entry.built_in:
        await _look_at_servers(asked, checked, deadline, look_again_after_s)
        if not any(server.state == "ready" for server in checked.servers.values()):
            return checked
    if asked.entry.wire == "embeddings":
        checked.add("image", "unknown", "an embedding model names no number; a run compares its vectors")
        return checked
    asking = _Asking(asked, adapter, checked, deadline, look_again_after_s)
    try:
        await asking.all(numbers or draw_numbers())
    except UsageError as error:
        checked.add("entry", "failed", str(error))
    finally:
        with anyio.CancelScope(shield=True), anyio.move_on_after(5.0):
            await adapter.close()
    return checked


async def _look_at_servers(asked: Asked, checked: Checked, deadline: float, again_after_s: float) -> None:
    model = asked.variant.model
    while True:
        for url in asked.variant.urls:
            known = checked.servers.get((url, model))
            if known is None or known.state in ("loading", "unreachable"):
                checked.servers[url, model] = await anyio.to_thread.run_sync(probe_one, asked, url)
        waits = [s for s in checked.servers.values() if s.state in ("loading", "unreachable")]
        if not waits or time.monotonic() >= deadline:
            break
        await anyio.sleep(again_after_s)
    for server in checked.servers.values():
        checked.add("server", "ok" if server.state == "ready" else "failed", _told(server))
    offered = {name for server in checked.servers.values() for name in server.models}
    if offered and model not in offered:
        some = ", ".join(sorted(offered)[:10])
        checked.add("model", "failed", f"{printable(model, _SHOWN)} is not offered; the server has {some}")


def _told(server: Server) -> str:
    parts: list[str] = [server.state]
    if server.version:
        parts.append(f"version {server.version}")
    if server.weights:
        parts.append(f"weights {server.weights}")
    if server.detail:
        parts.append(server.detail)
    return f"{server.url}: {', '.join(parts)}"


class _Asking:
    """The requests to one target."""

    def __init__(
        self, asked: Asked, adapter: Adapter, checked: Checked, deadline: float, again_after_s: float
    ) -> None:
        self._asked = asked
        self._adapter = adapter
        self._checked = checked
        self._deadline = deadline
        self._again_after_s = again_after_s
        self._pictures = Canaries()

    async def all(self, numbers: tuple[str, str, str]) -> None:
        entry, model = self._asked.entry, self._asked.variant.model
        await self._adapter.open(self._pictures)
        if not entry.facts(model).takes_images or entry.wire == "completions":
            await self._ask("reply", (TextPart("Reply with the number 7 and nothing else."),), self._heard)
            return
        one, *two = numbers
        asked_for = "Which number does the picture show? Reply with its digits only."
        saw = self._saw((one,))
        if await self._ask("image", (self._shown(one), TextPart(asked_for)), saw) and (
            entry.images.max_count != 1 and not entry.built_in
        ):
            asked_for = "Which number does each picture show? Reply with both, in this order, digits only."
            parts: tuple[Part, ...] = (*map(self._shown, two), TextPart(asked_for))
            await self._ask("two images", parts, self._saw(tuple(two)))

    def _shown(self, number: str) -> ImagePart:
        return ImagePart(self._pictures.draw(number))

    async def _ask(self, what: str, parts: tuple[Part, ...], judged: Callable[[str, str], Finding]) -> bool:
        """Send one request and write down what came of it. Whether a reply came."""
        variant, entry = self._asked.variant, self._asked.entry
        decoding = final_decoding(variant, entry, Decoding())
        try:
            completion = await self._patiently(Request(variant.model, (Message("user", parts),), decoding))
        except Fault as fault:
            self._checked.add(_concerned(fault, what), "failed", fault.message)
            return False
        if what != "two images":
            self._tell_reached(completion)
        reply = completion.reply
        if reply.finish == "length" and not reply.text.strip():
            self._checked.add(what, "unknown", "the output limit was used up before an answer")
        else:
            self._checked.findings.append(judged(what, reply.text))
        return True

    async def _patiently(self, request: Request) -> Completion:
        """A completion; a server that is still loading is asked again until the deadline."""
        while True:
            try:
                return await self._once(request)
            except (Network, Overloaded):
                if time.monotonic() >= self._deadline:
                    raise
            await anyio.sleep(self._again_after_s)

    async def _once(self, request: Request) -> Completion:
        try:
            with anyio.fail_after(ANSWER_WITHIN_S):
                return await self._adapter.complete(request)
        except TimeoutError:
            raise Timeout(f"no reply within {ANSWER_WITHIN_S:g} s") from None
        except Fault:
            raise
        except Exception as error:  # the border to SDKs: what `explain` does not know is raised again
            fault = self._adapter.explain(error)
            if fault is None:
                raise
            raise fault from None

    def _tell_reached(self, completion: Completion) -> None:
        reported = completion.reply.model
        model = self._asked.variant.model
        named = f"it calls itself {reported}" if reported and reported != model else "it answers"
        has_key = self._asked.key is not None
        self._checked.add("key", "ok" if has_key else "unknown", "accepted" if has_key else "none was sent")
        self._checked.add("model", "ok", named)
        limits = [
            text
            for text in (_left("requests", completion.requests), _left("tokens", completion.tokens))
            if text
        ]
        self._checked.add("limits", "ok" if limits else "unknown", ", ".join(limits) or "no header names any")
        for adjustment in completion.reply.adjustments:
            self._checked.add("parameters", "ok", adjustment)

    def _saw(self, numbers: Sequence[str]) -> Callable[[str, str], Finding]:
        def judged(what: str, text: str) -> Finding:
            read = tuple(_NUMBER.findall(text))[-len(numbers) :]
            if read == tuple(numbers):
                return Finding(what, "ok", f"it reads {' and '.join(numbers)}")
            if self._asked.entry.built_in:
                return Finding(what, "unknown", "the built-in model sees shapes; it reads no digits")
            order = " It reads them in the wrong order." if set(read) == set(numbers) else ""
            said = printable(text, _SHOWN) or "nothing"
            return Finding(
                what,
                "failed",
                f"it does not read {' and '.join(numbers)}: it said {said!r}.{order} "
                "Does the server show its model the pictures?",
            )

        return judged

    def _heard(self, what: str, text: str) -> Finding:
        state: State = "ok" if "7" in text else "unknown"
        return Finding(what, state, f"asked in words, it said {printable(text, _SHOWN)!r}")


def _concerned(fault: Fault, what: str) -> str:
    """What a fault is about."""
    match fault:
        case AuthFailed():
            return "key"
        case NoSuchModel():
            return "model"
        case NoImageSupport():
            return "image"
        case QuotaGone():
            return "account"
        case RateLimited():
            return "limits"
        case Network() | Overloaded() | Timeout():
            return "server"
        case _:
            return what


def _left(name: str, allowance: Allowance) -> str:
    if allowance.limit is None and allowance.remaining is None:
        return ""
    of = f" of {allowance.limit:,} a minute" if allowance.limit is not None else ""
    left = (
        f"{allowance.remaining:,}{of} left"
        if allowance.remaining is not None
        else f"{allowance.limit:,} a minute"
    )
    return f"{name}: {left}"
