from __future__ import annotations

import pytest
from pydantic import JsonValue

from vlbench.adapters.json_body import read_object
from vlbench.errors import ServerFailed


@pytest.mark.parametrize(
    ("body", "read"),
    [
        (b'\xef\xbb\xbf{"a": 1}', {"a": 1}),
        (b'{"a": NaN, "b": [-Infinity, 1e400, 1.5]}', {"a": None, "b": [None, None, 1.5]}),
        (b'{"a": "cut \\ud83d"}', {"a": "cut \N{REPLACEMENT CHARACTER}"}),
        (b'{"a": "\\ud83d\\ude00", "b": NaN}', {"a": "\N{GRINNING FACE}", "b": None}),
        (b'{"a": "\xff"}', {"a": "\N{REPLACEMENT CHARACTER}"}),
    ],
    ids=["byte order mark", "no finite number", "half an emoji", "a whole emoji", "no UTF-8"],
)
def test_a_paid_reply_is_not_lost_to_a_detail_that_is_no_json(body: bytes, read: JsonValue) -> None:
    assert read_object(body, "It") == read


@pytest.mark.parametrize(
    "body",
    [b"", b"null", b"[1]", b'{"a": 1', b"<html>", b"[" * 100_000, b'{"a": 1' + b"0" * 5000 + b"}"],
    ids=["nothing", "null", "a list", "cut", "HTML", "deep", "a number without end"],
)
def test_what_holds_no_object_is_a_failure_of_the_server(body: bytes) -> None:
    with pytest.raises(ServerFailed, match="not a JSON object"):
        read_object(body, "It")
