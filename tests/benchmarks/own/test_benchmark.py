"""A file, a folder or an address of one's own is a benchmark, in every form people have them."""

from __future__ import annotations

import base64
import csv
import json
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest

from vlbench.benchmarks.benchmark import HubSet, LocalFile, WebFile
from vlbench.benchmarks.index import indexed
from vlbench.benchmarks.own.benchmark import own_benchmark, short_name
from vlbench.benchmarks.registry import find_benchmark
from vlbench.errors import CatalogError, DatasetError, UsageError
from vlbench.media.read import ImageReader
from vlbench.types import Sample

Jpeg = Callable[[int], bytes]
JSON = Any  # whatever a line of JSON may hold
LITERALS = ["None", "NA", "nan", "N/A"]


@pytest.fixture
def read(tmp_path: Path) -> Callable[[Path | str], list[Sample]]:
    """All samples of a set, indexed."""

    def samples(place: Path | str) -> list[Sample]:
        benchmark = find_benchmark(str(place))
        return list(indexed(benchmark, None, tmp_path / "cache").samples())

    return samples


@pytest.fixture
def folder(tmp_path: Path, jpeg: Jpeg) -> Path:
    """A folder with four pictures below `pics`."""
    (tmp_path / "my set" / "pics").mkdir(parents=True)
    for number in range(4):
        (tmp_path / "my set" / "pics" / f"{number}.jpg").write_bytes(jpeg(number))
    return tmp_path / "my set"


def write_jsonl(path: Path, rows: Sequence[Mapping[str, JSON]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def write_csv(path: Path, rows: Sequence[Mapping[str, str]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), delimiter="\t" if path.suffix == ".tsv" else ",")
        writer.writeheader()
        writer.writerows(rows)
    return path


def bytes_of(sample: Sample) -> list[bytes]:
    with ImageReader() as reader:
        return [reader.raw(image) for image in sample.images]


Read = Callable[[Path | str], list[Sample]]


def test_a_jsonl_file_with_paths(folder: Path, read: Read, jpeg: Jpeg) -> None:
    rows: list[dict[str, JSON]] = [
        {"id": 7, "question": "Which?", "options": LITERALS, "answer": "nan", "image": "pics/1.jpg",
         "category": "a"},
        {"question": "Both?", "options": {"yes": "both", "no": "one"}, "answer": "no",
         "images": ["pics/2.jpg", "3.jpg"], "category": ["a", "b", "c"]},
        {"question": "None?", "options": [1, 2], "answer": "A", "image": None},
    ]  # fmt: skip
    (folder / "pics" / "3.jpg").rename(folder / "3.jpg")
    first, second, third = read(write_jsonl(folder / "my.jsonl", rows))
    assert (first.id, first.options, first.gold) == ("7", dict(zip("ABCD", LITERALS, strict=True)), "C")
    assert bytes_of(first) == [jpeg(1)]
    assert (second.id, second.gold, second.categories) == ("row-2", "no", ("a", "b", "c"))
    assert bytes_of(second) == [jpeg(2), jpeg(3)]
    assert (third.images, third.options, third.problem) == ((), {"A": "1", "B": "2"}, None)


def test_a_jsonl_file_with_pictures_inside(folder: Path, read: Read, jpeg: Jpeg) -> None:
    text = base64.b64encode(jpeg(1)).decode()
    rows: list[dict[str, JSON]] = [
        {"question": "?", "options": ["x", "y"], "answer": "A", "image": text},
        {"question": "?", "options": ["x", "y"], "answer": "A", "image": f"data:image/jpeg;base64,{text}"},
        {"question": "?", "options": ["x", "y"], "answer": "A", "image": [text, "pics/2.jpg"]},
        {
            "question": "?",
            "options": ["x", "y"],
            "answer": "A",
            "image": {"path": "pics/3.jpg", "bytes": None},
        },
    ]
    samples = read(write_jsonl(folder / "my.jsonl", rows))
    assert [bytes_of(sample) for sample in samples] == [[jpeg(1)], [jpeg(1)], [jpeg(1), jpeg(2)], [jpeg(3)]]


@pytest.mark.parametrize("suffix", [".tsv", ".csv"])
def test_a_table_with_letters_base64_references_and_paths(
    folder: Path, read: Read, jpeg: Jpeg, suffix: str
) -> None:
    text = base64.b64encode(jpeg(1)).decode()
    common = {
        "question": "Which?",
        "hint": "",
        "A": "nan",
        "B": "None",
        "C": "",
        "answer": "B",
        "category": "c",
    }
    rows = [
        {"index": "0", **common, "image": text},
        {"index": "1", **common, "image": "0"},
        {"index": "2", **common, "image": "pics/2.jpg"},
        {"index": "3", **common, "image": json.dumps(["pics/2.jpg", "pics/3.jpg"])},
        {"index": "4", **common, "image": str([text, text])},
        {"index": "5", **common, "image": ""},
        {"index": "6", **common, "image": "99"},
        {"index": "7", **common, "hint": "Look up.", "image": str([text] * 60)},
    ]
    samples = read(write_csv(folder / f"my{suffix}", rows))
    assert [bytes_of(sample) for sample in samples] == [
        [jpeg(1)], [jpeg(1)], [jpeg(2)], [jpeg(2), jpeg(3)], [jpeg(1)] * 2, [], [], [jpeg(1)] * 60,
    ]  # fmt: skip
    assert samples[0].options == {"A": "nan", "B": "None"}
    problem = samples[6].problem
    assert problem is not None
    assert problem.startswith("its image '99' is neither a row's index nor a file of")
    assert samples[7].question == "Hint: Look up.\nWhich?"
    assert samples[7].images[0].source.path.endswith(suffix)  # type: ignore[union-attr] # read where it stands


def test_a_parquet_file_with_bytes_and_with_paths(folder: Path, read: Read, jpeg: Jpeg) -> None:
    table = pyarrow.table(
        {
            "question": ["a?", "b?", "c?"],
            "choices": [["x", "NA"], ["x", "y"], ["x", "y"]],
            "answer_index": [1, 0, 1],
            "image": [{"bytes": jpeg(1), "path": "1.jpg"}, {"bytes": None, "path": "pics/2.jpg"}, None],
        }
    )
    pyarrow.parquet.write_table(table, folder / "my.parquet")
    samples = read(folder / "my.parquet")
    assert [bytes_of(sample) for sample in samples] == [[jpeg(1)], [jpeg(2)], []]
    assert [(sample.options["B"], sample.gold) for sample in samples] == [("NA", "B"), ("y", "A"), ("y", "B")]


def test_a_folder_with_shards_of_the_test_split(folder: Path, read: Read, jpeg: Jpeg) -> None:
    for number in range(2):
        table = pyarrow.table(
            {"question": ["?"], "options": [["x", "y"]], "answer": ["y"], "image": [{"bytes": jpeg(number)}]}
        )
        pyarrow.parquet.write_table(table, folder / f"test-0000{number}-of-00002.parquet")
    write_jsonl(folder / "train.jsonl", [{"question": "no"}])
    samples = read(folder)
    assert [sample.id for sample in samples] == ["row-1", "row-2"]
    assert [bytes_of(sample) for sample in samples] == [[jpeg(0)], [jpeg(1)]]


def test_a_changed_picture_makes_another_set(folder: Path, tmp_path: Path, jpeg: Jpeg) -> None:
    row = {"question": "?", "options": ["x", "y"], "answer": "A", "image": "pics/1.jpg"}
    benchmark = find_benchmark(str(write_jsonl(folder / "my.jsonl", [row])))
    first = indexed(benchmark, None, tmp_path / "cache")
    assert indexed(benchmark, None, tmp_path / "cache") == first
    (folder / "pics" / "1.jpg").write_bytes(jpeg(9))
    os.utime(folder / "pics" / "1.jpg", ns=(1, 1))
    second = indexed(benchmark, None, tmp_path / "cache")
    assert second.data_sha256 != first.data_sha256
    assert bytes_of(next(second.samples())) == [jpeg(9)]
    (folder / "pics" / "1.jpg").unlink()
    (problem,) = indexed(benchmark, None, tmp_path / "cache").problems
    assert problem.reason.startswith("its picture 'pics/1.jpg' is not in")


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("{", "it is not JSON"),
        ("[1]", "it is not an object"),
        ('{"question": "?", "options": ["a", "b"]}', "its answer is empty"),
        ('{"question": "", "options": ["a", "b"], "answer": "A"}', "its question is empty"),
        ('{"question": "?", "answer": "A"}', "it has no options"),
        ('{"question": "?", "options": ["a", "b"], "answer": "E"}', "its answer 'E' is neither a label"),
        (
            '{"question": "?", "options": ["a", "b"], "answer": "A", "image": 3}',
            "is neither a path nor base64",
        ),
        (
            '{"question": "?", "options": ["a", "b"], "answer": "A", "image": "../my.jsonl"}',
            "lies outside of",
        ),
        (
            '{"question": "?", "options": ["a", "b"], "answer": "A", "image": "my.jsonl"}',
            "the image is none of",
        ),
        (
            '{"question": "?", "options": ["a", "b"], "answer": "A", "image": "https://h/1.png"}',
            "web address",
        ),
    ],
)
def test_a_broken_line_is_kept_and_told(folder: Path, read: Read, line: str, problem: str) -> None:
    (folder.parent / "my.jsonl").write_text("x", encoding="utf-8")
    good = {"question": "?", "options": ["a", "b"], "answer": "A", "image": "pics/1.jpg"}
    path = write_jsonl(folder / "my.jsonl", [good])
    path.write_text(path.read_text(encoding="utf-8") + "\n" + line + "\n", encoding="utf-8")
    first, second = read(path)
    assert first.problem is None
    assert second.id == "row-3"  # the line, blank ones counted
    assert problem in (second.problem or "")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "is empty"),
        ("[\n{}\n]", r"line 1: it is not JSON .* A JSONL file holds one object a line"),
        (
            '{"q": "?"}',
            r"lacks a column question and a column answer .* Columns found: q\..*docs/own-sets\.md",
        ),
        ("index,question\n1,x\n", r"lacks a column answer .* Columns found: index, question"),
    ],
)
def test_a_file_of_another_form_is_told(tmp_path: Path, read: Read, content: str, words: str) -> None:
    (tmp_path / "my.jsonl").write_text(content, encoding="utf-8")
    with pytest.raises(DatasetError, match=words):
        read(tmp_path / "my.jsonl")


def test_settings_beside_the_file_name_columns(folder: Path, read: Read, jpeg: Jpeg) -> None:
    rows = [{"Frage": "Was?", "Antworten": ["x", "y"], "richtig": "y", "Bild": "pics/1.jpg", "Thema": "t"}]
    path = write_jsonl(folder / "my.jsonl", rows)
    (folder / "my.set.toml").write_text(
        'title = "Mine"\nlevels = ["topic"]\n[columns]\nquestion = "Frage"\noptions = "Antworten"\n'
        'answer = "richtig"\nimages = ["Bild"]\nlevels = ["Thema"]\n',
        encoding="utf-8",
    )
    (sample,) = read(path)
    assert (sample.question, sample.gold, sample.categories) == ("Was?", "B", ("t",))
    assert bytes_of(sample) == [jpeg(1)]
    benchmark = find_benchmark(str(path))
    assert (benchmark.title, benchmark.levels[0]) == ("Mine", "topic")
    assert benchmark.version.startswith("own-1-choice+")


@pytest.mark.parametrize(
    ("settings", "words"),
    [('columns = {frage = "x"}', "columns.frage is not known"), ("colour = 1", "set.toml:1: colour")],
)
def test_settings_with_a_mistake_are_told(folder: Path, settings: str, words: str) -> None:
    (folder / "set.toml").write_text(settings, encoding="utf-8")
    with pytest.raises((CatalogError, UsageError), match=words):
        find_benchmark(str(folder))


def test_what_a_name_stands_for(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    path = write_jsonl(folder / "My Set!.jsonl", [{"question": "?"}])
    sources = {
        name: found.home
        for name in ("My Set!.jsonl", "org/name", "hf://org/name", "hf://org/name/test", "https://h/x.tsv")
        if (found := own_benchmark(name)) is not None
    }
    assert sources == {
        "My Set!.jsonl": LocalFile(path),
        "org/name": HubSet("org/name"),
        "hf://org/name": HubSet("org/name"),
        "hf://org/name/test": HubSet("org/name", "test"),
        "https://h/x.tsv": WebFile("https://h/x.tsv"),
    }
    assert own_benchmark("mmmstar") is None
    for name in ("none.jsonl", "./none", "/none/at/all", "hf://org"):
        with pytest.raises(UsageError):
            own_benchmark(name)


@pytest.mark.parametrize(
    ("place", "name"),
    [
        ("/a/b/My Set!.jsonl", "my-set"),
        ("hf://org/name", "name"),
        ("../..", "set"),
        ("x/\x1b[31m.tsv", "31m"),
        ("a" * 99, "a" * 40),
    ],
)
def test_a_set_has_a_short_safe_name(place: str, name: str) -> None:
    assert short_name(place) == name


def test_a_file_cannot_take_the_name_of_a_benchmark(tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "mmstar.jsonl", [{"question": "?"}])
    assert find_benchmark(str(path)).name == "own-mmstar"


def test_pictures_and_captions_become_four_questions(folder: Path, read: Read, jpeg: Jpeg) -> None:
    rows = [
        {"id": 1, "image_0": "pics/0.jpg", "image_1": "pics/1.jpg", "caption_0": "one", "caption_1": "two",
         "category": "count"},
        {"id": 2, "image_0": "pics/0.jpg", "image_1": "gone.jpg", "caption_0": "one", "caption_1": "two"},
    ]  # fmt: skip
    path = write_jsonl(folder / "my.jsonl", rows)
    samples = read(path)
    assert [sample.role for sample in samples[:4]] == ["text_0", "text_1", "image_0", "image_1"]
    assert [sample.gold for sample in samples[:4]] == ["A", "B", "First", "Second"]
    assert [bytes_of(sample) for sample in samples[:4]] == [
        [jpeg(0)],
        [jpeg(1)],
        [jpeg(0), jpeg(1)],
        [jpeg(0), jpeg(1)],
    ]
    assert {sample.group for sample in samples[:4]} == {"count-1"}
    assert all("gone.jpg" in (sample.problem or "") for sample in samples[4:])
    assert find_benchmark(str(path)).metrics == ("quads",)
    (folder / "my.set.toml").write_text('protocol = "pairs"\ncounterbalanced = true', encoding="utf-8")
    assert len(read(path)) == 16
