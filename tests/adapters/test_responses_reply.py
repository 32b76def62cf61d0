from __future__ import annotations

import pytest
from pydantic import JsonValue

from vlbench.adapters.faults import ErrorBody
from vlbench.adapters.responses_reply import read_reply, read_usage
from vlbench.types import Finish, Reply, Usage


def _message(*parts: dict[str, JsonValue], **more: JsonValue) -> dict[str, JsonValue]:
    return {"type": "message", "role": "assistant", "content": list(parts), **more}


def _text(text: str) -> dict[str, JsonValue]:
    return {"type": "output_text", "text": text}


def _reply(body: dict[str, JsonValue]) -> Reply:
    reply = read_reply(body)
    assert isinstance(reply, Reply), reply
    return reply


def _error(body: dict[str, JsonValue]) -> ErrorBody:
    error = read_reply(body)
    assert isinstance(error, ErrorBody), error
    return error


def test_the_answer_its_reasoning_and_who_gave_it() -> None:
    summary: JsonValue = [
        {"type": "summary_text", "text": "First."},
        {"type": "summary_text", "text": "Then."},
    ]
    reply = _reply(
        {
            "id": "resp_1",
            "model": "gpt-6-2026",
            "status": "completed",
            "output": [{"type": "reasoning", "summary": summary}, _message(_text("It is "), _text("B."))],
        }
    )
    assert (reply.text, reply.finish, reply.finish_detail) == ("It is B.", "stop", "completed")
    assert (reply.reasoning, reply.model, reply.request_id) == ("First.\n\nThen.", "gpt-6-2026", "resp_1")


def test_reasoning_in_full_wins_over_its_summary() -> None:
    item: JsonValue = {
        "type": "reasoning",
        "summary": [{"text": "short"}],
        "content": [{"type": "reasoning_text", "text": "all of it"}],
    }
    assert _reply({"output": [item]}).reasoning == "all of it"


def test_a_remark_on_the_way_is_not_the_answer() -> None:
    remark = _message(_text("Let me look at A first."), phase="commentary")
    answer = _message(_text("C"), phase="final_answer")
    assert _reply({"status": "completed", "output": [remark, answer]}).text == "C"
    assert _reply({"status": "incomplete", "output": [remark]}).text == "Let me look at A first."


@pytest.mark.parametrize(
    ("reason", "finish"),
    [("max_output_tokens", "length"), ("content_filter", "blocked"), ("steered", "length"), (None, "length")],
)
def test_an_incomplete_reply_says_why(reason: str | None, finish: Finish) -> None:
    details: JsonValue = {"reason": reason} if reason else None
    reply = _reply(
        {"status": "incomplete", "incomplete_details": details, "output": [_message(_text("The"))]}
    )
    assert (reply.text, reply.finish) == ("The", finish)
    assert reply.finish_detail == (reason or "incomplete")


def test_a_cut_off_that_thinking_ate_is_empty() -> None:
    body: dict[str, JsonValue] = {
        "status": "incomplete",
        "incomplete_details": {"reason": "max_output_tokens"},
        "output": [{"type": "reasoning", "summary": []}],
    }
    assert (_reply(body).text, _reply(body).finish) == ("", "length")


def test_a_refusal_is_one_with_its_text() -> None:
    reply = _reply({"status": "completed", "output": [_message({"type": "refusal", "refusal": "I won't."})]})
    assert (reply.text, reply.finish) == ("I won't.", "refused")


@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("server_error", 500),
        ("vector_store_timeout", 500),
        ("rate_limit_exceeded", 429),
        ("image_parse_error", 400),
        ("unsupported_image_media_type", 400),
    ],
)
def test_a_failure_inside_a_success_has_the_status_of_its_code(code: str, status: int) -> None:
    error = _error({"status": "failed", "error": {"code": code, "message": "no"}, "output": []})
    assert (error.status, error.is_filter, error.message) == (status, False, "no")


@pytest.mark.parametrize("code", ["image_content_policy_violation", "invalid_prompt", "bio_policy"])
def test_a_failure_by_policy_is_a_filters_word(code: str) -> None:
    assert _error({"status": "failed", "error": {"code": code, "message": "no"}}).is_filter


@pytest.mark.parametrize("status", ["cancelled", "queued", "in_progress", "\x1b[31mnew"])
def test_a_reply_that_never_ended_is_an_error(status: str) -> None:
    error = _error({"status": status, "output": [_message(_text("B"))]})
    assert error.status == 500
    assert error.message.isprintable()


def test_a_failure_without_a_reason_is_one() -> None:
    assert _error({"status": "failed", "error": None, "output": []}).status == 500


def test_usage_counts_cached_and_reasoning_tokens_inside_the_sums() -> None:
    value: JsonValue = {
        "input_tokens": 900,
        "input_tokens_details": {"cached_tokens": 512, "cache_write_tokens": 0},
        "output_tokens": 70,
        "output_tokens_details": {"reasoning_tokens": 64},
        "total_tokens": 970,
    }
    assert read_usage(value) == Usage(
        input_tokens=900, output_tokens=70, cached_input_tokens=512, reasoning_tokens=64
    )
