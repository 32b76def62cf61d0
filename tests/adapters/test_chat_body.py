from __future__ import annotations

import base64
from collections.abc import Mapping

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from vlbench.adapters.body import Shape
from vlbench.adapters.chat_body import build_body
from vlbench.catalog.entry import ModelFacts, ProviderEntry
from vlbench.errors import DatasetError, UsageError
from vlbench.types import Decoding, ImagePart, ImageRef, Message, Part, Request, Span, TextPart

PNG = b"\x89PNG\xff"
IMAGE = ImageRef(
    sha256="ab" * 32,
    media_type="image/png",
    width=2,
    height=2,
    size=5,
    source=Span(path="x", offset=0, length=5),
)


class Pictures:
    def __init__(self, text: bytes = base64.b64encode(PNG)) -> None:
        self._text = text

    def raw(self, ref: ImageRef) -> bytes:
        return base64.b64decode(self._text)

    def base64(self, ref: ImageRef) -> bytes:
        return self._text


def _naive(request: Request) -> dict[str, JsonValue]:
    """What the body means, built the slow and obvious way."""

    def clean(text: str) -> str:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")

    def part(p: Part) -> JsonValue:
        if isinstance(p, TextPart):
            return {"type": "text", "text": clean(p.text)}
        url = f"data:image/png;base64,{base64.b64encode(PNG).decode()}"
        return {"type": "image_url", "image_url": {"url": url}}

    def content(message: Message) -> JsonValue:
        if all(isinstance(p, TextPart) for p in message.parts):
            return "\n".join(clean(p.text) for p in message.parts if isinstance(p, TextPart))
        return [part(p) for p in message.parts]

    return {
        "model": clean(request.model),
        "messages": [{"role": m.role, "content": content(m)} for m in request.messages],
        "max_tokens": request.decoding.max_output_tokens,
        "temperature": 0.0,
    }


ANY_TEXT = st.text(st.characters(codec=None, categories=None), max_size=40)
PARTS = st.lists(ANY_TEXT.map(TextPart) | st.just(ImagePart(IMAGE)), min_size=1, max_size=5).map(tuple)
MESSAGES = st.lists(
    st.builds(Message, st.sampled_from(["system", "user", "assistant"]), PARTS), min_size=1, max_size=4
)


@given(ANY_TEXT, MESSAGES.map(tuple))
def test_the_spliced_body_means_the_same_as_the_naive_one(model: str, messages: tuple[Message, ...]) -> None:
    request = Request(model, messages, Decoding(max_output_tokens=7, temperature=0))
    assert orjson.loads(build_body(request, Shape(), Pictures()).content) == _naive(request)


def _fields(decoding: Decoding, shape: Shape | None = None) -> Mapping[str, JsonValue]:
    request = Request("m", (Message("user", (TextPart("?"),)),), decoding)
    body = orjson.loads(build_body(request, shape or Shape(), Pictures()).content)
    return {name: value for name, value in body.items() if name not in ("model", "messages")}


def test_only_what_is_set_is_sent() -> None:
    assert _fields(Decoding()) == {}


def test_every_parameter_has_its_place_and_extra_is_merged_last() -> None:
    decoding = Decoding(
        max_output_tokens=9,
        temperature=0.5,
        top_p=0.9,
        seed=3,
        effort="low",
        stop=("A", "B"),
        extra={"top_k": 1, "top_p": 0.1, "chat_template_kwargs": {"enable_thinking": False}},
    )
    assert _fields(decoding, Shape(limit_field="max_completion_tokens")) == {
        "max_completion_tokens": 9,
        "temperature": 0.5,
        "top_p": 0.1,
        "seed": 3,
        "reasoning_effort": "low",
        "stop": ["A", "B"],
        "top_k": 1,
        "chat_template_kwargs": {"enable_thinking": False},
    }


@pytest.mark.parametrize("name", ["stream", "n", "messages", "model"])
def test_extra_cannot_change_what_is_asked_or_how_the_reply_comes(name: str) -> None:
    with pytest.raises(UsageError, match=name):
        _fields(Decoding(extra={name: 2}))


def test_the_catalog_names_what_a_model_rejects() -> None:
    entry = ProviderEntry(
        id="x",
        name="X",
        wire="chat",
        output_limit_field="max_completion_tokens",
        rejects=("temperature", "image_detail"),
        models={"m": ModelFacts(rejects=("effort", "max_output_tokens"))},
    )
    shape = Shape.of(entry, "m")
    decoding = Decoding(max_output_tokens=9, temperature=0, top_p=0.5, effort="low", image_detail="high")
    request = Request("m", (Message("user", (ImagePart(IMAGE),)),), decoding)
    body = build_body(request, shape, Pictures())
    assert set(orjson.loads(body.content)) == {"model", "messages", "top_p"}
    assert b"detail" not in body.content
    assert len(body.adjustments) == 4


def test_image_detail_stands_at_every_picture() -> None:
    parts = (ImagePart(IMAGE), TextPart("and"), ImagePart(IMAGE))
    request = Request("m", (Message("user", parts),), Decoding(image_detail="high"))
    content = orjson.loads(build_body(request, Shape(), Pictures()).content)["messages"][0]["content"]
    assert [p["image_url"]["detail"] for p in content if p["type"] == "image_url"] == ["high", "high"]


def test_a_system_message_takes_the_role_of_the_catalog_or_goes_into_the_first_user_turn() -> None:
    messages = (Message("system", (TextPart("Rules."),)), Message("user", (ImagePart(IMAGE), TextPart("?"))))
    request = Request("m", messages, Decoding())
    as_developer = orjson.loads(build_body(request, Shape(system_role="developer"), Pictures()).content)
    assert [m["role"] for m in as_developer["messages"]] == ["developer", "user"]
    merged = build_body(request, Shape(system_role="merge"), Pictures())
    (turn,) = orjson.loads(merged.content)["messages"]
    assert [p.get("text") for p in turn["content"]] == ["Rules.", None, "?"]
    assert merged.adjustments == (), "the catalog's own way is no adjustment"


def test_a_data_file_cannot_write_into_the_body() -> None:
    request = Request("m", (Message("user", (ImagePart(IMAGE),)),), Decoding())
    with pytest.raises(DatasetError):
        build_body(request, Shape(), Pictures(b'AAAA"},"model":"other'))
