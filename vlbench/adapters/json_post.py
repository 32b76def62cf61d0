"""A wire format whose request and reply are one JSON object each: everything but the two objects."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol

from pydantic import JsonValue

from vlbench.adapters.adapter import ImageBytes
from vlbench.adapters.body import Body, Shape
from vlbench.adapters.faults import ErrorBody, fault_of, read_error
from vlbench.adapters.http import HttpReply
from vlbench.adapters.json_body import read_object
from vlbench.adapters.limit_headers import Allowances, read_allowances, spent_wait
from vlbench.adapters.waits import retry_after
from vlbench.catalog.entry import ProviderEntry
from vlbench.errors import Fault
from vlbench.printable import printable
from vlbench.types import Completion, Reply, Request

_REJECTED_CODES = frozenset({"unsupportedparameter", "unsupportedvalue"})


class Endpoint(Protocol):
    """What carries a body to the provider and back: our own HTTP, or a vendor's client on top of it."""

    async def open(self) -> None:
        """Import and make what is needed. Raises `UsageError` for what can never work."""

    async def post(self, path: str, body: bytes) -> HttpReply:
        """Send `body` once. An error answer is a reply; a failure of the network raises a `Fault`."""

    async def close(self) -> None:
        """Close every connection."""


@dataclass(frozen=True, slots=True)
class JsonFormat:
    """The two objects of a wire format, and the `path` they go to below the base URL.

    `shape` gives what the catalog says of a model, `build` the body of a request in that shape, `read` the
    reply in the body of a 200, or the error that stands there in its place.
    """

    path: str
    shape: Callable[[ProviderEntry, str], Shape]
    build: Callable[[Request, Shape, ImageBytes], Body]
    read: Callable[[Mapping[str, JsonValue]], Reply | ErrorBody]


class JsonPostAdapter:
    """Speaks `wire` through `endpoint`; see `Adapter` for what each method promises.

    What a server rejects (a parameter, the system role) is learnt once for each model and kept while the
    adapter lives.
    """

    def __init__(self, entry: ProviderEntry, endpoint: Endpoint, wire: JsonFormat) -> None:
        self._entry = entry
        self._endpoint = endpoint
        self._wire = wire
        self._images: ImageBytes | None = None
        self._shapes: dict[str, Shape] = {}

    async def open(self, images: ImageBytes) -> None:
        """Make the connection pools; `images` gives the bytes of the pictures to send."""
        await self._endpoint.open()
        self._images = images

    async def complete(self, request: Request) -> Completion:
        """Send `request` once; again only after a rejection that a change of form can cure."""
        if self._images is None:
            raise RuntimeError("complete() before open()")
        shape = self._shapes.get(request.model) or self._wire.shape(self._entry, request.model)
        while True:
            body = self._wire.build(request, shape, self._images)
            answer = await self._endpoint.post(self._wire.path, body.content)
            read = self._read(answer)
            if isinstance(read, Reply):
                self._shapes[request.model] = shape
                return _completion(read, answer, body)
            status = answer.status if read.is_unreadable or not _is_success(answer) else read.status
            adjusted = _adjusted(shape, status, read, request)
            if adjusted is None:
                raise self._fault(status, answer, read, request)
            shape = adjusted

    def explain(self, error: Exception) -> Fault | None:
        """Every failure of `complete` is raised as a fault already."""
        return error if isinstance(error, Fault) else None

    async def close(self) -> None:
        """Close the connections."""
        await self._endpoint.close()

    def _read(self, answer: HttpReply) -> Reply | ErrorBody:
        """The reply (a content filter's word is one too), or else what the error was."""
        if _is_success(answer):
            read = self._wire.read(read_object(answer.body, self._entry.name))
            may_filter = True
        else:
            read = read_error(answer.body)
            may_filter = 400 <= answer.status < 500
        if isinstance(read, ErrorBody) and read.is_filter and may_filter:
            return Reply(text="", finish="blocked", finish_detail=printable(read.code or read.message, 60))
        return read

    def _fault(self, status: int, answer: HttpReply, error: ErrorBody, request: Request) -> Fault:
        now = datetime.now(UTC)
        wait = retry_after(answer.headers, now)
        if wait is None and error.delay_s is None and status == 429:
            wait = spent_wait(read_allowances(answer.headers, now))
        return fault_of(
            status,
            error,
            who=self._entry.name,
            retry_after=wait,
            request_id=_request_id(answer),
            has_images=bool(request.images),
        )


def _adjusted(shape: Shape, status: int, error: ErrorBody, request: Request) -> Shape | None:
    """The shape to try after this rejection; None when the form of the body was not the reason.

    A code beside the two for parameters means that the field is known and its value wrong ("too large"):
    that is the user's to correct. Some servers repeat the status as the code, which says nothing.
    """
    if status == 400 and error.param:
        unnamed = not error.code or error.code == str(status)
        if unnamed or error.words & _REJECTED_CODES:
            adjusted = shape.without(error.param)
            if adjusted is not None:
                return adjusted
    # `messages[0].role` and `input[0].role`.
    if status in (400, 422, 500) and (error.param.endswith("].role") or error.rejects_system):
        return shape.merged() if any(m.role == "system" for m in request.messages) else None
    return None


def _is_success(answer: HttpReply) -> bool:
    return 200 <= answer.status < 300


def _completion(reply: Reply, answer: HttpReply, body: Body) -> Completion:
    allowances = _allowances(answer)
    update: dict[str, object] = {"adjustments": body.adjustments}
    if request_id := _request_id(answer):
        update["request_id"] = request_id
    return Completion(reply.model_copy(update=update), allowances.requests, allowances.tokens)


def _allowances(answer: HttpReply) -> Allowances:
    try:
        return read_allowances(answer.headers, datetime.now(UTC))
    except (ArithmeticError, LookupError, TypeError, ValueError):
        # The reply is paid for: a header nobody has thought of must not lose it.
        return Allowances()


def _request_id(answer: HttpReply) -> str:
    return printable(answer.headers.get("x-request-id", ""), 100)
