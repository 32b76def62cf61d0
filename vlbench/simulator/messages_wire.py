"""Anthropic's Messages as the simulator speaks them, at Anthropic's own paths and those of clouds."""

from __future__ import annotations

import re
from urllib.parse import unquote

import orjson
from pydantic import JsonValue

from vlbench.simulator.body import fields_beside, read_picture, read_table
from vlbench.simulator.exchange import Asked, Failed, Said, Turn, count_tokens
from vlbench.simulator.wire import MalformedBody
from vlbench.types import Finish

# Bedrock and Vertex AI: the model stands in the path.
_CLOUD_PATH = re.compile(r".*/(?:model/([^/]+)/invoke|anthropic/models/([^/]+):rawPredict)")
_STOP_REASONS: dict[Finish, str] = {
    "stop": "end_turn",
    "length": "max_tokens",
    "refused": "refusal",
    "blocked": "content_filtered",
}
_ERROR_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    504: "timeout_error",
    529: "overloaded_error",
}
# What the wire says in words of its own, by the common codes of scenarios.
_CODES = {"insufficient_quota": "enforced_spend_limit_reached"}
_MESSAGES = {"content_policy_violation": "Output blocked by content filtering policy"}


class MessagesWire:
    """Bodies of `POST /v1/messages`."""

    def serves(self, path: str) -> bool:
        return path.endswith("/messages") or _CLOUD_PATH.fullmatch(path) is not None

    def read(self, path: str, body: bytes, *, decode_images: bool) -> Asked:
        parsed = read_table(body)
        in_path = _CLOUD_PATH.fullmatch(path)
        model = unquote(in_path[1] or in_path[2]) if in_path else parsed.get("model")
        messages = parsed.get("messages")
        if not isinstance(model, str) or not isinstance(messages, list) or not messages:
            raise MalformedBody("model and messages are needed")
        if not isinstance(parsed.get("max_tokens"), int):
            raise MalformedBody("max_tokens: Field required")
        turns = [_turn(m, decode_images) for m in messages]
        if system := parsed.get("system"):
            turns.insert(0, Turn("system", _parts(system, decode_images)))
        return Asked(model, tuple(turns), fields_beside(parsed, {"model", "messages", "system"}))

    def write(self, said: Said, asked: Asked, request_id: str) -> bytes:
        content: list[JsonValue] = []
        if said.reasoning:
            content.append({"type": "thinking", "thinking": said.reasoning, "signature": ""})
        if said.text:
            content.append({"type": "text", "text": said.text})
        thought = count_tokens(said.reasoning)
        usage: dict[str, JsonValue] = {
            "input_tokens": count_tokens(asked.text, len(asked.images)),
            "output_tokens": count_tokens(said.text) + thought,
        }
        if thought:
            usage["output_tokens_details"] = {"thinking_tokens": thought}
        body: dict[str, JsonValue] = {
            "id": request_id,
            "type": "message",
            "role": "assistant",
            "model": asked.model,
            "content": content,
            "stop_reason": _STOP_REASONS[said.finish],
            "stop_sequence": None,
            "usage": usage,
        }
        return orjson.dumps(body)

    def write_error(self, failed: Failed) -> bytes:
        code = str(failed.code or "")
        error: dict[str, JsonValue] = {
            "type": _ERROR_TYPES.get(failed.status, "api_error"),
            "message": _MESSAGES.get(code, failed.message),
        }
        if failed.param is not None:
            error["param"] = failed.param
        if failed.retry_delay_s is not None:  # Google's form, which stands here at Vertex AI
            error["details"] = [{"retryDelay": f"{failed.retry_delay_s:.3f}s"}]
        elif code:
            error["details"] = {"error_code": _CODES.get(code, code)}
        return orjson.dumps({"type": "error", "error": error})


def _turn(message: JsonValue, decode_images: bool) -> Turn:
    if not isinstance(message, dict) or message.get("role") not in ("user", "assistant"):
        raise MalformedBody("the role of a message is user or assistant")
    return Turn(str(message["role"]), _parts(message.get("content"), decode_images))


def _parts(content: JsonValue, decode_images: bool) -> tuple[str | bytes, ...]:
    blocks: list[JsonValue] = content if isinstance(content, list) else [{"type": "text", "text": content}]
    return tuple(_part(b, decode_images) for b in blocks)


def _part(block: JsonValue, decode_images: bool) -> str | bytes:
    if not isinstance(block, dict):
        raise MalformedBody("a block is not an object")
    text, source = block.get("text"), block.get("source")
    if block.get("type") == "text" and isinstance(text, str) and text:
        return text
    if block.get("type") == "image" and isinstance(source, dict) and source.get("type") == "base64":
        return read_picture(source.get("data"), source.get("media_type"), decode=decode_images)
    raise MalformedBody("a block is neither a text with a character nor a picture in base64")
