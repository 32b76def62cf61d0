"""The body of a generateContent response as a `Reply`."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import JsonValue

from vlbench.adapters.faults import ErrorBody, error_in, no_reply
from vlbench.adapters.json_body import MOST_TOKENS, count_in, table_in, tables_in, text_of
from vlbench.printable import printable
from vlbench.types import Finish, Reply, Usage

_FINISHES: dict[str, Finish] = {
    "STOP": "stop",
    "MAX_TOKENS": "length",
    "CONTINUATION": "length",
    "SAFETY": "blocked",
    "RECITATION": "blocked",
    "LANGUAGE": "blocked",
    "BLOCKLIST": "blocked",
    "PROHIBITED_CONTENT": "blocked",
    "SPII": "blocked",
    "IMAGE_SAFETY": "blocked",
    "IMAGE_PROHIBITED_CONTENT": "blocked",
    "IMAGE_RECITATION": "blocked",
    "MODEL_ARMOR": "blocked",
    "ESCALATION": "blocked",
}
# The account is limited for breaking the policy on use: it fails with every further request.
_ACCOUNT_LIMITED = "PUP_LIMITED_DISABLED"


def read_reply(body: Mapping[str, JsonValue]) -> Reply | ErrorBody:
    """The reply in the body of a 200, or the error that stands there in its place.

    A blocked prompt comes without a candidate, a blocked answer with a finish reason; neither is an error.
    A reason beside those known (OTHER, a malformed response) means that the server gave up half-way.
    """
    if body.get("error") and not body.get("candidates"):
        return error_in(body["error"])
    candidate = next(iter(tables_in(body.get("candidates"))), None)
    if candidate is None:
        reason = text_of(table_in(body, "promptFeedback").get("blockReason"))
        return _reply(body, {}, "blocked", reason) if reason else no_reply("no candidate")
    reason = text_of(candidate.get("finishReason"))
    if reason == _ACCOUNT_LIMITED:
        return ErrorBody("the account is limited or disabled", code="403")
    finish = _FINISHES.get(reason or "STOP")
    if finish is None:
        return no_reply(f"the reply ended with {printable(reason, 60)!r}")
    return _reply(body, candidate, finish, reason)


def read_usage(usage: Mapping[str, JsonValue]) -> Usage:
    """Tokens as billed. Here the candidates' count leaves out the thoughts, which are billed as output."""
    prompt, tools = count_in(usage, "promptTokenCount"), count_in(usage, "toolUsePromptTokenCount")
    said, thought = count_in(usage, "candidatesTokenCount"), count_in(usage, "thoughtsTokenCount")
    details = tables_in(usage.get("promptTokensDetails"))
    images = sum(count_in(d, "tokenCount") or 0 for d in details if d.get("modality") == "IMAGE")
    return Usage(
        input_tokens=None if prompt is None else prompt + (tools or 0),
        output_tokens=None if said is None and thought is None else (said or 0) + (thought or 0),
        cached_input_tokens=count_in(usage, "cachedContentTokenCount"),
        image_tokens=images if 0 < images <= MOST_TOKENS else None,
        reasoning_tokens=thought,
    )


def _reply(
    body: Mapping[str, JsonValue], candidate: Mapping[str, JsonValue], finish: Finish, reason: str
) -> Reply:
    said = tables_in(table_in(candidate, "content").get("parts"))
    return Reply(
        text="".join(text_of(p.get("text")) for p in said if not p.get("thought")),
        finish=finish,
        finish_detail=printable(reason, 60),
        reasoning="".join(text_of(p.get("text")) for p in said if p.get("thought")),
        usage=read_usage(table_in(body, "usageMetadata")),
        model=printable(text_of(body.get("modelVersion"))),
        request_id=printable(text_of(body.get("responseId")), 100),
    )
