"""Chat Completions as the simulator speaks it."""

from __future__ import annotations

from collections.abc import Mapping

import orjson
import pybase64
from pydantic import JsonValue

from vlbench.simulator.exchange import Asked, Failed, Said, Turn, count_tokens
from vlbench.simulator.wire import MalformedBody
from vlbench.types import Finish

_FINISH_REASONS: dict[Finish, str] = {
    "stop": "stop",
    "length": "length",
    "refused": "stop",
    "blocked": "content_filter",
}


class ChatWire:
    """Bodies of `POST /v1/chat/completions`."""

    def serves(self, path: str) -> bool:
        return path.endswith("/chat/completions")

    def read(self, path: str, body: bytes, *, decode_images: bool) -> Asked:
        try:
            parsed: JsonValue = orjson.loads(body)
        except orjson.JSONDecodeError as error:
            raise MalformedBody(f"not JSON: {error}") from error
        if not isinstance(parsed, dict):
            raise MalformedBody("not an object")
        model, messages = parsed.get("model"), parsed.get("messages")
        if not isinstance(model, str) or not isinstance(messages, list) or not messages:
            raise MalformedBody("model and messages are needed")
        turns = tuple(_turn(m, decode_images) for m in messages)
        fields = {name: value for name, value in parsed.items() if name not in ("model", "messages")}
        return Asked(model, turns, fields)

    def write(self, said: Said, asked: Asked, request_id: str) -> bytes:
        message: dict[str, JsonValue] = {"role": "assistant", "content": said.text, "refusal": None}
        if said.finish == "refused":
            message |= {"content": None, "refusal": said.text}
        if said.reasoning:
            message["reasoning_content"] = said.reasoning
        asked_tokens = count_tokens(asked.text, len(asked.images))
        reasoning_tokens = count_tokens(said.reasoning)
        said_tokens = count_tokens(said.text) + reasoning_tokens
        body: dict[str, JsonValue] = {
            "id": request_id,
            "object": "chat.completion",
            "model": asked.model,
            "choices": [{"index": 0, "message": message, "finish_reason": _FINISH_REASONS[said.finish]}],
            "usage": {
                "prompt_tokens": asked_tokens,
                "completion_tokens": said_tokens,
                "total_tokens": asked_tokens + said_tokens,
                "completion_tokens_details": {"reasoning_tokens": reasoning_tokens},
            },
        }
        return orjson.dumps(body)

    def write_error(self, failed: Failed) -> bytes:
        error: dict[str, JsonValue] = {
            "message": failed.message,
            "type": "invalid_request_error" if failed.status < 429 else "server_error",
            "param": failed.param,
            "code": failed.code,
        }
        if failed.retry_delay_s is not None:
            info: JsonValue = {
                "@type": "type.googleapis.com/google.rpc.RetryInfo",
                "retryDelay": f"{failed.retry_delay_s:.3f}s",
            }
            error["details"] = [info]
        return orjson.dumps({"error": error})


def _turn(message: JsonValue, decode_images: bool) -> Turn:
    if not isinstance(message, dict) or not isinstance(message.get("role"), str):
        raise MalformedBody("a message needs a role")
    content = message.get("content")
    parts: list[JsonValue] = content if isinstance(content, list) else [{"type": "text", "text": content}]
    return Turn(str(message["role"]), tuple(_part(p, decode_images) for p in parts))


def _part(part: JsonValue, decode_images: bool) -> str | bytes:
    if not isinstance(part, dict):
        raise MalformedBody("a part of a message is not an object")
    text, image = part.get("text"), part.get("image_url")
    if part.get("type") == "text" and isinstance(text, str):
        return text
    if part.get("type") == "image_url" and isinstance(image, Mapping):
        return _image(image.get("url"), decode_images)
    raise MalformedBody("a part of a message is neither text nor image_url")


def _image(url: JsonValue, decode: bool) -> bytes:
    if not isinstance(url, str) or not url.startswith("data:image/"):
        raise MalformedBody("a picture must be a data: URL")
    head, _, data = url.partition(";base64,")
    if not data or len(head) > 40:
        raise MalformedBody("a picture must be base64")
    if not decode:
        return data.encode()
    try:
        return pybase64.b64decode(data, validate=True)
    except ValueError as error:
        raise MalformedBody(f"a picture is not base64: {error}") from error
