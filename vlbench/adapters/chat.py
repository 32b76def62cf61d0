"""Any server that speaks OpenAI's Chat Completions: self-hosted ones and most vendors."""

from __future__ import annotations

from datetime import UTC, datetime

from vlbench.adapters.adapter import ImageBytes
from vlbench.adapters.chat_body import Body, Shape, build_body
from vlbench.adapters.chat_reply import read_reply
from vlbench.adapters.faults import ErrorBody, error_in, fault_of, read_error
from vlbench.adapters.http import Http, HttpReply
from vlbench.adapters.json_body import read_object
from vlbench.adapters.limit_headers import read_allowances, spent_wait
from vlbench.adapters.printable import printable
from vlbench.adapters.waits import retry_after
from vlbench.catalog.entry import ProviderEntry
from vlbench.errors import Fault
from vlbench.types import Completion, Reply, Request

_PATH = "/chat/completions"
_REJECTED_CODES = frozenset({"unsupportedparameter", "unsupportedvalue"})


class ChatAdapter:
    """`POST /chat/completions` through our own lean HTTP seam; see `Adapter` for what each method promises.

    What a server rejects (a parameter, the system role) is learnt once for each model and kept while the
    adapter lives. The pool holds `entry.limits.max_concurrency` connections to each address.
    """

    def __init__(self, entry: ProviderEntry, urls: tuple[str, ...], key: str | None) -> None:
        self._entry = entry
        self._http = Http(
            urls,
            headers=entry.headers,
            key=key,
            connections=max(entry.limits.concurrency, entry.limits.max_concurrency),
        )
        self._images: ImageBytes | None = None
        self._shapes: dict[str, Shape] = {}

    async def open(self, images: ImageBytes) -> None:
        """Make the connection pools; `images` gives the bytes of the pictures to send."""
        await self._http.open()
        self._images = images

    async def complete(self, request: Request) -> Completion:
        """Send `request` once; again only after a rejection that a change of form can cure."""
        if self._images is None:
            raise RuntimeError("complete() before open()")
        shape = self._shapes.get(request.model) or Shape.of(self._entry, request.model)
        while True:
            body = build_body(request, shape, self._images)
            answer = await self._http.post(_PATH, body.content)
            completion, error = self._read(answer, body)
            if completion is not None:
                self._shapes[request.model] = shape
                return completion
            status = error.status if _is_success(answer) else answer.status
            adjusted = _adjusted(shape, status, error, request)
            if adjusted is None:
                raise self._fault(status, answer, error, request)
            shape = adjusted

    def explain(self, error: Exception) -> Fault | None:
        """Every failure of `complete` is raised as a fault already."""
        return error if isinstance(error, Fault) else None

    async def close(self) -> None:
        """Close the connections."""
        await self._http.close()

    def _read(self, answer: HttpReply, body: Body) -> tuple[Completion | None, ErrorBody]:
        """The completion, or else what the error was."""
        if not _is_success(answer):
            error = read_error(answer.body)
            if not (error.is_filter and 400 <= answer.status < 500):
                return None, error
            return _completion(_blocked(error, answer), answer, body), error
        parsed = read_object(answer.body, self._entry.name)
        if parsed.get("error") and not parsed.get("choices"):
            error = error_in(parsed["error"])
            if not error.is_filter:
                return None, error
            return _completion(_blocked(error, answer), answer, body), error
        reply = read_reply(parsed)
        if isinstance(reply, ErrorBody):
            return None, reply
        return _completion(reply, answer, body), ErrorBody("")

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
    about_role = error.param.startswith("messages") and error.param.endswith(".role")
    if status in (400, 422, 500) and (about_role or error.rejects_system):
        return shape.merged() if any(m.role == "system" for m in request.messages) else None
    return None


def _is_success(answer: HttpReply) -> bool:
    return 200 <= answer.status < 300


def _blocked(error: ErrorBody, answer: HttpReply) -> Reply:
    return Reply(text="", finish="blocked", finish_detail=printable(error.code or error.message, 60))


def _completion(reply: Reply, answer: HttpReply, body: Body) -> Completion:
    allowances = read_allowances(answer.headers, datetime.now(UTC))
    update: dict[str, object] = {"adjustments": body.adjustments}
    if request_id := _request_id(answer):
        update["request_id"] = request_id
    return Completion(reply.model_copy(update=update), allowances.requests, allowances.tokens)


def _request_id(answer: HttpReply) -> str:
    return printable(answer.headers.get("x-request-id", ""), 100)
