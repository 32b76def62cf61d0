"""One table is read: the only one, the test split, or the one that is named, with all its shards."""

from __future__ import annotations

from pathlib import Path

import pytest

from vlbench.benchmarks.own.files import chosen_tables, settings_path, tables_of
from vlbench.errors import DatasetError

SPLITS = (
    "README.md",
    "data/test-00000-of-00002.parquet",
    "data/test-00001-of-00002.parquet",
    "data/train-00000-of-00001-0123456789abcdef.parquet",
    "mini/validation.jsonl",
)


@pytest.mark.parametrize(
    ("split", "tables"),
    [
        ("", ("data/test-00000-of-00002.parquet", "data/test-00001-of-00002.parquet")),
        ("test", ("data/test-00000-of-00002.parquet", "data/test-00001-of-00002.parquet")),
        ("train", ("data/train-00000-of-00001-0123456789abcdef.parquet",)),
        ("mini", ("mini/validation.jsonl",)),
        ("mini/validation.jsonl", ("mini/validation.jsonl",)),
    ],
)
def test_a_split_is_read_with_all_its_shards(split: str, tables: tuple[str, ...]) -> None:
    assert chosen_tables(SPLITS, split, "the set") == tables


def test_the_only_table_needs_no_name() -> None:
    assert chosen_tables(["pictures/1.png", "questions.csv"], "", "the set") == ("questions.csv",)


@pytest.mark.parametrize(
    ("names", "split", "words"),
    [
        (("a.png",), "", "the set holds no table"),
        (("a.tsv", "b.tsv"), "", "several tables and no single test split. Name one .*: a, b"),
        (("x/test.tsv", "y/test.tsv"), "", "several tables"),
        (("a.tsv", "b.tsv"), "c", "no single table 'c'"),
    ],
)
def test_what_is_not_clear_is_told_with_what_there_is(names: tuple[str, ...], split: str, words: str) -> None:
    with pytest.raises(DatasetError, match=words):
        chosen_tables(names, split, "the set")


def test_a_folder_is_searched_and_hidden_files_are_not(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    for name in (".hidden.tsv", "deep/own.jsonl", "notes.txt"):
        (tmp_path / name).write_text("x", encoding="utf-8")
    assert tables_of(tmp_path) == (tmp_path / "deep" / "own.jsonl",)
    assert tables_of(tmp_path / "deep" / "own.jsonl") == (tmp_path / "deep" / "own.jsonl",)


def test_settings_stand_beside_a_file_or_in_a_folder(tmp_path: Path) -> None:
    assert settings_path(tmp_path) == tmp_path / "set.toml"
    assert settings_path(tmp_path / "my.jsonl") == tmp_path / "my.set.toml"
