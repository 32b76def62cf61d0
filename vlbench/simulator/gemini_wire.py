"""Google's generateContent as the simulator speaks it."""

from __future__ import annotations

import re
from urllib.parse import unquote

import orjson
from pydantic import JsonValue

from vlbench.simulator.body import read_picture, read_table
from vlbench.simulator.exchange import Asked, Failed, Said, Turn, count_tokens
from vlbench.simulator.wire import MalformedBody

_PATH = re.compile(r".*/models/([^/]+):generateContent")
_STATUSES = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
}
_TYPE = "type.googleapis.com/google.rpc."
# What the wire says in words of its own, by the common codes of scenarios.
_REASONS = {"invalid_api_key": "API_KEY_INVALID"}
_DAILY = {"quotaId": "GenerateRequestsPerDayPerProjectPerModel", "quotaValue": "250"}


class GeminiWire:
    """Bodies of `POST …/models/M:generateContent`.

    `Asked.fields` has the generation parameters beside the other fields, all by their protocol-buffer names
    (`top_p`), which the API takes as well as the JSON ones (`topP`).
    """

    def serves(self, path: str) -> bool:
        return _PATH.fullmatch(path) is not None

    def read(self, path: str, body: bytes, *, decode_images: bool) -> Asked:
        parsed = _by_proto_names(read_table(body))
        in_path = _PATH.fullmatch(path)
        contents = parsed.pop("contents", None)
        if in_path is None or not isinstance(contents, list) or not contents:
            raise MalformedBody("contents is not specified")
        turns = [_turn(c, decode_images) for c in contents]
        system, config = parsed.pop("system_instruction", None), parsed.pop("generation_config", None)
        if isinstance(system, dict):
            turns.insert(0, Turn("system", _turn({**system, "role": "user"}, decode_images).parts))
        fields = parsed | (_by_proto_names(config) if isinstance(config, dict) else {})
        return Asked(unquote(in_path[1]), tuple(turns), fields)

    def write(self, said: Said, asked: Asked, request_id: str) -> bytes:
        prompt = count_tokens(asked.text, len(asked.images))
        answered, thought = count_tokens(said.text), count_tokens(said.reasoning)
        usage: dict[str, JsonValue] = {
            "promptTokenCount": prompt,
            "candidatesTokenCount": answered,
            "totalTokenCount": prompt + answered + thought,
        }
        if thought:
            usage["thoughtsTokenCount"] = thought
        body: dict[str, JsonValue] = {
            "usageMetadata": usage,
            "modelVersion": asked.model,
            "responseId": request_id,
        }
        if said.finish == "blocked" and not said.text:
            body["promptFeedback"] = {"blockReason": "PROHIBITED_CONTENT"}
        else:
            body["candidates"] = [_candidate(said)]
        return orjson.dumps(body)

    def write_error(self, failed: Failed) -> bytes:
        details: list[JsonValue] = []
        if failed.code == "insufficient_quota":
            details.append({"@type": f"{_TYPE}QuotaFailure", "violations": [dict(_DAILY)]})
        elif failed.code:
            reason = _REASONS.get(str(failed.code), str(failed.code).upper())
            details.append({"@type": f"{_TYPE}ErrorInfo", "reason": reason, "domain": "googleapis.com"})
        if failed.param is not None:
            nested = failed.param.isidentifier()
            field = f"generation_config.{failed.param}" if nested else failed.param
            details.append({"@type": f"{_TYPE}BadRequest", "fieldViolations": [{"field": field}]})
        if failed.retry_delay_s is not None:
            delay = f"{failed.retry_delay_s:.3f}s"
            details.append({"@type": f"{_TYPE}RetryInfo", "retryDelay": delay})
        error: dict[str, JsonValue] = {
            "code": failed.status,
            "message": failed.message,
            "status": _STATUSES.get(failed.status, "UNKNOWN"),
        }
        if details:
            error["details"] = details
        return orjson.dumps({"error": error})


def _candidate(said: Said) -> dict[str, JsonValue]:
    reasons = {"length": "MAX_TOKENS", "blocked": "SAFETY"}
    parts: list[JsonValue] = []
    if said.reasoning:
        parts.append({"text": said.reasoning, "thought": True})
    if said.text:
        parts.append({"text": said.text})
    content: dict[str, JsonValue] = {"role": "model", "parts": parts} if parts else {"role": "model"}
    return {"content": content, "finishReason": reasons.get(said.finish, "STOP"), "index": 0}


def _by_proto_names(table: dict[str, JsonValue]) -> dict[str, JsonValue]:
    return {re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower(): value for name, value in table.items()}


def _turn(content: JsonValue, decode_images: bool) -> Turn:
    if not isinstance(content, dict) or content.get("role") not in ("user", "model"):
        raise MalformedBody("Please use a valid role: user, model.")
    parts = content.get("parts")
    if not isinstance(parts, list) or not parts:
        raise MalformedBody("a content without parts")
    role = "assistant" if content["role"] == "model" else "user"
    return Turn(role, tuple(_part(p, decode_images) for p in parts))


def _part(part: JsonValue, decode_images: bool) -> str | bytes:
    if not isinstance(part, dict):
        raise MalformedBody("a part is not an object")
    fields = _by_proto_names(part)
    text, blob = fields.get("text"), fields.get("inline_data")
    if isinstance(text, str) and text:
        return text
    if isinstance(blob, dict):
        named = _by_proto_names(blob)
        # Both alphabets are taken: Google's own clients send the one for URLs.
        data = str(named.get("data", "")).replace("-", "+").replace("_", "/")
        return read_picture(data, named.get("mime_type"), decode=decode_images)
    raise MalformedBody("a part is neither a text with a character nor inline data")
