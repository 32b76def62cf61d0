"""Parameters become typed fields, or fields of the request body with JSON's types."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vlbench.catalog.parameters import decoding_of, json_scalar
from vlbench.errors import UsageError
from vlbench.types import Decoding


def test_known_names_become_fields_in_either_spelling() -> None:
    typed = {
        "max_tokens": "128",
        "temperature": "0",
        "top-p": "0.5",
        "seed": "-3",
        "effort": "1",
        "image-detail": "low",
    }
    assert decoding_of(typed, "x") == Decoding(
        max_output_tokens=128, temperature=0.0, top_p=0.5, seed=-3, effort="1", image_detail="low"
    )


def test_other_names_go_to_the_body_and_nest_at_dots() -> None:
    typed = {
        "top_k": "1",
        "kwargs.think": "false",
        "kwargs.deep.x": "null",
        "mode": "fast",
        "id": '"7"',
        "v": "1.50",
    }
    assert decoding_of(typed, "x").extra == {
        "top_k": 1,
        "kwargs": {"think": False, "deep": {"x": None}},
        "mode": "fast",
        "id": "7",
        "v": 1.5,
    }


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ({"temperature": "warm"}, "x: temperature=warm: .*number"),
        ({"temperature": "NaN"}, "temperature=NaN"),
        ({"temperature": "1e999"}, "temperature=1e999"),
        ({"temperature": "true"}, "temperature=true"),
        ({"max-tokens": "0"}, "max-tokens=0: .*greater than 0"),
        ({"max_tokens": "1.5"}, "max-tokens=1.5"),
        ({"top-p": "1.1"}, "top-p=1.1: .*less than or equal to 1"),
        ({"seed": "one"}, "seed=one"),
        ({"top-p": "1", "top_p": "1"}, "twice"),
        ({"temprature": "0"}, "did you mean 'temperature'"),
        ({"model": "m"}, "part of every request"),
        ({"stream": "true"}, "part of every request"),
        ({"a": "1", "a.b": "2"}, "'a.b' lies inside 'a'"),
        ({"a.b": "2", "a": "1"}, "has a value already"),
        ({"a..b": "2"}, "no usable name"),
    ],
)
def test_what_cannot_be_a_parameter_is_refused(typed: dict[str, str], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        decoding_of(typed, "x")


@given(st.text(max_size=12) | st.sampled_from(["NaN", "-Infinity", "1e999", "[1]", "{}", "01", "1_0"]))
def test_a_scalar_can_always_be_written_as_strict_json(text: str) -> None:
    value = json_scalar(text)
    assert not isinstance(value, (dict, list))
    assert json.loads(json.dumps(value, allow_nan=False)) == value
