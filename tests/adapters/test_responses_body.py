from __future__ import annotations

import base64

import orjson
import pytest
from pydantic import JsonValue

from vlbench.adapters.responses_body import build_body, shape_of
from vlbench.catalog.entry import ModelFacts, ProviderEntry
from vlbench.errors import UsageError
from vlbench.types import Decoding, ImagePart, ImageRef, Message, Request, TextPart

PNG = b"\x89PNG\xff"
URL = f"data:image/png;base64,{base64.b64encode(PNG).decode()}"
ENTRY = ProviderEntry(id="x", name="X", wire="responses")


class Pictures:
    def raw(self, ref: ImageRef) -> bytes:
        return PNG

    def base64(self, ref: ImageRef) -> bytes:
        return base64.b64encode(PNG)


def _request(*, messages: tuple[Message, ...] | None = None, **decoding: object) -> Request:
    question = Message("user", (TextPart("What?"),))
    return Request("m", messages or (question,), Decoding.model_validate(decoding))


def _sent(request: Request, entry: ProviderEntry = ENTRY) -> tuple[dict[str, JsonValue], tuple[str, ...]]:
    body = build_body(request, shape_of(entry, request.model), Pictures())
    sent: dict[str, JsonValue] = orjson.loads(body.content)
    return sent, body.adjustments


def test_every_parameter_stands_in_this_formats_own_field() -> None:
    sent, adjustments = _sent(_request(max_output_tokens=9, temperature=0, top_p=0.5, effort="low"))
    assert sent == {
        "model": "m",
        "input": [{"role": "user", "content": "What?"}],
        "store": False,
        "stream": False,
        "max_output_tokens": 9,
        "temperature": 0,
        "top_p": 0.5,
        "reasoning": {"effort": "low"},
    }
    assert adjustments == ()


def test_examples_and_pictures_keep_their_roles_and_their_order(picture: ImageRef) -> None:
    messages = (
        Message("system", (TextPart("Rules."),)),
        Message("user", (TextPart("Q1"),)),
        Message("assistant", (TextPart("A"),)),
        Message("user", (ImagePart(picture), TextPart("Q2"), ImagePart(picture))),
    )
    sent, _ = _sent(
        _request(messages=messages, image_detail="high"),
        ENTRY.model_copy(update={"system_role": "developer"}),
    )
    shown = {"type": "input_image", "image_url": URL, "detail": "high"}
    assert sent["input"] == [
        {"role": "developer", "content": "Rules."},
        {"role": "user", "content": "Q1"},
        {"role": "assistant", "content": "A"},
        {"role": "user", "content": [shown, {"type": "input_text", "text": "Q2"}, shown]},
    ]


def test_a_picture_without_a_detail_says_auto_unless_the_field_is_rejected(picture: ImageRef) -> None:
    request = _request(messages=(Message("user", (ImagePart(picture),)),))
    rejecting = ENTRY.model_copy(update={"rejects": ("image_detail",)})
    assert _sent(request)[0]["input"] == [
        {"role": "user", "content": [{"type": "input_image", "image_url": URL, "detail": "auto"}]}
    ]
    assert _sent(request, rejecting)[0]["input"] == [
        {"role": "user", "content": [{"type": "input_image", "image_url": URL}]}
    ]


def test_what_the_format_does_not_have_is_left_out_and_said() -> None:
    sent, adjustments = _sent(_request(seed=1, stop=["\n"]))
    assert sent.keys() == {"model", "input", "store", "stream"}
    assert adjustments == ("dropped seed", "dropped stop")


def test_the_names_of_the_catalog_mean_this_formats_fields() -> None:
    entry = ENTRY.model_copy(update={"models": {"m": ModelFacts(rejects=("effort", "temperature"))}})
    sent, adjustments = _sent(_request(effort="low", temperature=0), entry)
    assert sent.keys() == {"model", "input", "store", "stream"}
    assert adjustments == ("dropped reasoning", "dropped temperature")


def test_a_summary_asked_for_stands_beside_the_effort() -> None:
    sent, _ = _sent(_request(effort="high", extra={"reasoning": {"summary": "auto"}}))
    assert sent["reasoning"] == {"effort": "high", "summary": "auto"}


@pytest.mark.parametrize("name", ["store", "stream", "background", "input", "previous_response_id"])
def test_a_field_that_changes_how_the_reply_comes_cannot_be_set(name: str) -> None:
    with pytest.raises(UsageError, match=name):
        _sent(_request(extra={name: True}))
