"""The three MMStar files give the same samples."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest

from vlbench.benchmarks.benchmark import Row
from vlbench.benchmarks.mmstar import read_rows
from vlbench.benchmarks.pack import Pack
from vlbench.errors import DatasetError
from vlbench.media.read import ImageReader

WriteTable = Callable[[Sequence[Mapping[str, str]]], Path]
QUESTION = " Which one?\nOptions: A: nan, B: x, y, C: None, D: w"


def read(path: Path) -> list[Row]:
    with Pack(path.with_suffix(".pack")) as pack:
        return list(read_rows(path, pack))


@pytest.fixture
def row(jpeg_base64: Callable[[int], str]) -> dict[str, str]:
    """A row of the authors' TSV."""
    return {
        "index": "268",
        "question": QUESTION,
        "answer": "A",
        "category": "math",
        "l2_category": "geometry",
        "bench": "MathVista",
        "image": jpeg_base64(1),
    }


def test_the_authors_tsv(write_tsv: WriteTable, row: dict[str, str], jpeg: Callable[[int], bytes]) -> None:
    (found,) = read(write_tsv([row]))
    sample = found.sample
    assert (sample.id, sample.gold, sample.source, sample.problem) == ("268", "A", "MathVista", None)
    assert sample.question == QUESTION
    assert sample.options == {"A": "nan", "B": "x, y", "C": "None", "D": "w"}
    assert sample.options_in_question
    assert sample.categories == ("math", "geometry")
    with ImageReader() as reader:
        assert [reader.span(span) for span in found.pictures] == [jpeg(1)]


def test_the_authors_parquet_says_the_same(
    tmp_path: Path, write_tsv: WriteTable, row: dict[str, str], jpeg: Callable[[int], bytes]
) -> None:
    path = tmp_path / "data.parquet"
    columns = {name: [row[name]] for name in ("question", "answer", "category", "l2_category")}
    table = pyarrow.table(
        {
            "index": [268],
            **columns,
            "image": [{"bytes": jpeg(1), "path": None}],
            "meta_info": [{"source": "MathVista", "split": "val", "image_path": "1.jpg"}],
        }
    )
    pyarrow.parquet.write_table(table, path)
    (found,) = read(path)
    assert found.sample == read(write_tsv([row]))[0].sample
    with ImageReader() as reader:
        assert [reader.span(span) for span in found.pictures] == [jpeg(1)]


def test_vlmevalkits_tsv_has_its_options_in_columns(write_tsv: WriteTable, row: dict[str, str]) -> None:
    row |= {"question": "Hint: …\nQuestion: Which?", "A": "nan", "B": "x, y", "C": "None", "D": ""}
    (found,) = read(write_tsv([row]))
    assert found.sample.question == "Hint: …\nQuestion: Which?"
    assert found.sample.options == {"A": "nan", "B": "x, y", "C": "None"}
    assert not found.sample.options_in_question
    assert found.sample.problem is None


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"question": ""}, "its question is empty"),
        ({"question": " \n"}, "its question is empty"),
        ({"image": ""}, "its image is empty"),
        ({"answer": "", "image": ""}, "its answer and image are empty"),
        ({"answer": "J"}, "its answer 'J' is not a letter from A to D"),
        ({"answer": "AB"}, "its answer 'AB' is not a letter from A to D"),
        ({"answer": "nan"}, "its answer 'nan' is not a letter from A to D"),
        (
            {"answer": "D", "question": "?\nOptions: A: x, B: y, C: z"},
            "its answer is D, but its options are A, B, C",
        ),
        ({"question": "Which?"}, "no options were found in its question or columns"),
        ({"image": "12"}, "its image refers to row '12', which does not exist"),
    ],
)
def test_a_broken_row_is_kept_with_its_reason(
    write_tsv: WriteTable, row: dict[str, str], change: dict[str, str], problem: str
) -> None:
    broken, fine = read(write_tsv([row | change, row | {"index": "2"}]))
    assert broken.sample.problem == problem
    assert broken.sample.id == "268"
    assert fine.sample.problem is None


def test_a_row_without_an_index_is_named_by_its_place(write_tsv: WriteTable, row: dict[str, str]) -> None:
    _, second = read(write_tsv([row, row | {"index": ""}]))
    assert (second.sample.id, second.sample.problem) == ("row-2", "its index is empty")


def test_a_renamed_column_is_told(write_tsv: WriteTable, row: dict[str, str]) -> None:
    row["label"] = row.pop("answer")
    with pytest.raises(
        DatasetError, match=r"is no MMStar file: it lacks the column answer\. Columns found: index"
    ):
        read(write_tsv([row]))
