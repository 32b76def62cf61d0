from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson
import pytest

from vlbench.adapters.body import Body
from vlbench.adapters.gemini_body import build_body, shape_of
from vlbench.catalog.entry import ProviderEntry
from vlbench.errors import UsageError
from vlbench.types import Decoding, ImagePart, ImageRef, Message, Part, Request, TextPart

if TYPE_CHECKING:
    from vlbench.adapters.adapter import ImageBytes


def _build(images: ImageBytes, decoding: Decoding, *parts: Part, **entry: object) -> Body:
    provider = ProviderEntry.model_validate({"id": "g", "name": "G", "wire": "gemini", **entry})
    request = Request("m", (Message("user", parts or (TextPart("Q"),)),), decoding)
    return build_body(request, shape_of(provider, "m"), images)


def _json(body: Body) -> dict[str, Any]:  # whatever JSON holds
    parsed: dict[str, Any] = orjson.loads(body.content)
    return parsed


def test_every_parameter_has_its_name_on_the_wire(one_picture: ImageBytes) -> None:
    decoding = Decoding(
        max_output_tokens=9, temperature=0, top_p=0.5, seed=3, stop=("END",), effort="minimal"
    )
    assert _json(_build(one_picture, decoding))["generationConfig"] == {
        "maxOutputTokens": 9,
        "temperature": 0,
        "topP": 0.5,
        "seed": 3,
        "stopSequences": ["END"],
        "thinkingConfig": {"thinkingLevel": "MINIMAL"},
    }


def test_nothing_is_sent_that_nobody_asked_for(one_picture: ImageBytes) -> None:
    assert _json(_build(one_picture, Decoding())) == {
        "model": "m",
        "contents": [{"role": "user", "parts": [{"text": "Q"}]}],
    }


def test_extra_is_merged_into_the_generation_parameters(one_picture: ImageBytes) -> None:
    extra: dict[str, Any] = {
        "generationConfig": {"topK": 1, "thinkingConfig": {"includeThoughts": True}},
        "safetySettings": [],
    }
    body = _json(_build(one_picture, Decoding(effort="low", extra=extra)))
    assert body["generationConfig"] == {
        "topK": 1,
        "thinkingConfig": {"thinkingLevel": "LOW", "includeThoughts": True},
    }
    assert body["safetySettings"] == []


def test_no_effort_is_a_budget_of_none(one_picture: ImageBytes) -> None:
    config = _json(_build(one_picture, Decoding(effort="none")))["generationConfig"]
    assert config == {"thinkingConfig": {"thinkingBudget": 0}}


@pytest.mark.parametrize(
    ("detail", "of_all", "of_each"),
    [
        ("low", "MEDIA_RESOLUTION_LOW", None),
        ("MEDIA_RESOLUTION_HIGH", "MEDIA_RESOLUTION_HIGH", None),
        ("ultra-high", None, {"level": "MEDIA_RESOLUTION_ULTRA_HIGH"}),
        ("auto", None, None),
    ],
)
def test_image_detail_is_the_media_resolution(
    one_picture: ImageBytes, picture: ImageRef, detail: str, of_all: str | None, of_each: object
) -> None:
    body = _json(_build(one_picture, Decoding(image_detail=detail), ImagePart(picture)))
    (part,) = body["contents"][0]["parts"]
    assert part.pop("inlineData") == {"mimeType": "image/png", "data": "+//+IHBpY3R1cmU="}
    assert part.get("mediaResolution") == of_each
    assert body.get("generationConfig", {}).get("mediaResolution") == of_all


def test_what_the_entry_rejects_is_left_out_and_told(one_picture: ImageBytes, picture: ImageRef) -> None:
    decoding = Decoding(temperature=0, top_p=0.5, image_detail="low", effort="low")
    rejects = ["temperature", "image_detail", "effort"]
    body = _build(one_picture, decoding, ImagePart(picture), rejects=rejects)
    assert _json(body)["generationConfig"] == {"topP": 0.5}
    assert body.adjustments == ("dropped temperature", "dropped image detail")


@pytest.mark.parametrize("name", ["model", "contents", "systemInstruction", "system_instruction"])
def test_what_is_asked_cannot_be_replaced(one_picture: ImageBytes, name: str) -> None:
    with pytest.raises(UsageError, match=name):
        _build(one_picture, Decoding(extra={name: "x"}))
