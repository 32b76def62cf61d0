"""The body of a Responses answer as a `Reply`.

Field and status names: types of the Python package openai 3.57.0 (`openai.types.responses`), 2026-11-30.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from pydantic import JsonValue

from vlbench.adapters.faults import ErrorBody, error_in, no_reply
from vlbench.adapters.json_body import count_in, table_in, tables_in, text_of
from vlbench.printable import printable
from vlbench.types import Finish, Reply, Usage

_INCOMPLETE: dict[str, Finish] = {"max_output_tokens": "length", "content_filter": "blocked"}
# A failure inside a 200 has no status: these codes mean the request itself, and no retry will mend it.
_BAD_REQUEST = frozenset(
    {
        "data_residency_mismatch",
        "invalid_image",
        "invalid_image_format",
        "invalid_base64_image",
        "invalid_image_url",
        "invalid_image_mode",
        "image_too_large",
        "image_too_small",
        "image_parse_error",
        "image_file_too_large",
        "image_file_not_found",
        "unsupported_image_media_type",
        "empty_image_file",
        "failed_to_download_image",
    }
)


def read_reply(body: Mapping[str, JsonValue]) -> Reply | ErrorBody:
    """The reply in the body of a 200, or the error that stands there in its place."""
    status = text_of(body.get("status"))
    if status == "failed" or (body.get("error") and not body.get("output")):
        return _error(body)
    output = body.get("output")
    if not isinstance(output, list):
        return no_reply("a success without any output")
    if status not in ("completed", "incomplete", ""):
        return no_reply(f"the reply ended with {printable(status, 60)!r}")
    items = tables_in(output)
    text, refusal = _said(items)
    reason = text_of(table_in(body, "incomplete_details").get("reason"))
    # Whatever else made it incomplete, its text is cut off.
    finish: Finish = _INCOMPLETE.get(reason, "length") if status == "incomplete" else "stop"
    return Reply(
        text=text or refusal,
        finish="refused" if refusal and finish != "blocked" else finish,
        finish_detail=printable(reason or status, 60),
        reasoning=_thought(items),
        usage=read_usage(body.get("usage")),
        model=printable(text_of(body.get("model"))),
        request_id=printable(text_of(body.get("id")), 100),
    )


def read_usage(value: JsonValue) -> Usage:
    """Tokens as billed; what is absent, negative or no whole number is None."""
    if not isinstance(value, dict):
        return Usage()
    return Usage(
        input_tokens=count_in(value, "input_tokens"),
        output_tokens=count_in(value, "output_tokens"),
        cached_input_tokens=count_in(table_in(value, "input_tokens_details"), "cached_tokens"),
        reasoning_tokens=count_in(table_in(value, "output_tokens_details"), "reasoning_tokens"),
    )


def _error(body: Mapping[str, JsonValue]) -> ErrorBody:
    error = error_in(body.get("error") or "the reply failed without a reason")
    if error.code in _BAD_REQUEST:
        return replace(error, words=error.words | {"invalidrequesterror"})
    return error


def _said(items: list[dict[str, JsonValue]]) -> tuple[str, str]:
    """The visible text and the refusal. Remarks made on the way count only where no answer follows."""
    messages = [item for item in items if item.get("type") == "message"]
    answers = [m for m in messages if m.get("phase") != "commentary"] or messages
    parts = [part for message in answers for part in tables_in(message.get("content"))]
    text = "".join(text_of(p.get("text")) for p in parts if p.get("type") == "output_text")
    return text, "".join(text_of(p.get("refusal")) for p in parts if p.get("type") == "refusal")


def _thought(items: list[dict[str, JsonValue]]) -> str:
    """The reasoning in full where the server shows it, else its summary."""
    reasoning = [item for item in items if item.get("type") == "reasoning"]
    full = "".join(text_of(p.get("text")) for item in reasoning for p in tables_in(item.get("content")))
    summaries = [text_of(p.get("text")) for item in reasoning for p in tables_in(item.get("summary"))]
    return full or "\n\n".join(summaries)
