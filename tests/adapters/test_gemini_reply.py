from __future__ import annotations

import pytest
from pydantic import JsonValue

from vlbench.adapters.faults import ErrorBody
from vlbench.adapters.gemini_reply import read_reply
from vlbench.types import Reply, Usage


def _candidate(reason: str, *parts: JsonValue) -> JsonValue:
    return [{"content": {"role": "model", "parts": list(parts)}, "finishReason": reason}]


def _reply(body: dict[str, JsonValue]) -> Reply:
    reply = read_reply(body)
    assert isinstance(reply, Reply), reply
    return reply


def test_thoughts_stand_apart_from_the_answer() -> None:
    parts: list[JsonValue] = [{"text": "hm", "thought": True}, {"text": "It is "}, {"text": "B"}]
    reply = _reply({"candidates": _candidate("STOP", *parts), "modelVersion": "m-1", "responseId": "r"})
    assert (reply.text, reply.reasoning, reply.finish) == ("It is B", "hm", "stop")
    assert (reply.model, reply.request_id) == ("m-1", "r")


@pytest.mark.parametrize(
    "reason",
    ["SAFETY", "RECITATION", "PROHIBITED_CONTENT", "BLOCKLIST", "SPII", "IMAGE_SAFETY", "MODEL_ARMOR"],
)
def test_a_blocked_answer_keeps_its_beginning(reason: str) -> None:
    reply = _reply({"candidates": _candidate(reason, {"text": "The"})})
    assert (reply.finish, reply.finish_detail, reply.text) == ("blocked", reason, "The")


def test_a_blocked_prompt_has_no_candidate_and_is_no_fault() -> None:
    feedback: JsonValue = {"blockReason": "PROHIBITED_CONTENT"}
    usage: JsonValue = {"promptTokenCount": 5}
    reply = _reply({"promptFeedback": feedback, "usageMetadata": usage})
    assert (reply.finish, reply.finish_detail, reply.text) == ("blocked", "PROHIBITED_CONTENT", "")
    assert reply.usage == Usage(input_tokens=5)


@pytest.mark.parametrize("content", [{"role": "model"}, {}, None, {"parts": None}])
def test_a_limit_eaten_by_thinking_is_a_cut_off_without_text(content: JsonValue) -> None:
    candidates: JsonValue = [{"content": content, "finishReason": "MAX_TOKENS"}]
    usage: JsonValue = {"promptTokenCount": 5, "thoughtsTokenCount": 64}
    reply = _reply({"candidates": candidates, "usageMetadata": usage})
    assert (reply.finish, reply.text) == ("length", "")
    assert reply.usage == Usage(input_tokens=5, output_tokens=64, reasoning_tokens=64)


def test_output_is_candidates_and_thoughts_and_cached_is_part_of_the_input() -> None:
    usage: JsonValue = {
        "promptTokenCount": 1200,
        "cachedContentTokenCount": 1000,
        "toolUsePromptTokenCount": 7,
        "candidatesTokenCount": 3,
        "thoughtsTokenCount": 40,
        "promptTokensDetails": [
            {"modality": "TEXT", "tokenCount": 84},
            {"modality": "IMAGE", "tokenCount": 558},
            {"modality": "IMAGE", "tokenCount": 558},
        ],
    }
    assert _reply({"candidates": _candidate("STOP"), "usageMetadata": usage}).usage == Usage(
        input_tokens=1207,
        output_tokens=43,
        cached_input_tokens=1000,
        image_tokens=1116,
        reasoning_tokens=40,
    )


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({}, 500),
        ({"candidates": []}, 500),
        ({"promptFeedback": {}}, 500),
        ({"candidates": _candidate("OTHER", {"text": "half an"})}, 500),
        ({"candidates": _candidate("MALFORMED_RESPONSE")}, 500),
        ({"candidates": _candidate("A_REASON_OF_TOMORROW", {"text": "B"})}, 500),
        ({"candidates": _candidate("PUP_LIMITED_DISABLED")}, 403),
        ({"error": {"code": 503, "status": "UNAVAILABLE"}}, 503),
        ({"error": {"status": "RESOURCE_EXHAUSTED", "details": [{"reason": "RATE_LIMIT_EXCEEDED"}]}}, 429),
        ({"error": {"status": "INVALID_ARGUMENT", "details": [{"reason": "X"}]}}, 400),
    ],
)
def test_a_reply_that_is_none_says_what_it_was(body: dict[str, JsonValue], status: int) -> None:
    error = read_reply(body)
    assert isinstance(error, ErrorBody)
    assert error.status == status
