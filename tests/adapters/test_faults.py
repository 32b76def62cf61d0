from __future__ import annotations

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from vlbench.adapters.faults import error_in, fault_of, read_error
from vlbench.errors import AuthFailed, BadRequest, Fault, QuotaGone, RateLimited, ServerFailed
from vlbench.printable import printable


def _fault(status: int, body: object) -> Fault:
    return fault_of(status, read_error(orjson.dumps(body)), who="X")


def test_googles_list_of_errors_is_read_with_its_details() -> None:
    details = [
        {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "58.9s"},
        {"violations": [{"quotaId": "GenerateRequestsPerMinutePerProject"}]},
    ]
    body = [{"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "m", "details": details}}]
    fault = _fault(429, body)
    assert isinstance(fault, RateLimited)
    assert fault.retry_after == pytest.approx(58.9)


def test_a_daily_quota_is_gone_and_not_a_matter_of_waiting() -> None:
    details = [{"violations": [{"quotaId": "GenerateRequestsPerDayPerProject"}]}]
    assert isinstance(_fault(429, {"error": {"code": 429, "details": details}}), QuotaGone)


def test_an_invalid_key_is_one_even_when_it_comes_as_a_400() -> None:
    body = {"error": {"code": 400, "details": [{"reason": "API_KEY_INVALID"}]}}
    assert isinstance(_fault(400, body), AuthFailed)


@pytest.mark.parametrize(
    "body",
    [
        {"error": "plain text"},
        {"detail": [{"loc": ["body"], "msg": "field required"}]},
        {"object": "error", "message": "too long", "code": 400},
        {"error": {"message": None}},
        {"error": {}},
        None,
        7,
        [],
    ],
)
def test_any_shape_of_error_body_is_read(body: object) -> None:
    assert type(_fault(400, body)) is BadRequest


def test_the_message_names_provider_status_code_and_words() -> None:
    fault = _fault(
        400, {"error": {"message": "Image too large", "code": "image_too_large", "param": "messages"}}
    )
    assert fault.message == "X answered 400 image_too_large: Image too large"
    assert (fault.status, fault.code, fault.param) == (400, "image_too_large", "messages")


@given(st.integers(min_value=100, max_value=999), st.binary(max_size=80))
def test_no_status_and_no_bytes_break_the_mapping(status: int, body: bytes) -> None:
    fault = fault_of(status, read_error(body), who="X")
    assert fault.message.isprintable()
    assert status < 500 or isinstance(fault, Fault)
    assert fault.retryable or not isinstance(fault, ServerFailed)


@given(
    st.text(st.characters(codec=None, categories=None), max_size=300), st.integers(min_value=2, max_value=80)
)
def test_printable_text_is_one_safe_line_within_its_limit(text: str, limit: int) -> None:
    line = printable(text, limit)
    assert line.isprintable()
    assert len(line) <= limit
    line.encode("utf-8")


def test_a_long_text_shows_that_it_was_cut() -> None:
    assert printable("x" * 500) == "x" * 199 + "…"


@pytest.mark.parametrize(
    ("field", "param"),
    [
        ("generation_config.top_p", "top_p"),
        ("generationConfig.topP", "top_p"),
        ("generationConfig.temperature", "temperature"),
        ("contents[0].role", "contents[0].role"),
        ("", ""),
    ],
)
def test_the_field_google_names_is_the_parameter(field: str, param: str) -> None:
    details: JsonValue = [{"reason": "X"}, {"fieldViolations": [{"field": field, "description": "no"}]}]
    assert error_in({"code": 400, "details": details}).param == param


def test_a_reason_says_more_than_a_status_repeated_as_the_code() -> None:
    assert error_in({"code": 400, "details": [{"reason": "API_KEY_INVALID"}]}).code == "API_KEY_INVALID"
    assert error_in({"code": 400, "details": [{"@type": "x"}]}).code == "400"
    assert error_in({"type": "x", "details": {"error_code": "image_too_large"}}).code == "image_too_large"
    assert error_in({"code": "own", "details": [{"reason": "X"}]}).code == "own"


def test_a_filter_without_a_code_is_known_by_its_words() -> None:
    blocked = {"type": "invalid_request_error", "message": "Output blocked by content filtering policy"}
    assert error_in(dict(blocked)).is_filter
    assert not error_in({"type": "invalid_request_error", "message": "content filtering is on"}).is_filter
