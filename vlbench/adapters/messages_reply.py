"""The body of a Messages response as a `Reply`."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import JsonValue

from vlbench.adapters.faults import ErrorBody, error_in, no_reply
from vlbench.adapters.json_body import count_in, table_in, tables_in, text_of
from vlbench.printable import printable
from vlbench.types import Finish, Reply, Usage

_FINISHES: dict[str, Finish] = {
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "refused",
    "content_filtered": "blocked",  # Bedrock
    "guardrail_intervened": "blocked",  # Bedrock
}


def read_reply(body: Mapping[str, JsonValue]) -> Reply | ErrorBody:
    """The reply in the body of a 200, or the error that stands there in its place."""
    if body.get("type") == "error" or (body.get("error") and not body.get("content")):
        return error_in(body.get("error") or dict(body))
    content = body.get("content")
    if not isinstance(content, list):
        return no_reply("a success without any content")
    blocks = tables_in(content)
    reason = text_of(body.get("stop_reason"))
    category = text_of(table_in(body, "stop_details").get("category"))
    if body.get("amazon-bedrock-guardrailAction") == "INTERVENED":
        reason = "guardrail_intervened"
    return Reply(
        text=_joined(blocks, "text"),
        finish=_FINISHES.get(reason, "stop"),
        finish_detail=printable(f"{reason} ({category})" if category else reason, 60),
        reasoning=_joined(blocks, "thinking"),
        usage=read_usage(table_in(body, "usage")),
        model=printable(text_of(body.get("model"))),
        request_id=printable(text_of(body.get("id")), 100),
    )


def read_usage(usage: Mapping[str, JsonValue]) -> Usage:
    """Tokens as billed. Here `input_tokens` are only those neither read from nor written to the cache."""
    read, written = count_in(usage, "cache_read_input_tokens"), count_in(usage, "cache_creation_input_tokens")
    fresh = count_in(usage, "input_tokens")
    return Usage(
        input_tokens=None if fresh is None else fresh + (read or 0) + (written or 0),
        output_tokens=count_in(usage, "output_tokens"),
        cached_input_tokens=read,
        reasoning_tokens=count_in(table_in(usage, "output_tokens_details"), "thinking_tokens"),
    )


def _joined(blocks: list[dict[str, JsonValue]], kind: str) -> str:
    """All text of one kind; the model's text may come in several blocks (around its thinking)."""
    return "".join(text_of(b.get(kind)) for b in blocks if b.get("type") == kind)
