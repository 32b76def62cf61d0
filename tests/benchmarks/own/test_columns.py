"""Columns are known by the names that are about, or as the user says."""

from __future__ import annotations

import pytest

from vlbench.benchmarks.own.columns import found_columns
from vlbench.errors import DatasetError


def test_the_columns_of_vlmevalkit_files_are_known() -> None:
    names = ("index", "question", "hint", "A", "B", "C", "D", "answer", "category", "l2-category", "image")
    found = found_columns(names, {})
    assert (found.id, found.question, found.hint, found.answer) == ("index", "question", "hint", "answer")
    assert found.letters == ("A", "B", "C", "D")
    assert found.levels == ("l2-category", "category")  # MMBench and MMMU write the coarse level so
    assert found.images == ("image",)


def test_mmstar_writes_the_fine_level_with_an_underscore() -> None:
    assert found_columns(("category", "l2_category"), {}).levels == ("category", "l2_category")


def test_names_may_be_capital_and_have_spaces() -> None:
    found = found_columns(("ID", "Question", "Choices", "Ground Truth", "Images"), {})
    assert (found.id, found.question, found.options) == ("ID", "Question", "Choices")
    assert (found.answer, found.images) == ("Ground Truth", ("Images",))


def test_numbered_pictures_are_in_the_order_of_their_numbers() -> None:
    names = ("image_10", "image_2", "image_1", "caption_1", "caption_0")
    found = found_columns(names, {})
    assert found.images == ("image_1", "image_2", "image_10")
    assert found.captions == ("caption_0", "caption_1")


def test_a_single_letter_is_no_list_of_options() -> None:
    assert found_columns(("A", "question", "options"), {}).letters == ()


def test_what_the_user_says_wins() -> None:
    found = found_columns(("question", "Frage", "levels"), {"question": "Frage", "levels": ("levels",)})
    assert (found.question, found.levels) == ("Frage", ("levels",))


def test_a_name_that_stands_twice_is_told_where_it_matters() -> None:
    with pytest.raises(DatasetError, match="2 columns 'question'"):
        found_columns(("question", "A", "B", "question", "answer"), {})
    assert found_columns(("question", "A", "B", "answer", "", "", "note", "note"), {}).letters == ("A", "B")


def test_a_column_that_is_not_there_is_told_with_those_that_are() -> None:
    with pytest.raises(DatasetError, match=r"no column 'Frage' for question\. Columns found: a, b\."):
        found_columns(("a", "b"), {"question": "Frage"})
