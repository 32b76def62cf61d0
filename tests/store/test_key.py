from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from vlbench.errors import UsageError
from vlbench.store.key import KEY_SCHEMA, ingredients, request_key
from vlbench.types import Decoding, Grey, ImagePart, ImageRef, Message, Request, Span, TextPart, Variant


def _user(request: Request, *parts: TextPart | ImagePart) -> Request:
    return replace(request, messages=(request.messages[0], Message("user", parts)))


CHANGES: dict[str, Callable[[Request], Request]] = {
    "model": lambda r: replace(r, model="gpt-6-mini"),
    "repeat": lambda r: replace(r, repeat=1),
    "text": lambda r: _user(r, r.messages[1].parts[0], TextPart("How many wheels?")),
    "no picture": lambda r: _user(r, r.messages[1].parts[1]),
    "order of parts": lambda r: _user(r, *reversed(r.messages[1].parts)),
    "role": lambda r: replace(r, messages=(replace(r.messages[0], role="user"), r.messages[1])),
    "no system message": lambda r: replace(r, messages=r.messages[1:]),
    "order of messages": lambda r: replace(r, messages=r.messages[::-1]),
    "other picture": lambda r: _user(
        r, ImagePart(r.images[0].model_copy(update={"sha256": "cc" * 32})), r.messages[1].parts[1]
    ),
    **{
        f"decoding.{name}": lambda r, name=name, value=value: replace(  # type: ignore[misc]  # bound by default
            r, decoding=r.decoding.model_copy(update={name: value})
        )
        for name, value in {
            "max_output_tokens": 32, "temperature": 1.0, "top_p": 0.9, "seed": 7, "effort": "low",
            "image_detail": "high", "stop": ("\n",), "extra": {"top_k": 1},
        }.items()
    },
}  # fmt: skip


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_whatever_can_change_the_answer_changes_the_key(
    change: Callable[[Request], Request], request_: Request, variant: Variant
) -> None:
    before = request_key(ingredients(request_, variant))
    assert request_key(ingredients(change(request_), variant)) != before


def test_a_changed_key_is_a_new_schema(request_: Request, variant: Variant) -> None:
    """Every reply in a cache was paid for: whoever changes what keys are made of raises `KEY_SCHEMA`."""
    key = "6fa5330c5a4cf3c17521139f59c64901a16624e14a23cd2b76574f820ee953d1"
    assert (KEY_SCHEMA, request_key(ingredients(request_, variant))) == (1, key)


def test_every_decoding_field_is_covered_by_the_test_above() -> None:
    assert {f"decoding.{name}" for name in Decoding.model_fields} <= CHANGES.keys()


@pytest.mark.parametrize("field", ["wire", "identity"])
def test_another_server_changes_the_key(field: str, request_: Request, variant: Variant) -> None:
    other = variant.model_copy(update={field: "other"})
    assert request_key(ingredients(request_, other)) != request_key(ingredients(request_, variant))


def test_swapped_pictures_change_the_key(request_: Request, variant: Variant, picture: ImageRef) -> None:
    other = picture.model_copy(update={"sha256": "cc" * 32})
    one = _user(request_, ImagePart(picture), ImagePart(other))
    two = _user(request_, ImagePart(other), ImagePart(picture))
    assert request_key(ingredients(one, variant)) != request_key(ingredients(two, variant))


def test_split_texts_are_not_joined_texts(request_: Request, variant: Variant) -> None:
    one = _user(request_, TextPart("ab"), TextPart("c"))
    two = _user(request_, TextPart("a"), TextPart("bc"))
    assert request_key(ingredients(one, variant)) != request_key(ingredients(two, variant))


def test_where_the_server_and_the_bytes_are_does_not_change_the_key(
    request_: Request, variant: Variant, picture: ImageRef
) -> None:
    moved = variant.model_copy(update={"id": "row 2", "lane": "b", "urls": ("http://gpu7/v1",), "base": True})
    source = Span(path="elsewhere.tsv", offset=0, length=1)
    again = picture.model_copy(update={"source": source})
    grey = picture.model_copy(update={"source": Grey(width=640, height=480)})
    keys = {
        request_key(ingredients(_user(request_, ImagePart(image), request_.messages[1].parts[1]), moved))
        for image in (again, grey)
    }
    assert keys == {request_key(ingredients(request_, variant))}


def test_equal_numbers_give_equal_keys(request_: Request, variant: Variant) -> None:
    def key(value: float) -> str:
        decoding = Decoding(extra={"penalty": value, "nested": {"list": [value]}})
        return request_key(ingredients(replace(request_, decoding=decoding), variant))

    assert key(0) == key(0.0) == key(-0.0)
    assert key(2) == key(2.0)
    assert key(2) != key(2.5)
    assert key(True) != key(1)


def test_the_order_of_extra_parameters_does_not_matter(request_: Request, variant: Variant) -> None:
    one = replace(request_, decoding=Decoding(extra={"a": 1, "b": {"c": 2, "d": 3}}))
    two = replace(request_, decoding=Decoding(extra={"b": {"d": 3, "c": 2}, "a": 1}))
    assert request_key(ingredients(one, variant)) == request_key(ingredients(two, variant))


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 2**70])
def test_a_number_without_json_form_is_refused(value: float, request_: Request, variant: Variant) -> None:
    odd = replace(request_, decoding=Decoding.model_construct(extra={"x": value}))
    with pytest.raises(UsageError, match="--param"):
        request_key(ingredients(odd, variant))


def test_half_a_surrogate_pair_has_a_key(request_: Request, variant: Variant) -> None:
    broken = _user(request_, TextPart("\ud83d"))
    assert len(request_key(ingredients(broken, variant))) == 64


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63) | st.text()
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip


@given(st.dictionaries(st.text(), JSON, max_size=4))
def test_ingredients_read_back_from_disk_have_the_same_key(parts: dict[str, JsonValue]) -> None:
    assert request_key(orjson.loads(orjson.dumps(parts))) == request_key(parts)


@given(st.dictionaries(st.text(), JSON, max_size=3), st.dictionaries(st.text(), JSON, max_size=3))
def test_keys_are_equal_only_for_equal_ingredients(
    one: dict[str, JsonValue], two: dict[str, JsonValue]
) -> None:
    if one != two:
        assert request_key(one) != request_key(two)
