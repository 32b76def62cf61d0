"""Chat Completions as the simulator speaks it."""

from __future__ import annotations

from collections.abc import Mapping

import orjson
from pydantic import JsonValue

from vlbench.simulator.body import fields_beside
from vlbench.simulator.exchange import Asked, Failed, Said, Turn, count_tokens
from vlbench.simulator.openai_body import FINISH_REASONS, read_data_url, read_object, write_error
from vlbench.simulator.wire import MalformedBody


class ChatWire:
    """Bodies of `POST /v1/chat/completions`."""

    def serves(self, path: str) -> bool:
        return path.endswith("/chat/completions")

    def read(self, path: str, body: bytes, *, decode_images: bool) -> Asked:
        parsed = read_object(body)
        messages = parsed.get("messages")
        if not isinstance(messages, list) or not messages:
            raise MalformedBody("messages are needed")
        turns = tuple(_turn(m, decode_images) for m in messages)
        return Asked(str(parsed["model"]), turns, fields_beside(parsed, {"model", "messages"}))

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
            "choices": [{"index": 0, "message": message, "finish_reason": FINISH_REASONS[said.finish]}],
            "usage": {
                "prompt_tokens": asked_tokens,
                "completion_tokens": said_tokens,
                "total_tokens": asked_tokens + said_tokens,
                "completion_tokens_details": {"reasoning_tokens": reasoning_tokens},
            },
        }
        return orjson.dumps(body)

    def write_error(self, failed: Failed) -> bytes:
        return write_error(failed)


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
        return read_data_url(image.get("url"), decode=decode_images)
    raise MalformedBody("a part of a message is neither text nor image_url")
