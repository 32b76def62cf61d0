"""Whatever stands in the body of a 200, reading it gives a reply or an error and never breaks."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import JsonValue

from vlbench.adapters import chat_reply, gemini_reply, messages_reply, responses_reply
from vlbench.adapters.faults import ErrorBody
from vlbench.types import Reply

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
