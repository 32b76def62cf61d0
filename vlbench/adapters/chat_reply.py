"""The body of a Chat Completions response as a `Reply`."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import JsonValue

from vlbench.adapters.faults import ErrorBody, error_in, no_reply
from vlbench.adapters.json_body import count_in, table_in, text_of
from vlbench.printable import printable
from vlbench.types import Finish, Reply, Usage

_FINISHES: dict[str, Finish] = {
    "length": "length",
    "max_tokens": "length",
    "model_length": "length",  # Mistral
    "content_filter": "blocked",
    "sensitive": "blocked",  # Zhipu
    "safety": "blocked",
    "refusal": "refused",
}
# The server gave up half-way: what there is of a text is no answer.
_BROKEN = frozenset(
    {
        "error",  # OpenRouter
        "abort",  # SGLang
        "network_error",  # Zhipu
    }
)
_BUSY = "insufficient_system_resource"  # DeepSeek


def read_reply(body: Mapping[str, JsonValue]) -> Reply | ErrorBody:
    """The reply in the body of a 200, or the error that stands there in place of a choice."""
    if body.get("error") and not body.get("choices"):
        return error_in(body["error"])
    choice = _first(body.get("choices"))
    if choice is None:
        return no_reply("a success without any choice")
    if isinstance(choice.get("error"), dict):
        return error_in(choice["error"])
    reason = text_of(choice.get("finish_reason"))
    ended = f"the reply ended with {printable(reason, 60)!r}"
    if reason.lower() in _BROKEN:
        return no_reply(ended)
    if reason.lower() == _BUSY:
        return ErrorBody(ended, code="503")
    message = choice.get("message")
    if not isinstance(message, dict):
        # A legacy server puts the text beside the choice; nothing at all is an empty reply.
        message = {"content": choice.get("text")}
    text, thinking = _content(message.get("content"))
    refusal = text_of(message.get("refusal"))
    finish = _FINISHES.get(reason.lower(), "stop")
    return Reply(
        text=text or refusal,
        finish="refused" if refusal and finish != "blocked" else finish,
        finish_detail=printable(reason, 60),
        reasoning=text_of(message.get("reasoning_content")) or text_of(message.get("reasoning")) or thinking,
        usage=read_usage(body.get("usage")),
        model=printable(text_of(body.get("model"))),
        request_id=printable(text_of(body.get("id")), 100),
    )


def read_usage(value: JsonValue) -> Usage:
    """Tokens as billed; what is absent, negative or no whole number is None."""
    if not isinstance(value, dict):
        return Usage()
    prompt, completion = (
        table_in(value, "prompt_tokens_details"),
        table_in(value, "completion_tokens_details"),
    )
    output, reasoning = count_in(value, "completion_tokens"), count_in(completion, "reasoning_tokens")
    inputs = count_in(value, "prompt_tokens")
    total = count_in(value, "total_tokens")
    if output is not None and inputs is not None and reasoning and total == inputs + output + reasoning:
        output += reasoning  # xAI counts reasoning beside the completion; its total tells.
    cached = count_in(prompt, "cached_tokens")
    if cached is None:
        cached = count_in(value, "cached_tokens")  # Kimi
    if cached is None:
        cached = count_in(value, "prompt_cache_hit_tokens")  # DeepSeek
    return Usage(
        input_tokens=inputs,
        output_tokens=output,
        cached_input_tokens=cached,
        image_tokens=count_in(prompt, "image_tokens"),
        reasoning_tokens=reasoning,
    )


def _first(choices: JsonValue) -> dict[str, JsonValue] | None:
    return choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else None


def _content(value: JsonValue) -> tuple[str, str]:
    """Visible text and thinking of a content: a string, or a list of parts (Mistral's thinking is one)."""
    if not isinstance(value, list):
        return text_of(value), ""
    texts, thoughts = [], []
    for part in value:
        if isinstance(part, str):
            texts.append(part)
        elif isinstance(part, dict) and part.get("type") == "thinking":
            thought = part.get("thinking")
            thoughts.append(thought if isinstance(thought, str) else _content(thought)[0])
        elif isinstance(part, dict):
            texts.append(text_of(part.get("text")))
    return "".join(texts), "".join(thoughts)
