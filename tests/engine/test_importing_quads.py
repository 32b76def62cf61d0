"""Files with one row a quad: what is wrong with them is told with file and row."""

from __future__ import annotations

from pathlib import Path

import pytest

from vlbench.engine.importing.formats import format_of
from vlbench.engine.importing.quad_predictions import read_answers, read_similarities
from vlbench.errors import DatasetError

HEADER = "id,category,text_0_image_0,text_1_image_0,text_0_image_1,text_1_image_1\n"


def write(folder: Path, text: str) -> Path:
    path = folder / "file.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_the_form_is_told_by_its_columns(tmp_path: Path) -> None:
    assert format_of(write(tmp_path, HEADER)) == "similarities"
    assert format_of(write(tmp_path, "id,Text_Q0,Text_Q1,Image_Q0,Image_Q1,category\n")) == "vismin"
    assert format_of(write(tmp_path, "index\tprediction\n")) == "vlmevalkit"


def test_samples_are_named_as_the_benchmark_names_them(tmp_path: Path) -> None:
    path = write(tmp_path, "id,Text_Q0,Text_Q1,Image_Q0,Image_Q1,category\n7,A,A,First,Second,object\n")
    found = list(read_answers(path))
    assert [(one.sample.id, one.sample.gold, one.text) for one in found] == [
        ("object-7-text_0", "A", "A"),
        ("object-7-text_1", "B", "A"),
        ("object-7-image_0", "First", "First"),
        ("object-7-image_1", "Second", "Second"),
    ]


def test_a_tie_is_an_empty_reply(tmp_path: Path) -> None:
    path = write(tmp_path, HEADER + "0,x,0.5,0.5,0.5,0.7\n")
    assert [one.text for one in read_similarities(path)] == ["", "B", "", "Second"]


@pytest.mark.parametrize("cell", ["", "high", "nan", "inf"])
def test_a_similarity_that_is_no_number_is_told_with_its_row(tmp_path: Path, cell: str) -> None:
    path = write(tmp_path, HEADER + f"0,x,0.5,0.1,0.2,0.7\n1,x,0.5,{cell},0.5,0.7\n")
    with pytest.raises(DatasetError, match=r"file\.csv, row 3: text_1_image_0 is"):
        list(read_similarities(path))


def test_missing_columns_are_named(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="lacks the columns Text_Q1, Image_Q1"):
        list(read_answers(write(tmp_path, "id,Text_Q0,Image_Q0\n")))
