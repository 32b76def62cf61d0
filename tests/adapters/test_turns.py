from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from vlbench.adapters.body import Shape
from vlbench.adapters.nested import merged
from vlbench.adapters.turns import conversation
from vlbench.types import Decoding, Message, Request, Role, TextPart

ROLES: st.SearchStrategy[Role] = st.sampled_from(["system", "user", "assistant"])


def _request(*messages: tuple[Role, str]) -> Request:
    return Request("m", tuple(Message(role, (TextPart(text),)) for role, text in messages), Decoding())


@given(st.lists(st.tuples(ROLES, st.text(min_size=1, max_size=3)), min_size=1, max_size=8))
def test_roles_alternate_and_no_text_is_lost(messages: list[tuple[Role, str]]) -> None:
    talk = conversation(_request(*messages), Shape())
    roles = [turn.role for turn in talk.turns]
    assert all(a != b for a, b in pairwise(roles))
    said = [p.text for turn in talk.turns for p in turn.parts if isinstance(p, TextPart)]
    assert said == [text for role, text in messages if role != "system"]
    assert talk.system == "\n\n".join(text for role, text in messages if role == "system")


def test_a_server_without_a_system_role_reads_it_in_the_first_turn() -> None:
    talk = conversation(_request(("system", "S"), ("user", "Q")), Shape(system_role="merge"))
    assert talk.system == ""
    assert talk.turns[0].parts == (TextPart("S\n\nQ"),)


def test_texts_without_a_character_are_left_out() -> None:
    talk = conversation(Request("m", (Message("user", (TextPart(""), TextPart("Q"))),), Decoding()), Shape())
    assert talk.turns[0].parts == (TextPart("Q"),)


def test_tables_are_merged_at_every_depth_and_the_upper_one_wins() -> None:
    lower = merged({"a": {"b": 1, "c": {"d": 2}}, "e": 3}, {})
    assert merged(lower, {"a": {"c": {"d": 4, "f": 5}}, "e": {"g": 6}}) == {
        "a": {"b": 1, "c": {"d": 4, "f": 5}},
        "e": {"g": 6},
    }
    assert lower == {"a": {"b": 1, "c": {"d": 2}}, "e": 3}
