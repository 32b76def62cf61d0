"""Whatever stands in the body of a 200, reading it gives a reply or an error and never breaks."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import JsonValue

from vlbench.adapters import chat_reply, gemini_reply, messages_reply, responses_reply
from vlbench.adapters.faults import ErrorBody
from vlbench.types import Reply, Usage

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8)
Read = Callable[[Mapping[str, JsonValue]], Reply | ErrorBody]


@pytest.mark.parametrize(
    ("read_reply", "names"),
    [
        (chat_reply.read_reply, "choices message content error usage finish_reason refusal model"),
        (
            responses_reply.read_reply,
            "output content type error usage status incomplete_details summary text phase",
        ),
        (messages_reply.read_reply, "content type text stop_reason usage error stop_details"),
        (gemini_reply.read_reply, "candidates content parts text finishReason usageMetadata error"),
    ],
    ids=["chat", "responses", "messages", "gemini"],
)
@settings(max_examples=60)
@given(st.data())
def test_no_body_breaks_the_reader(read_reply: Read, names: str, data: st.DataObject) -> None:
    known = st.sampled_from(names.split())
    values = st.recursive(
        SCALARS,
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(known | st.text(max_size=8), inner, max_size=3)
        ),
        max_leaves=6,
    )
    body = data.draw(st.dictionaries(known, values, max_size=5))
    assert isinstance(read_reply(body), Reply | ErrorBody)


USAGES: list[tuple[Read, dict[str, JsonValue]]] = [
    (
        chat_reply.read_reply,
        {
            "choices": [{"message": {"content": "B"}}],
            "usage": {
                "prompt_tokens": 10**18,
                "completion_tokens": 10**18,
                "total_tokens": 3 * 10**18,
                "prompt_tokens_details": {"cached_tokens": 10**18, "image_tokens": 10**18},
                "completion_tokens_details": {"reasoning_tokens": 10**18},
            },
        },
    ),
    (
        responses_reply.read_reply,
        {
            "status": "completed",
            "output": [{"type": "message", "content": [{"type": "output_text", "text": "B"}]}],
            "usage": {
                "input_tokens": 10**18,
                "output_tokens": 10**18,
                "input_tokens_details": {"cached_tokens": 10**18},
                "output_tokens_details": {"reasoning_tokens": 10**18},
            },
        },
    ),
    (
        messages_reply.read_reply,
        {
            "content": [{"type": "text", "text": "B"}],
            "usage": {"input_tokens": 10**18, "output_tokens": 10**18, "cache_read_input_tokens": 10**18},
        },
    ),
    (
        gemini_reply.read_reply,
        {
            "candidates": [{"content": {"parts": [{"text": "B"}]}, "finishReason": "STOP"}],
            "usageMetadata": {
                "promptTokenCount": 10**18,
                "candidatesTokenCount": 10**18,
                "thoughtsTokenCount": 10**18,
                "cachedContentTokenCount": 10**18,
                "promptTokensDetails": [{"modality": "IMAGE", "tokenCount": 10**9}] * 2,
            },
        },
    ),
]


@pytest.mark.parametrize(("read_reply", "body"), USAGES, ids=["chat", "responses", "messages", "gemini"])
def test_absurd_counts_of_tokens_are_none(read_reply: Read, body: dict[str, JsonValue]) -> None:
    reply = read_reply(body)
    assert isinstance(reply, Reply)
    assert (reply.text, reply.usage) == ("B", Usage())


@pytest.mark.parametrize("code", ["0400" + "0" * 5000, "04291", "4290", "99"])
def test_a_code_that_is_no_status_is_a_failure_of_the_server(code: str) -> None:
    assert ErrorBody("", code=code).status == 500
