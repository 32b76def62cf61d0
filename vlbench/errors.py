"""Everything that can go wrong, as one tree. A message says what happened, where, and what to do next."""

from __future__ import annotations

from typing import ClassVar, Literal


class VlbenchError(Exception):
    """An error the user can act on. Commands print its message as one paragraph and exit with `exit_code`."""

    exit_code: ClassVar[int] = 2


class UsageError(VlbenchError):
    """The command line or a run file asks for something that does not exist or does not fit together."""


class CatalogError(VlbenchError):
    """An entry of `providers/` or `prompts/` cannot be used."""


class DatasetError(VlbenchError):
    """A data file is missing, has another layout than expected, or holds broken rows."""


class StoreError(VlbenchError):
    """A run directory, journal or cache cannot be read or written."""


Stops = Literal["nothing", "model", "lane"]


class Fault(Exception):
    """One failed attempt at a provider. Typed by status and error code, never by searching a message.

    `retryable` decides whether the same request may be sent again; `stops` what would fail with every further
    request too (this model, or the whole lane); `congestion` whether the server asks for fewer in flight.
    `retry_after` is the wait in seconds the server asked for, None when it named none. `most_attempts` bounds
    how often a request that fails so is sent, whatever the policy allows; None for no bound of its own.
    """

    kind: ClassVar[str] = "fault"
    retryable: ClassVar[bool] = False
    stops: ClassVar[Stops] = "nothing"
    congestion: ClassVar[bool] = False
    most_attempts: ClassVar[int | None] = None

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        code: str = "",
        param: str = "",
        retry_after: float | None = None,
        request_id: str = "",
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.code = code
        self.param = param
        self.retry_after = retry_after
        self.request_id = request_id


class RateLimited(Fault):
    """Too many requests or tokens (429 without an exhausted quota)."""

    kind = "rate_limited"
    retryable = True
    congestion = True


class Overloaded(Fault):
    """The server is too busy for anyone (503, 529)."""

    kind = "overloaded"
    retryable = True
    congestion = True


class ServerFailed(Fault):
    """The server failed on this request (500, 502, 504, 408, 409, an error inside a 200)."""

    kind = "server_failed"
    retryable = True


class Unreadable(ServerFailed):
    """A success that holds no whole reply: no JSON, a page of a proxy, nothing, or an end half-way.

    It may have been billed, so it is asked for twice more and no further.
    """

    most_attempts = 3


class Timeout(Fault):
    """No complete answer before the deadline of the attempt."""

    kind = "timeout"
    retryable = True
    congestion = True


class Network(Fault):
    """The connection could not be made or was cut."""

    kind = "network"
    retryable = True


class BadRequest(Fault):
    """The server will never accept this request (400, 413, 422, a context that is too long)."""

    kind = "bad_request"


class NoImageSupport(Fault):
    """The model or server takes no images at all; every further request with one would fail too."""

    kind = "no_image_support"
    stops = "model"


class AuthFailed(Fault):
    """The key is missing, wrong or not allowed (401, 403)."""

    kind = "auth_failed"
    stops = "lane"


class NoSuchModel(Fault):
    """The model or address does not exist (404)."""

    kind = "no_such_model"
    stops = "model"


class QuotaGone(Fault):
    """The account has no money or quota left; waiting will not help."""

    kind = "quota_gone"
    stops = "lane"
