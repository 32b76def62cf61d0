"""Every path of a TOML document is found, on the line where a reader would look for it."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vlbench.catalog.lines import LineIndex
from vlbench.catalog.places import shipped_root

DOCUMENT = '''\
# a comment with = and [brackets]
name = "x # no comment"
a.b.c = 1
quoted."key.with.dots" = 2

[models."gpt-6.1"]   # a header
takes = true
words = """
[not.a.table]
key = 1
""\\""""
list = [
  1,
  # between
  { inner = 'a', deep.er = [ "]", '}' ] },
]

[[exemplars]]
user = "one"
[[exemplars]]
user = \'\'\'two
lines\'\'\'
[exemplars.more]
last = 2026-11-30
'''


def paths(value: object, prefix: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    if prefix:
        yield prefix
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from paths(inner, (*prefix, key))
    elif isinstance(value, list):
        for position, inner in enumerate(value):
            yield from paths(inner, (*prefix, position))


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("name",), 2),
        (("a", "b", "c"), 3),
        (("quoted", "key.with.dots"), 4),
        (("models", "gpt-6.1"), 6),
        (("models", "gpt-6.1", "words"), 8),
        (("models", "gpt-6.1", "list", 0), 13),
        (("models", "gpt-6.1", "list", 1, "deep", "er", 1), 15),
        (("exemplars", 0), 18),
        (("exemplars", 1, "user"), 21),
        (("exemplars", 1, "more", "last"), 24),
        (("exemplars", 1, "more", "absent"), 23),
        (("nowhere",), 1),
    ],
)
def test_a_path_is_found_on_its_line(path: tuple[str | int, ...], line: int) -> None:
    assert LineIndex(DOCUMENT).line(path) == line


def test_exactly_the_paths_that_tomllib_reads_are_indexed() -> None:
    assert set(LineIndex(DOCUMENT).lines) == set(paths(tomllib.loads(DOCUMENT)))


@pytest.mark.parametrize("file", sorted(shipped_root().glob("pro*s/*.toml")), ids=lambda p: p.name)
def test_shipped_files_are_indexed_completely(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    assert set(LineIndex(text).lines) == set(paths(tomllib.loads(text)))


texts = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), max_size=8)
keys = st.text("abc.[]= #\"'", min_size=1, max_size=5)


def quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


@given(st.lists(st.tuples(keys, st.lists(texts, max_size=3)), max_size=6, unique_by=lambda pair: pair[0]))
def test_each_key_is_on_the_line_it_was_written_on(pairs: list[tuple[str, list[str]]]) -> None:
    lines = [f"{quoted(key)} = [{', '.join(map(quoted, values))}] # = [" for key, values in pairs]
    index = LineIndex("\n".join(lines))
    assert [index.line((key,)) for key, _ in pairs] == list(range(1, len(pairs) + 1))
    assert set(index.lines) == set(paths(tomllib.loads("\n".join(lines))))
