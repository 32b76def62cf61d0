"""Options and golds come in many forms; what is not clear is told and never guessed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vlbench.benchmarks.own.columns import Columns
from vlbench.benchmarks.own.options import gold_of, options_of
from vlbench.benchmarks.tables.literals import as_text, parsed, parsed_list

LISTED = Columns(question="question", options="options", answer="answer", answer_number="answer_index")
LETTERED = Columns(question="question", letters=("A", "B", "C", "D"), answer="answer")


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ('["red", "None", "nan", "007"]', {"A": "red", "B": "None", "C": "nan", "D": "007"}),
        ("['it''s', \"two, three\"]", {"A": "its", "B": "two, three"}),
        ("('x', 'y')", {"A": "x", "B": "y"}),
        ("[1, 2.5, 1e3]", {"A": "1", "B": "2.5", "C": "1000.0"}),
        ('{"First": "left", "Second": "right"}', {"First": "left", "Second": "right"}),
        ("[true, false]", {"A": "true", "B": "false"}),
    ],
)
def test_a_list_or_a_table_in_one_cell_gives_the_options(text: str, options: dict[str, str]) -> None:
    assert options_of({"options": text}, LISTED) == (options, False)


def test_letters_up_to_z_are_columns_and_an_empty_cell_is_no_option() -> None:
    columns = Columns(question="question", letters=tuple("ABCDZ"))
    cells = {"A": "NA", "B": "null", "Z": "last"}
    assert options_of(cells, columns) == ({"A": "NA", "B": "null", "Z": "last"}, False)


def test_columns_of_other_names_get_letters_in_their_order() -> None:
    columns = Columns(question="question", letters=("right", "wrong 1", "wrong 2"))
    cells = {"right": "x", "wrong 2": "z"}
    assert options_of(cells, columns) == ({"A": "x", "C": "z"}, False)


def test_options_that_the_question_lists_already_are_not_listed_again() -> None:
    question = "Hint: look.\nQuestion: How many?\nChoices:\n(A) one\n(B) two\n(C) three"
    same = {"question": question, "options": "['one', 'two', 'three']"}
    assert options_of(same, LISTED) == ({"A": "one", "B": "two", "C": "three"}, True)
    assert options_of({"question": question}, LISTED) == ({"A": "one", "B": "two", "C": "three"}, True)
    other = {"question": question, "options": "['1', '2', '3']"}
    assert options_of(other, LISTED)[1] is False


@pytest.mark.parametrize(
    ("cells", "problem"),
    [
        ({}, "it has no options"),
        ({"options": "red or blue"}, "its options 'red or blue' are not a list"),
        ({"options": '["red"]'}, "it has a single option"),
        ({"options": '["red", ""]'}, "its option B is empty"),
        ({"options": '["red", null]'}, "its option B is empty"),
        ({"options": str(["x"] * 27)}, "it has 27 options, more than there are letters"),
        ({"options": '{"a\\u001bb": "x", "B": "y"}'}, "is no short word"),
        ({"options": "{1: 'x', 2: 'y'}"}, "are not a list"),
        ({"options": '{"a": "x", "A": "y"}'}, "differ in nothing but capital letters"),
        ({"options": "[" * 2000}, "are not a list"),
        ({"options": "__import__('os').system('true')"}, "are not a list"),
    ],
)
def test_options_that_cannot_be_read_are_told(cells: dict[str, str], problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        options_of(cells, LISTED)


@pytest.mark.parametrize(
    ("cells", "gold"),
    [
        ({"answer": " B "}, "B"),
        ({"answer": "green"}, "B"),
        ({"answer": "C"}, "C"),  # a label, though option D has this text
        ({"answer_index": "3"}, "D"),
        ({"answer_index": "0", "answer": "green"}, "A"),
    ],
)
def test_the_gold_is_a_label_a_text_or_a_number_of_its_own_column(cells: dict[str, str], gold: str) -> None:
    assert gold_of(cells, LISTED, {"A": "red", "B": "green", "C": "blue", "D": "C"}) == gold


@pytest.mark.parametrize(
    ("cells", "problem"),
    [
        ({}, "its answer is empty"),
        ({"answer": "J"}, "its answer 'J' is neither a label"),
        ({"answer": "2"}, "counts from 0 goes into a column answer_index"),
        ({"answer": "twice"}, "is the text of the options B and C: give the label"),
        ({"answer": "a"}, "its answer 'a' is neither a label"),
        ({"answer_index": "3"}, "its answer number '3' is not one from 0 to 2"),
        ({"answer_index": "-1"}, "is not one from 0 to 2"),
        ({"answer_index": "²"}, "is not one from 0 to 2"),
    ],
)
def test_a_gold_that_is_not_clear_is_told(cells: dict[str, str], problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        gold_of(cells, LISTED, {"A": "red", "B": "twice", "C": "twice"})


@given(st.lists(st.text(), max_size=5))
def test_a_list_is_read_back_from_python_and_from_json(texts: list[str]) -> None:
    import json

    if all(text.isprintable() for text in texts):
        assert parsed_list(str(texts)) == texts
        assert parsed_list(json.dumps(texts)) == texts


def test_single_values_keep_their_form() -> None:
    assert [as_text(value) for value in (None, "nan", 7, 7.0, 0.5, True)] == [
        "",
        "nan",
        "7",
        "7.0",
        "0.5",
        "true",
    ]
    assert parsed("x" * 10) is None
    assert parsed("[" + "1," * 100_000 + "1]") is None
