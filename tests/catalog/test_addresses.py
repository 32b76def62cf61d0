"""Replicas named in a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from vlbench.catalog.target import Target, parse_target, with_addresses
from vlbench.errors import UsageError


def test_a_file_lists_one_address_a_line_and_each_counts_once(tmp_path: Path) -> None:
    text = (
        "# the farm\nhttp://10.0.0.1:8000/v1/\n\n  http://10.0.0.2:8000/v1  # slow\nHTTP://10.0.0.1:8000/v1\n"
    )
    (tmp_path / "urls.txt").write_text(text, encoding="utf-8")
    target = parse_target("local:org/M@v1+tag=x@file:urls.txt")
    assert target == Target("local", "org/M@v1", {"tag": "x"}, url_file="urls.txt")
    read = with_addresses(target, tmp_path)
    assert read.urls == ("http://10.0.0.1:8000/v1", "http://10.0.0.2:8000/v1")
    assert read.url_file is None


def test_addresses_that_were_typed_need_no_file(tmp_path: Path) -> None:
    target = parse_target("local:m@http://h:1/v1|http://h:2/v1")
    assert with_addresses(target, tmp_path) is target


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "urls.txt cannot be read: No such file"),
        ("# nothing\n", "lists no address"),
        ("http://a:1/v1\nftp://b\n", "urls.txt:2: this address cannot be used"),
    ],
)
def test_a_file_that_is_of_no_use_is_told(tmp_path: Path, content: str | None, words: str) -> None:
    if content is not None:
        (tmp_path / "urls.txt").write_text(content, encoding="utf-8")
    with pytest.raises(UsageError) as told:
        with_addresses(parse_target("local:m@file:urls.txt"), tmp_path)
    assert words in str(told.value)


def test_a_file_must_be_named() -> None:
    with pytest.raises(UsageError, match="names no file"):
        parse_target("local:m@file:")
