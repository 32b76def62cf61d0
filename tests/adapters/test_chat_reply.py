from __future__ import annotations

import pytest
from pydantic import JsonValue

from vlbench.adapters.chat_reply import read_reply, read_usage
from vlbench.adapters.faults import ErrorBody
from vlbench.types import Reply, Usage


def _reply(message: dict[str, JsonValue], finish: str | None = "stop") -> Reply:
    reply = read_reply({"choices": [{"message": message, "finish_reason": finish}]})
    assert isinstance(reply, Reply)
    return reply


def test_thinking_blocks_inside_the_text_are_left_alone() -> None:
    assert _reply({"content": "<think>hm</think>B"}).text == "<think>hm</think>B"


@pytest.mark.parametrize("field", ["reasoning", "reasoning_content"])
def test_reasoning_in_a_field_of_its_own_is_kept_apart(field: str) -> None:
    reply = _reply({"content": "B", field: "because"})
    assert (reply.text, reply.reasoning) == ("B", "because")


def test_a_content_of_parts_is_joined_and_its_thinking_taken_out() -> None:
    thinking: JsonValue = {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}
    reply = _reply({"content": [thinking, {"type": "text", "text": "The "}, {"type": "text", "text": "end"}]})
    assert (reply.text, reply.reasoning) == ("The end", "hm")


@pytest.mark.parametrize(
    ("reason", "finish"),
    [
        ("stop", "stop"),
        (None, "stop"),
        ("tool_calls", "stop"),
        ("length", "length"),
        ("content_filter", "blocked"),
        ("SAFETY", "blocked"),
    ],
)
def test_finish_reasons_are_told_apart_and_kept(reason: str | None, finish: str) -> None:
    reply = _reply({"content": "partial"}, reason)
    assert (reply.finish, reply.finish_detail, reply.text) == (finish, reason or "", "partial")


def test_a_filter_outranks_the_refusal_it_comes_with() -> None:
    reply = _reply({"content": None, "refusal": "no"}, "content_filter")
    assert (reply.finish, reply.text) == ("blocked", "no")


@pytest.mark.parametrize("reason", ["error", "abort", "network_error"])
def test_a_reply_the_server_gave_up_on_is_an_error(reason: str) -> None:
    found = read_reply({"choices": [{"message": {"content": "The ans"}, "finish_reason": reason}]})
    assert isinstance(found, ErrorBody)
    assert found.status == 500


def test_an_error_inside_a_choice_is_an_error() -> None:
    found = read_reply({"choices": [{"error": {"code": 429, "message": "slow"}, "message": {"content": ""}}]})
    assert isinstance(found, ErrorBody)
    assert found.status == 429


def test_usage_details_are_read() -> None:
    assert read_usage(
        {
            "prompt_tokens": 100,
            "completion_tokens": 50,
            "total_tokens": 150,
            "prompt_tokens_details": {"cached_tokens": 60, "image_tokens": 30},
            "completion_tokens_details": {"reasoning_tokens": 40},
        }
    ) == Usage(
        input_tokens=100, output_tokens=50, cached_input_tokens=60, image_tokens=30, reasoning_tokens=40
    )


def test_reasoning_counted_beside_the_completion_is_added_to_it() -> None:
    usage = read_usage(
        {
            "prompt_tokens": 10,
            "completion_tokens": 5,
            "total_tokens": 35,
            "completion_tokens_details": {"reasoning_tokens": 20},
        }
    )
    assert (usage.output_tokens, usage.reasoning_tokens) == (25, 20)


@pytest.mark.parametrize("value", [-1, 1.5, "7", None, True, [], {}])
def test_a_count_that_is_none_is_unknown(value: JsonValue) -> None:
    assert read_usage({"prompt_tokens": value, "prompt_tokens_details": value}) == Usage()
