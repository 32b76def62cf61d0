"""Completions, the format of base models, as the simulator speaks it."""

from __future__ import annotations

import orjson
from pydantic import JsonValue

from vlbench.simulator.body import fields_beside
from vlbench.simulator.exchange import Asked, Failed, Said, Turn, count_tokens
from vlbench.simulator.openai_body import FINISH_REASONS, read_object, write_error
from vlbench.simulator.wire import MalformedBody


class CompletionsWire:
    """Bodies of `POST /v1/completions`; the whole prompt is one turn, and reasoning is not shown."""

    def serves(self, path: str) -> bool:
        return path.endswith("/completions") and not path.endswith("/chat/completions")

    def read(self, path: str, body: bytes, *, decode_images: bool) -> Asked:
        parsed = read_object(body)
        prompt = parsed.get("prompt")
        if not isinstance(prompt, str):
            raise MalformedBody("a prompt is needed")
        turns = (Turn("user", (prompt,)),)
        return Asked(str(parsed["model"]), turns, fields_beside(parsed, {"model", "prompt"}))

    def write(self, said: Said, asked: Asked, request_id: str) -> bytes:
        asked_tokens, said_tokens = count_tokens(asked.text), count_tokens(said.text)
        choice: dict[str, JsonValue] = {
            "index": 0,
            "text": said.text,
            "logprobs": None,
            "finish_reason": FINISH_REASONS[said.finish],
        }
        body: dict[str, JsonValue] = {
            "id": request_id,
            "object": "text_completion",
            "model": asked.model,
            "choices": [choice],
            "usage": {
                "prompt_tokens": asked_tokens,
                "completion_tokens": said_tokens,
                "total_tokens": asked_tokens + said_tokens,
            },
        }
        return orjson.dumps(body)

    def write_error(self, failed: Failed) -> bytes:
        return write_error(failed)
