from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson
import pytest

from vlbench.adapters.body import Body
from vlbench.adapters.messages_body import DEFAULT_LIMIT, build_body, shape_of
from vlbench.catalog.entry import ProviderEntry
from vlbench.errors import UsageError
from vlbench.types import Decoding, ImagePart, ImageRef, Message, Part, Request, TextPart

if TYPE_CHECKING:
    from vlbench.adapters.adapter import ImageBytes


def _build(images: ImageBytes, decoding: Decoding, *parts: Part, **entry: object) -> Body:
    provider = ProviderEntry.model_validate({"id": "c", "name": "C", "wire": "messages", **entry})
    request = Request("m", (Message("user", parts or (TextPart("Q"),)),), decoding)
    return build_body(request, shape_of(provider, "m"), images)


def _fields(body: Body) -> dict[str, Any]:  # whatever JSON holds
    parsed: dict[str, Any] = orjson.loads(body.content)
    del parsed["model"], parsed["messages"]
    return parsed


def test_a_limit_is_always_sent_because_the_api_insists(one_picture: ImageBytes) -> None:
    assert _fields(_build(one_picture, Decoding())) == {"max_tokens": DEFAULT_LIMIT}
    assert _fields(_build(one_picture, Decoding(max_output_tokens=7))) == {"max_tokens": 7}


def test_a_large_picture_is_to_be_refused_and_not_shrunk(one_picture: ImageBytes, picture: ImageRef) -> None:
    body = _build(one_picture, Decoding(), TextPart("1"), ImagePart(picture), TextPart("2"))
    (turn,) = orjson.loads(body.content)["messages"]
    assert turn["content"] == [
        {"type": "text", "text": "1"},
        {
            "type": "image",
            "source": {"type": "base64", "media_type": "image/png", "data": "+//+IHBpY3R1cmU="},
            "transformations": {"oversized_image": "error"},
        },
        {"type": "text", "text": "2"},
    ]


@pytest.mark.parametrize("entry", [{"api_version": "2023-06-01"}, {"rejects": ["transformations"]}])
def test_an_older_version_is_not_told_what_it_does_not_know(
    one_picture: ImageBytes, picture: ImageRef, entry: dict[str, object]
) -> None:
    body = _build(one_picture, Decoding(), ImagePart(picture), **entry)
    assert b"transformations" not in body.content
    assert body.adjustments == ()


def test_sampling_goes_only_to_a_version_that_has_it_and_its_absence_is_told(
    one_picture: ImageBytes,
) -> None:
    decoding = Decoding(temperature=0, top_p=0.5, seed=1, extra={"top_k": 1})
    current = _build(one_picture, decoding)
    assert _fields(current) == {"max_tokens": DEFAULT_LIMIT}
    assert current.adjustments == ("dropped seed", "dropped temperature", "dropped top_k", "dropped top_p")
    older = _build(one_picture, decoding, api_version="2023-06-01")
    assert _fields(older) == {"max_tokens": DEFAULT_LIMIT, "temperature": 0, "top_p": 0.5, "top_k": 1}
    assert older.adjustments == ("dropped seed",)


def test_effort_and_thinking_are_merged_with_extra_at_every_depth(one_picture: ImageBytes) -> None:
    decoding = Decoding(
        effort="high",
        stop=("END",),
        extra={"output_config": {"format": {"type": "x"}}, "thinking": {"type": "adaptive"}},
    )
    assert _fields(_build(one_picture, decoding)) == {
        "max_tokens": DEFAULT_LIMIT,
        "stop_sequences": ["END"],
        "output_config": {"effort": "high", "format": {"type": "x"}},
        "thinking": {"type": "adaptive"},
    }


def test_no_effort_at_all_switches_thinking_off(one_picture: ImageBytes) -> None:
    fields = _fields(_build(one_picture, Decoding(effort="none")))
    assert fields["thinking"] == {"type": "disabled"}
    assert "output_config" not in fields


def test_a_detail_that_the_api_lacks_is_told_where_there_is_a_picture(
    one_picture: ImageBytes, picture: ImageRef
) -> None:
    detailed = Decoding(image_detail="low")
    assert _build(one_picture, detailed, ImagePart(picture)).adjustments == ("dropped image detail",)
    assert _build(one_picture, detailed).adjustments == ()


@pytest.mark.parametrize("name", ["model", "messages", "system", "stream"])
def test_what_is_asked_cannot_be_replaced(one_picture: ImageBytes, name: str) -> None:
    with pytest.raises(UsageError, match=name):
        _build(one_picture, Decoding(extra={name: "x"}))
