"""Texts stay what they are, and pictures are found where they stand."""

from __future__ import annotations

import base64
import gzip
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest

from vlbench.benchmarks.pack import Pack
from vlbench.benchmarks.tables.opened import columns_of, opened_table
from vlbench.benchmarks.tables.table import TableRow
from vlbench.errors import DatasetError
from vlbench.media.read import ImageReader

WriteTable = Callable[[Sequence[Mapping[str, str]]], Path]
LITERALS = ["nan", "None", "NA", "N/A", "null", "1e5", "007", "-0", "True", " x ", 'say ""hi""', "a\nb"]


def read(path: Path, pictures: tuple[str, ...] = ("image",)) -> list[TableRow]:
    with Pack(path.with_suffix(".pack")) as pack, opened_table(path, pack, pictures) as table:
        return list(table.rows)


def picture_of(row: TableRow) -> bytes:
    (span,) = row.pictures["image"]
    with ImageReader() as reader:
        return reader.span(span)


@pytest.fixture
def write_parquet(tmp_path: Path) -> Callable[[dict[str, object]], Path]:
    def write(columns: dict[str, object]) -> Path:
        pyarrow.parquet.write_table(pyarrow.table(columns), tmp_path / "data.parquet")
        return tmp_path / "data.parquet"

    return write


def test_literals_stay_texts_and_only_an_empty_cell_is_missing(write_tsv: WriteTable) -> None:
    path = write_tsv([{"index": str(n), "A": text, "B": ""} for n, text in enumerate(LITERALS)])
    rows = read(path)
    assert [row.cells["A"] for row in rows] == LITERALS
    assert not any("B" in row.cells for row in rows)
    assert [row.number for row in rows] == list(range(1, len(LITERALS) + 1))


def test_literals_stay_texts_in_parquet(write_parquet: Callable[[dict[str, object]], Path]) -> None:
    rows = read(write_parquet({"index": range(len(LITERALS)), "A": LITERALS, "B": [None, *[""] * 11]}))
    assert [row.cells["A"] for row in rows] == LITERALS
    assert [row.cells["index"] for row in rows] == [str(n) for n in range(len(LITERALS))]
    assert not any("B" in row.cells for row in rows)


def test_json_lines_that_old_macs_ended_are_told(tmp_path: Path) -> None:
    path = tmp_path / "data.jsonl"
    path.write_bytes(b'{"question": "a"}\r{"question": "b"}\r')
    with pytest.raises(DatasetError, match=r"data\.jsonl: its lines end with a carriage return alone"):
        columns_of(path)


def test_parquet_structs_and_other_types_become_texts(
    write_parquet: Callable[[dict[str, object]], Path],
) -> None:
    path = write_parquet({"meta": [{"source": "é", "n": 3}], "ok": [True], "list": [["a", "b"]]})
    with Pack(path.with_suffix(".pack")) as pack, opened_table(path, pack) as table:
        assert table.columns == ("meta.source", "meta.n", "ok", "list")
        (row,) = table.rows
    assert row.cells == {"meta.source": "é", "meta.n": "3", "ok": "true", "list": '["a", "b"]'}


def test_parquet_pictures_come_as_structs_bytes_or_lists(
    write_parquet: Callable[[dict[str, object]], Path],
) -> None:
    path = write_parquet(
        {
            "image": [{"bytes": b"one", "path": "x"}, {"bytes": None, "path": "y"}, None],
            "plain": [b"two", b"", None],
            "many": [[b"three", b"four"], [], None],
        }
    )
    rows = read(path, ("image", "plain", "many"))
    with ImageReader() as reader:
        found = [
            {name: [reader.span(span) for span in spans] for name, spans in row.pictures.items()}
            for row in rows
        ]
    assert found == [{"image": [b"one"], "plain": [b"two"], "many": [b"three", b"four"]}, {}, {}]


def test_a_broken_parquet_file_is_told(tmp_path: Path) -> None:
    path = tmp_path / "data.parquet"
    path.write_bytes(b"PAR1 and then nothing of the kind")
    with pytest.raises(DatasetError, match=r"data\.parquet cannot be read as parquet"):
        read(path)


def test_a_parquet_table_may_be_left_early(write_parquet: Callable[[dict[str, object]], Path]) -> None:
    path = write_parquet({"text": ["x" * 1000] * 2000})
    with Pack(path.with_suffix(".pack")) as pack, opened_table(path, pack) as table:
        assert next(table.rows).number == 1


def test_clean_base64_is_read_where_it_stands(write_tsv: WriteTable) -> None:
    picture = bytes(range(200))
    path = write_tsv([{"index": "1", "image": base64.b64encode(picture).decode()}])
    (row,) = read(path)
    assert row.pictures["image"][0].path == str(path)
    assert row.pictures["image"][0].encoding == "base64"
    assert picture_of(row) == picture


def test_a_data_address_is_read_behind_its_prefix(write_tsv: WriteTable) -> None:
    picture = bytes(range(200))
    path = write_tsv([{"index": "1", "image": "data:image/png;base64," + base64.b64encode(picture).decode()}])
    (row,) = read(path)
    assert row.pictures["image"][0].path == str(path)
    assert picture_of(row) == picture


@pytest.mark.parametrize(
    "text",
    [
        base64.encodebytes(bytes(range(200))).decode(),
        base64.urlsafe_b64encode(bytes(range(200))).decode(),
        base64.b64encode(bytes(range(200))).decode().rstrip("="),
        " " + base64.b64encode(bytes(range(200))).decode(),
    ],
    ids=["line breaks", "URL alphabet", "no padding", "space before"],
)
def test_base64_that_no_server_takes_is_decoded_into_the_pack(write_tsv: WriteTable, text: str) -> None:
    (row,) = read(write_tsv([{"index": "1", "image": text}]))
    assert row.pictures["image"][0].path.endswith(".pack")
    assert row.pictures["image"][0].encoding == "raw"
    assert picture_of(row) == bytes(range(200))


def test_what_is_no_base64_is_told(write_tsv: WriteTable) -> None:
    (row,) = read(write_tsv([{"index": "1", "image": "é!" * 50}]))
    assert row.problem == "its image cell is not base64"


def test_a_short_picture_cell_names_the_row_that_has_it(write_tsv: WriteTable) -> None:
    text = base64.b64encode(bytes(100)).decode()
    path = write_tsv(
        [
            {"index": "7", "image": "8"},
            {"index": "8", "image": "9"},
            {"index": "9", "image": text},
            {"index": "10", "image": "9"},
        ]
    )
    rows = read(path)
    assert [picture_of(row) for row in rows] == [bytes(100)] * 4


@pytest.mark.parametrize(
    ("cells", "problem"),
    [
        (["2", "1", ""], "its image refers to row 2 → 1 → 2, a circle"),
        (["1", "", ""], "its image refers to row 1 → 1, a circle"),
        (["77", "", ""], "its image refers to row '77', which does not exist"),
        (["3", "", ""], "its image refers to row '3', which has no image"),
    ],
)
def test_a_reference_that_leads_nowhere_is_told(
    write_tsv: WriteTable, cells: list[str], problem: str
) -> None:
    rows = read(write_tsv([{"index": str(n), "image": cell} for n, cell in enumerate(cells, 1)]))
    assert rows[0].problem == problem
    assert rows[0].cells == {"index": "1"}


def test_rows_that_cannot_be_read_keep_their_index(tmp_path: Path) -> None:
    path = tmp_path / "data.tsv"
    path.write_bytes(b"index\tA\n1\tx\ty\n2\t\xff\xfe\n3\n4\tz\n")
    rows = read(path)
    assert [(row.cells["index"], row.problem) for row in rows] == [
        ("1", "it has 3 cells, the header has 2"),
        ("2", "it is not UTF-8 text"),
        ("3", None),
        ("4", None),
    ]


def test_missing_columns_are_told_with_those_found(write_tsv: WriteTable) -> None:
    path = write_tsv([{"index": "1", "Question": "?"}])
    with (
        Pack(path.with_suffix(".pack")) as pack,
        opened_table(path, pack) as table,
        pytest.raises(DatasetError) as error,
    ):
        table.require(("index", "question", "answer"), "MMStar")
    assert "lacks the columns question, answer. Columns found: index, Question." in str(error.value)


@pytest.mark.parametrize("name", ["missing.tsv", "."])
def test_a_file_that_cannot_be_opened_is_named(tmp_path: Path, name: str) -> None:
    with pytest.raises(DatasetError, match=f"The data file {tmp_path / name} cannot be read"):
        read(tmp_path / name)


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.csv")
    with pytest.raises(DatasetError, match=r"pipe\.csv is no ordinary file"):
        columns_of(tmp_path / "pipe.csv")


def test_a_packed_file_is_told(tmp_path: Path) -> None:
    path = tmp_path / "data.tsv.gz"
    path.write_bytes(gzip.compress(b"index\tA\n1\tx\n"))
    with pytest.raises(DatasetError, match="neither a parquet file nor UTF-8 text"):
        read(path)
