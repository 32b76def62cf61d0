"""OpenAI's Responses as the simulator speaks them."""

from __future__ import annotations

import orjson
from pydantic import JsonValue

from vlbench.simulator.body import fields_beside
from vlbench.simulator.exchange import Asked, Failed, Said, Turn, count_tokens
from vlbench.simulator.openai_body import read_data_url, read_object, write_error
from vlbench.simulator.wire import MalformedBody
from vlbench.types import Finish

_INCOMPLETE: dict[Finish, str] = {"length": "max_output_tokens", "blocked": "content_filter"}


class ResponsesWire:
    """Bodies of `POST /v1/responses`."""

    def serves(self, path: str) -> bool:
        return path.endswith("/responses")

    def read(self, path: str, body: bytes, *, decode_images: bool) -> Asked:
        parsed = read_object(body)
        given = parsed.get("input")
        items: JsonValue = [{"role": "user", "content": given}] if isinstance(given, str) else given
        if not isinstance(items, list) or not items:
            raise MalformedBody("input is needed")
        turns = tuple(_turn(item, decode_images) for item in items)
        return Asked(
            str(parsed["model"]), turns, fields_beside(parsed, {"model", "input", "store", "stream"})
        )

    def write(self, said: Said, asked: Asked, request_id: str) -> bytes:
        asked_tokens = count_tokens(asked.text, len(asked.images))
        reasoning_tokens = count_tokens(said.reasoning)
        said_tokens = count_tokens(said.text) + reasoning_tokens
        reason = _INCOMPLETE.get(said.finish)
        body: dict[str, JsonValue] = {
            "id": request_id,
            "object": "response",
            "model": asked.model,
            "status": "incomplete" if reason else "completed",
            "incomplete_details": {"reason": reason} if reason else None,
            "error": None,
            "output": _output(said, request_id),
            "usage": {
                "input_tokens": asked_tokens,
                "output_tokens": said_tokens,
                "output_tokens_details": {"reasoning_tokens": reasoning_tokens},
                "total_tokens": asked_tokens + said_tokens,
            },
        }
        return orjson.dumps(body)

    def write_error(self, failed: Failed) -> bytes:
        return write_error(failed)


def _output(said: Said, request_id: str) -> list[JsonValue]:
    output: list[JsonValue] = []
    if said.reasoning:
        summary: JsonValue = [{"type": "summary_text", "text": said.reasoning}]
        output.append({"type": "reasoning", "id": f"rs_{request_id}", "summary": summary})
    part: JsonValue = {"type": "output_text", "text": said.text, "annotations": []}
    if said.finish == "refused":
        part = {"type": "refusal", "refusal": said.text}
    message: JsonValue = {
        "type": "message",
        "id": f"msg_{request_id}",
        "role": "assistant",
        "status": "completed",
        "content": [part],
    }
    return [*output, message]


def _turn(item: JsonValue, decode_images: bool) -> Turn:
    if not isinstance(item, dict) or not isinstance(item.get("role"), str):
        raise MalformedBody("an item of input needs a role")
    content = item.get("content")
    if isinstance(content, str):
        return Turn(str(item["role"]), (content,))
    if not isinstance(content, list):
        raise MalformedBody("an item of input needs content")
    return Turn(str(item["role"]), tuple(_part(p, decode_images) for p in content))


def _part(part: JsonValue, decode_images: bool) -> str | bytes:
    if not isinstance(part, dict):
        raise MalformedBody("a part of an item is not an object")
    text = part.get("text")
    if part.get("type") in ("input_text", "output_text") and isinstance(text, str):
        return text
    if part.get("type") == "input_image":
        return read_data_url(part.get("image_url"), decode=decode_images)
    raise MalformedBody("a part of an item is neither input_text nor input_image")
