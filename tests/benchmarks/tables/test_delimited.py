"""Cells are found where the csv module finds them, by their place in the file."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from vlbench.benchmarks.tables.delimited import scanned
from vlbench.errors import DatasetError

texts = st.text(
    st.sampled_from('ab",\t\n é€') | st.characters(exclude_characters="\r\0", codec="utf-8"), max_size=12
)
tables = st.integers(2, 4).flatmap(
    lambda width: st.lists(st.lists(texts, min_size=width, max_size=width), min_size=2, max_size=6)
)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("delimited") / "data"


def read(path: Path, content: bytes) -> list[list[str]]:
    path.write_bytes(content)
    with scanned(path) as scanner:
        return [[scanner.text(cell) for cell in cells] for cells in scanner.records()]


@given(
    tables,
    st.sampled_from("\t,;"),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    st.sampled_from([b"", b"\xef\xbb\xbf"]),
    st.booleans(),
)
def test_what_csv_writes_is_read(
    file: Path, table: list[list[str]], delimiter: str, newline: str, quoting: int, bom: bytes, ended: bool
) -> None:
    table[0] = [f"column {n}" for n, _ in enumerate(table[0])]
    # csv does not quote a line feed where lines end otherwise, so nobody could tell what it means.
    assume(
        not (
            newline == "\r"
            and quoting == csv.QUOTE_MINIMAL
            and any("\n" in cell for row in table for cell in row)
        )
    )
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, lineterminator=newline, quoting=quoting).writerows(table)  # type: ignore[arg-type]  # any of csv's constants
    content = out.getvalue() if ended else out.getvalue().removesuffix(newline)
    assert read(file, bom + content.encode()) == table


@given(st.text(st.sampled_from('ab"\t\n'), max_size=40))
def test_odd_quotes_are_read_as_csv_reads_them(file: Path, text: str) -> None:
    content = f"a\tb\n{text}\n"
    expected = [row or [""] for row in csv.reader(io.StringIO(content, newline=""), delimiter="\t")]
    try:
        found = read(file, content.encode())
    except DatasetError:
        with pytest.raises(csv.Error):
            list(csv.reader(io.StringIO(content, newline=""), delimiter="\t", strict=True))
        return
    # csv keeps a quoted empty cell alone in its line; such a line says nothing here.
    assert found == [row for row in expected if row != [""]]


def test_the_place_of_a_cell_is_told(file: Path) -> None:
    content = b'index\timage\r\n1\tQUJD\r\n2\t"REVG"\r\n'
    file.write_bytes(content)
    with scanned(file) as scanner:
        cells = [record[1] for record in scanner.records()]
    assert [content[cell.start : cell.end] for cell in cells] == [b"image", b"QUJD", b"REVG"]
    assert all(cell.plain for cell in cells)


def test_a_cell_far_beyond_what_csv_takes(file: Path) -> None:
    large = "x" * 3_000_000
    assert read(file, f'a\tb\n"{large}"\t{large}\n'.encode()) == [["a", "b"], [large, large]]


def test_a_file_larger_than_what_stays_mapped(file: Path) -> None:
    rows = [[str(n), "y" * 1_000_000] for n in range(40)]
    content = "\n".join("\t".join(row) for row in [["a", "b"], *rows])
    assert read(file, content.encode())[1:] == rows


def test_an_open_quote_is_told_with_its_row(file: Path) -> None:
    with pytest.raises(DatasetError, match=r"in row 2 a quote opens at byte 10 and is never closed"):
        read(file, b'a\tb\n1\t2\n3\t"4\n5\t6\n')


@pytest.mark.parametrize("content", [b"", b"\n\n", b"\xef\xbb\xbf"])
def test_an_empty_file_is_told(file: Path, content: bytes) -> None:
    with pytest.raises(DatasetError, match="is empty"):
        read(file, content)


def test_a_semicolon_is_taken_only_where_it_is_the_commoner_one(file: Path) -> None:
    assert read(file, b"a;b;c,d\n1;2;3\n") == [["a", "b", "c,d"], ["1", "2", "3"]]
    assert read(file, b"a,b,c;d\n1,2,3\n") == [["a", "b", "c;d"], ["1", "2", "3"]]
    assert read(file, b"a\tb;c;d\n1\t2\n") == [["a", "b;c;d"], ["1", "2"]]


def test_a_carriage_return_inside_a_quoted_heading_ends_no_line(file: Path) -> None:
    assert read(file, b'"a\rb",c\n1,2\n') == [["a\rb", "c"], ["1", "2"]]


def test_utf_16_is_told(file: Path) -> None:
    with pytest.raises(DatasetError, match="UTF-16"):
        read(file, "a\tb\n".encode("utf-16"))
