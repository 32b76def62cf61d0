from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from vlbench.adapters.limit_headers import read_allowances, spent_wait
from vlbench.adapters.waits import parse_duration, parse_reset, retry_after
from vlbench.types import Allowance

NOW = datetime(2026, 11, 30, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("120ms", 0.12),
        ("6s", 6),
        ("1m2.5s", 62.5),
        ("1h0m0s", 3600),
        ("2m59.56s", 179.56),
        ("53", 53),
        ("0.5", 0.5),
        (" 7s ", 7),
        ("250us", 0.00025),
    ],
)
def test_a_duration_in_any_spelling_is_seconds(text: str, seconds: float) -> None:
    assert parse_duration(text) == pytest.approx(seconds)


@pytest.mark.parametrize(
    "text", ["", "soon", "-1", "-6s", "nan", "inf", "6 s 7", "1x", "s", "٣s", "٣", "1_0", "9" * 400 + "s"]
)
def test_what_is_no_duration_is_none(text: str) -> None:
    assert parse_duration(text) is None


_NUMBERS = st.integers(-(10**25), 10**25).map(str) | st.sampled_from(["1", "99", "2026", "9999"])
_SIGNS = st.sampled_from(["+", "-", " +", " -", ""])
DATES = st.builds(
    "{}, {} {} {} {}:{}:{} {}{}".format,
    st.sampled_from(["Mon", "Sunday", ""]),
    _NUMBERS,
    st.sampled_from(["Jan", "Dec", "x"]),
    *[_NUMBERS] * 4,
    _SIGNS | st.sampled_from(["GMT", "EST"]),
    _NUMBERS | st.just(""),
)
MOMENTS = st.builds("{}-01-31T00:00:{}{}{}".format, _NUMBERS, _NUMBERS, _SIGNS, _NUMBERS)
TEXTS = st.text(max_size=30) | DATES | MOMENTS | st.text("0123456789:+-., GMTJanhmsZ", max_size=40)


@given(TEXTS, TEXTS)
@example("Mon, 01 Jan 99999999999999999999 00:00:00 GMT", "")
@example("Mon, 01 Jan 2026 00:00:00 +99999999999999999999", "")
@example("Mon, 01 Jan 0001 00:00:00 +2359", "Fri, 31 Dec 9999 23:59:59 -2359")
def test_no_text_breaks_the_parsers_or_gives_a_negative_wait(text: str, date: str) -> None:
    headers = {"retry-after": text, "retry-after-ms": text, "date": date}
    for wait in (parse_duration(text), parse_reset(text, NOW), retry_after(headers, NOW)):
        assert wait is None or wait >= 0


@given(limit=TEXTS, remaining=TEXTS, reset=TEXTS)
def test_no_text_breaks_the_allowances(limit: str, remaining: str, reset: str) -> None:
    told = read_allowances(
        {
            "x-ratelimit-limit-tokens": limit,
            "anthropic-ratelimit-tokens-remaining": remaining,
            "x-ratelimit-reset": reset,
        },
        NOW,
    )
    for allowance in (told.requests, told.tokens):
        assert allowance.limit is None or 0 < allowance.limit <= 10**8
        assert (allowance.remaining or 0) >= 0
        assert (allowance.reset_s or 0) >= 0


@pytest.mark.parametrize(
    "text",
    [
        "2026-11-30T12:00:30Z",
        "2026-11-30T14:00:30+02:00",
        "2026-11-30T12:00:30.000",
        str(int(NOW.timestamp()) + 30),
        str((int(NOW.timestamp()) + 30) * 1000),
        "30s",
        "30",
    ],
)
def test_a_reset_is_read_as_duration_moment_or_epoch(text: str) -> None:
    assert parse_reset(text, NOW) == pytest.approx(30)


def test_a_moment_that_has_passed_is_no_wait() -> None:
    assert parse_reset("2026-11-30T11:59:00Z", NOW) == 0


def test_a_date_is_read_against_the_servers_own_clock() -> None:
    server = NOW + timedelta(hours=1)
    headers = {
        "retry-after": format_datetime(server + timedelta(seconds=20), usegmt=True),
        "date": format_datetime(server, usegmt=True),
    }
    assert retry_after(headers, NOW) == pytest.approx(20)


def test_openai_form() -> None:
    headers = {
        "x-ratelimit-limit-requests": "500",
        "x-ratelimit-remaining-requests": "499",
        "x-ratelimit-reset-requests": "120ms",
        "x-ratelimit-limit-tokens": "30000",
        "x-ratelimit-remaining-tokens": "0",
        "x-ratelimit-reset-tokens": "6s",
    }
    allowances = read_allowances(headers, NOW)
    assert allowances.requests == Allowance(500, 499, 0.12)
    assert allowances.tokens == Allowance(30000, 0, 6)
    assert spent_wait(allowances) == 6


def test_anthropic_form() -> None:
    headers = {
        "anthropic-ratelimit-requests-limit": "50",
        "anthropic-ratelimit-requests-remaining": "49",
        "anthropic-ratelimit-requests-reset": "2026-11-30T12:00:01Z",
    }
    assert read_allowances(headers, NOW).requests == Allowance(50, 49, 1)


def test_a_form_without_suffix_means_requests() -> None:
    headers = {"x-ratelimit-limit": "20", "x-ratelimit-remaining": "19", "x-ratelimit-reset": "3"}
    allowances = read_allowances(headers, NOW)
    assert allowances.requests == Allowance(20, 19, 3)
    assert allowances.tokens == Allowance()


def test_a_limit_counted_by_the_day_is_not_taken_for_one_by_the_minute() -> None:
    headers = {"x-ratelimit-limit-requests": "14400", "x-ratelimit-reset-requests": "2m59.56s"}
    assert read_allowances(headers, NOW).requests.limit is None


@pytest.mark.parametrize("value", ["-1", "0", "nan", "many", "1.5", "٣", "100000001", "9" * 40])
def test_a_limit_that_says_nothing_is_ignored_with_what_is_left_of_it(value: str) -> None:
    headers = {
        "x-ratelimit-limit-requests": value,
        "x-ratelimit-remaining-requests": "0",
        "x-ratelimit-reset-requests": "50s",
    }
    assert read_allowances(headers, NOW).requests == Allowance()


def test_the_largest_limit_is_taken() -> None:
    assert read_allowances({"x-ratelimit-limit-tokens": "100000000"}, NOW).tokens.limit == 10**8


def test_no_wait_is_read_from_limits_that_are_not_used_up() -> None:
    headers = {"x-ratelimit-remaining-requests": "3", "x-ratelimit-reset-requests": "9s"}
    assert spent_wait(read_allowances(headers, NOW)) is None
