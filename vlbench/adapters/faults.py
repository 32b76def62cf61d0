"""From a status and an error body to a fault. Shared by every adapter whose server answers JSON over HTTP."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

import orjson
from pydantic import JsonValue

from vlbench.adapters.json_body import tables_in, text_of
from vlbench.adapters.waits import parse_duration
from vlbench.errors import (
    AuthFailed,
    BadRequest,
    Fault,
    NoImageSupport,
    NoSuchModel,
    Overloaded,
    QuotaGone,
    RateLimited,
    ServerFailed,
    Unreadable,
)
from vlbench.printable import printable

# Codes are compared without case, dots and underscores: vendors spell one word in several ways.
_QUOTA = frozenset(
    {
        "insufficientquota",  # OpenAI
        "billinghardlimitreached",  # OpenAI
        "billingnotactive",  # OpenAI
        "exceededcurrentquotaerror",  # Kimi
        "insufficientbalance",  # DeepSeek
        "insufficientcredits",  # OpenRouter
        "arrearage",  # DashScope
        "allocationquotafreetieronly",  # DashScope
        "accountoverdueerror",  # Ark
        "billingerror",  # Anthropic
        "enforcedspendlimitreached",  # Anthropic
        "contractspendlimitreached",  # Anthropic
        "linkedorganizationspendlimitreached",  # Anthropic
    }
)
_KEY = frozenset({"invalidapikey", "apikeyinvalid", "authenticationerror", "invalidauthenticationerror"})
_MODEL = frozenset({"modelnotfound", "resourcenotfounderror", "invalidendpointormodelnotfound"})
_FILTER = frozenset(
    {
        "contentfilter",  # Azure OpenAI
        "contentpolicyviolation",  # OpenAI
        "imagecontentpolicyviolation",  # OpenAI
        "invalidprompt",  # OpenAI: what reasoning models call a prompt flagged under the usage policy
        "biopolicy",  # OpenAI
        "misalignmentpolicyviolation",  # OpenAI
        "responsibleaipolicyviolation",  # Azure OpenAI
        "datainspectionfailed",  # DashScope
        "sensitivecontentdetected",  # Ark
        "inputtextsensitivecontentdetected",  # Ark
        "inputimagesensitivecontentdetected",  # Ark
    }
)
_TOO_LONG = frozenset({"contextlengthexceeded", "contextwindowexceeded", "exceedcontextsizeerror"})
# Errors inside a 200 name their kind instead of a status.
_STATUS_OF = {
    "ratelimitexceeded": 429,
    "ratelimiterror": 429,
    "ratelimitreachederror": 429,
    "toomanyrequests": 429,
    "resourceexhausted": 429,
    "overloadederror": 529,
    "engineoverloadederror": 503,
    "serviceunavailable": 503,
    "serviceunavailableerror": 503,
    "unavailable": 503,
    "invalidrequesterror": 400,
    "invalidargument": 400,
    "badrequesterror": 400,
    "notfounderror": 404,
    "notfound": 404,
    "permissiondenied": 403,
    "permissiondeniederror": 403,
    "permissionerror": 403,
    "requesttoolarge": 413,
}
# No code exists for these two, so the words of the servers themselves decide (llama.cpp, vLLM, OpenAI,
# OpenRouter; checked 2026-11). They are looked for only in an error, and only where they can apply.
_NO_IMAGE = re.compile(
    r"image input is not supported|is not a multimodal model|at most 0 image"
    r"|image_url is only supported by certain models|no endpoints found that support image input",
    re.IGNORECASE,
)
_NO_SYSTEM = re.compile(
    r"system role (is )?not supported|does not support .{0,20}\bsystem\b"
    r"|developer instruction is not enabled",  # Gemini API, of Gemma
    re.IGNORECASE,
)
# Anthropic says both with a bare 400 (checked 2026-11).
_FILTERED = re.compile(r"blocked by content filtering", re.IGNORECASE)
_NO_CREDIT = re.compile(r"credit balance is too low", re.IGNORECASE)
_ERROR_STATUS = re.compile(r"[45][0-9]{2}")


@dataclass(frozen=True, slots=True)
class ErrorBody:
    """What a server said of an error, as it stands there (not yet safe to print).

    `words` are its codes and types in lower case without punctuation; `delay_s` is Gemini's RetryInfo.
    `is_unreadable` marks a success that says of no error, and holds no whole reply either.
    """

    message: str
    code: str = ""
    param: str = ""
    words: frozenset[str] = frozenset()
    delay_s: float | None = None
    daily: bool = False
    is_unreadable: bool = False

    @property
    def is_filter(self) -> bool:
        """Whether a content filter stopped the request."""
        return bool(self.words & _FILTER or _FILTERED.search(self.message))

    @property
    def rejects_system(self) -> bool:
        """Whether the model's chat template knows no system role."""
        return bool(_NO_SYSTEM.search(self.message))

    @property
    def rejects_images(self) -> bool:
        """Whether the model or server takes no images at all."""
        return bool(_NO_IMAGE.search(self.message))

    @property
    def status(self) -> int:
        """The HTTP status this error would have had; for errors that come inside a 200."""
        if _ERROR_STATUS.fullmatch(self.code):
            return int(self.code)
        return next((_STATUS_OF[w] for w in sorted(self.words) if w in _STATUS_OF), 500)


def no_reply(message: str) -> ErrorBody:
    """What stands in a success without a whole reply; `message` says what is wrong with it."""
    return ErrorBody(message, is_unreadable=True)


def read_error(body: bytes) -> ErrorBody:
    """The error in a response body; a body that is not JSON becomes the message itself."""
    try:
        parsed: JsonValue = orjson.loads(body)
    except orjson.JSONDecodeError:
        return ErrorBody(body[:1000].decode("utf-8", "replace"))
    if isinstance(parsed, list) and parsed:
        parsed = parsed[0]  # Gemini's compatible endpoint wraps the object in a list.
    if not isinstance(parsed, dict):
        return ErrorBody(body[:1000].decode("utf-8", "replace"))
    return error_in(parsed.get("error") or parsed.get("detail") or parsed)


def error_in(value: JsonValue) -> ErrorBody:
    """The error described by the `error` field of a body."""
    if not isinstance(value, dict):
        return ErrorBody(value if isinstance(value, str) else json.dumps(value))
    code, param, message = value.get("code"), value.get("param"), value.get("message")
    names = [code, value.get("type"), value.get("status")]
    inner = value.get("innererror")
    if isinstance(inner, Mapping):
        names.append(inner.get("code"))
    details = value.get("details")
    entries = tables_in(details)
    reasons = [text_of(d.get("reason")) for d in entries]
    if isinstance(details, Mapping):  # Anthropic's
        reasons += [text_of(details.get("error_code"))]
    names += reasons
    # A status repeated as the code says less than the reason beside it.
    if code is None or isinstance(code, int):
        code = next(filter(None, reasons), code)
    return ErrorBody(
        message=message if isinstance(message, str) else json.dumps(value),
        code=str(code) if isinstance(code, str | int) else "",
        param=param if isinstance(param, str) else _violated_field(entries),
        words=frozenset(_word(n) for n in names if isinstance(n, str)),
        delay_s=_retry_info(entries),
        daily=any("perday" in str(d.get("violations", "")).lower() for d in entries),
    )


def fault_of(
    status: int,
    error: ErrorBody,
    *,
    who: str,
    retry_after: float | None = None,
    request_id: str = "",
    has_images: bool = False,
) -> Fault:
    """The fault for an error answer of `who` (the provider's name). `status` and codes decide.

    `retry_after` is what the headers say, in seconds; the wait in the body is used where they say nothing.
    """
    kind, advice = _kind(status, error, has_images)
    said = printable(error.message) or "no message"
    code = printable(error.code, 60)
    label = f"{status} {code}" if code and code != str(status) else f"{status}"
    return kind(
        f"{who} answered {label}: {said}{advice}",
        status=status,
        code=code,
        param=printable(error.param, 60),
        retry_after=error.delay_s if retry_after is None else retry_after,
        request_id=request_id,
    )


def _kind(status: int, error: ErrorBody, has_images: bool) -> tuple[type[Fault], str]:
    if error.is_unreadable:
        return Unreadable, ""
    if error.words & _QUOTA or status == 402 or (status == 429 and error.daily):
        return QuotaGone, " — the account has no quota or money left; add some, then resume."
    if error.words & _KEY or status == 401:
        return AuthFailed, " — check that the key is right and active."
    if status == 400 and _NO_CREDIT.search(error.message):
        return QuotaGone, " — the account has no credit left; add some, then resume."
    if status == 403 and "balance" in error.message.lower():
        # Kimi says "no money" with a bare 403. Both kinds stop the lane, so a wrong guess costs a word only.
        return QuotaGone, " — the account has no balance left; add some, then resume."
    if error.words & _MODEL and status < 500:
        return NoSuchModel, " — check the model's id with the provider's list of models."
    if has_images and error.rejects_images and status != 429:
        return NoImageSupport, " — choose a model that sees images, or load its vision part."
    if error.words & _TOO_LONG:
        return BadRequest, " — the request is longer than the model's context; a smaller image may pass."
    if status < 400:
        return NoSuchModel, " — this address redirects elsewhere; give the API's own base URL."
    return _BY_STATUS.get(status) or ((ServerFailed, "") if status >= 500 else (BadRequest, ""))


_BY_STATUS: dict[int, tuple[type[Fault], str]] = {
    403: (AuthFailed, " — the key may not use this model or address."),
    404: (NoSuchModel, " — check the model's id and the base URL (it usually ends in /v1)."),
    405: (NoSuchModel, " — check the base URL (it usually ends in /v1)."),
    408: (ServerFailed, ""),
    409: (ServerFailed, ""),
    413: (BadRequest, " — the request is too large; a smaller image may pass."),
    425: (ServerFailed, ""),
    429: (RateLimited, ""),
    498: (Overloaded, ""),  # Groq: flex capacity exceeded
    503: (Overloaded, ""),
    529: (Overloaded, ""),
}


def _word(name: str) -> str:
    return "".join(c for c in name.lower() if c.isalnum())


def _violated_field(entries: list[dict[str, JsonValue]]) -> str:
    """The field Google's BadRequest names, by its name in the body's own table: `top_p`."""
    violations = [v for entry in entries for v in tables_in(entry.get("fieldViolations"))]
    field = next((text_of(v.get("field")) for v in violations), "")
    leaf = re.sub(r"\Ageneration_?config\.", "", field, flags=re.IGNORECASE)
    return re.sub(r"(?<=[a-z0-9])[A-Z]", lambda upper: f"_{upper[0].lower()}", leaf)


def _retry_info(entries: list[dict[str, JsonValue]]) -> float | None:
    for entry in entries:
        delay = entry.get("retryDelay")
        if isinstance(delay, str):
            return parse_duration(delay)
    return None
