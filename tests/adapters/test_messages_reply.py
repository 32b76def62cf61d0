from __future__ import annotations

import pytest
from pydantic import JsonValue

from vlbench.adapters.faults import ErrorBody
from vlbench.adapters.messages_reply import read_reply
from vlbench.types import Reply, Usage


def _reply(**fields: JsonValue) -> Reply:
    reply = read_reply({"content": [{"type": "text", "text": "B"}], "stop_reason": "end_turn", **fields})
    assert isinstance(reply, Reply)
    return reply


def test_texts_around_thinking_are_one_answer_and_thoughts_stand_apart() -> None:
    content: JsonValue = [
        {"type": "thinking", "thinking": "Look: "},
        {"type": "text", "text": "It is "},
        {"type": "redacted_thinking", "data": "xx"},
        {"type": "thinking", "thinking": "a cat."},
        {"type": "text", "text": "B."},
        "not a block",
    ]
    reply = _reply(content=content)
    assert (reply.text, reply.reasoning) == ("It is B.", "Look: a cat.")


@pytest.mark.parametrize(
    ("reason", "finish"),
    [
        ("end_turn", "stop"),
        ("stop_sequence", "stop"),
        ("max_tokens", "length"),
        ("model_context_window_exceeded", "length"),
        ("refusal", "refused"),
        ("content_filtered", "blocked"),
    ],
)
def test_why_it_stopped(reason: str, finish: str) -> None:
    reply = _reply(stop_reason=reason)
    assert (reply.finish, reply.finish_detail, reply.text) == (finish, reason, "B")


def test_a_refusal_names_its_category() -> None:
    reply = _reply(stop_reason="refusal", content=[], stop_details={"type": "refusal", "category": "bio"})
    assert (reply.finish, reply.finish_detail, reply.text) == ("refused", "refusal (bio)", "")


def test_an_intervention_of_bedrocks_guardrail_is_a_block() -> None:
    assert _reply(**{"amazon-bedrock-guardrailAction": "INTERVENED"}).finish == "blocked"
    assert _reply(**{"amazon-bedrock-guardrailAction": "NONE"}).finish == "stop"


def test_input_tokens_are_the_sum_of_fresh_read_and_written() -> None:
    usage: JsonValue = {
        "input_tokens": 10,
        "cache_read_input_tokens": 200,
        "cache_creation_input_tokens": 3000,
        "output_tokens": 50,
        "output_tokens_details": {"thinking_tokens": 40},
    }
    assert _reply(usage=usage).usage == Usage(
        input_tokens=3210, output_tokens=50, cached_input_tokens=200, reasoning_tokens=40
    )


@pytest.mark.parametrize("usage", [None, [], {"input_tokens": "7"}, {"input_tokens": -1}])
def test_counts_that_are_none_stay_unknown(usage: JsonValue) -> None:
    assert _reply(usage=usage).usage == Usage()


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}, 529),
        ({"type": "error", "error": {"type": "rate_limit_error"}}, 429),
        ({"type": "error"}, 500),
        ({"error": {"type": "invalid_request_error"}, "content": []}, 400),
        ({"type": "message"}, 500),
        ({"content": "B"}, 500),
    ],
)
def test_an_error_inside_a_success_is_classified_by_its_type(body: dict[str, JsonValue], status: int) -> None:
    error = read_reply(body)
    assert isinstance(error, ErrorBody)
    assert error.status == status
