from __future__ import annotations

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from vlbench.adapters.adapter import ImageBytes
from vlbench.adapters.completions_body import build_body, prompt_of, shape_of
from vlbench.catalog.entry import ProviderEntry
from vlbench.errors import NoImageSupport, UsageError
from vlbench.types import Decoding, ImagePart, ImageRef, Message, Request, TextPart

ENTRY = ProviderEntry(id="x", name="X", wire="completions")


class NoPictures(ImageBytes):
    def raw(self, ref: ImageRef) -> bytes:
        raise AssertionError("this format has no pictures")

    base64 = raw


def _user(text: str) -> Message:
    return Message("user", (TextPart(text),))


def _assistant(text: str) -> Message:
    return Message("assistant", (TextPart(text),))


def _sent(request: Request) -> dict[str, JsonValue]:
    sent: dict[str, JsonValue] = orjson.loads(build_body(request, shape_of(ENTRY, "m"), NoPictures()).content)
    return sent


def test_examples_are_blocks_and_the_answer_begins_where_theirs_do() -> None:
    system = Message("system", (TextPart("Guess."),))
    messages = (system, _user("Q1\nA. x"), _assistant("A"), _user("Q2"), _assistant("B"), _user("Q3 \n"))
    assert prompt_of(messages) == "Guess.\n\nQ1\nA. x\nA\n\nQ2\nB\n\nQ3\n"


@given(st.lists(st.text(min_size=1).map(str.rstrip), min_size=1))
def test_the_prompt_ends_with_the_question_and_one_line_break(questions: list[str]) -> None:
    turns = [turn for q in questions[:-1] for turn in (_user(q), _assistant("A"))]
    prompt = prompt_of((*turns, _user(questions[-1])))
    assert prompt.endswith(f"{questions[-1]}\n")
    assert prompt.count("\nA\n\n") >= len(questions) - 1


def test_the_model_is_stopped_before_it_invents_the_next_question() -> None:
    assert _sent(Request("m", (_user("Q"),), Decoding(max_output_tokens=8))) == {
        "model": "m",
        "prompt": "Q\n",
        "max_tokens": 8,
        "stop": ["\n\n"],
    }


@pytest.mark.parametrize(("stop", "sent"), [(("###", "\n"), ["###", "\n"]), ((), None)])
def test_stop_words_of_the_user_replace_ours(stop: tuple[str, ...], sent: list[str] | None) -> None:
    assert _sent(Request("m", (_user("Q"),), Decoding(stop=stop))).get("stop") == sent


def test_parameters_are_sent_by_the_names_of_the_format() -> None:
    decoding = Decoding(temperature=0, top_p=0.9, seed=3, extra={"top_k": 1})
    sent = _sent(Request("m", (_user("Q"),), decoding))
    assert {name: sent[name] for name in ("temperature", "top_p", "seed", "top_k")} == {
        "temperature": 0,
        "top_p": 0.9,
        "seed": 3,
        "top_k": 1,
    }


def test_a_picture_is_refused_before_anything_is_sent(picture: ImageRef) -> None:
    request = Request("m", (Message("user", (TextPart("Q"), ImagePart(picture))),), Decoding())
    with pytest.raises(NoImageSupport, match=r"m is asked .*--base"):
        _sent(request)


def test_an_effort_or_a_field_of_ours_is_a_mistake_of_the_command() -> None:
    with pytest.raises(UsageError, match="effort"):
        _sent(Request("m", (_user("Q"),), Decoding(effort="low")))
    with pytest.raises(UsageError, match="echo"):
        _sent(Request("m", (_user("Q"),), Decoding(extra={"echo": True})))
