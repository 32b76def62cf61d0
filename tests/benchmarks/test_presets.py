"""The six presets read VLMEvalKit's layouts, from a host on this machine."""

from __future__ import annotations

import csv
import functools
import hashlib
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from vlbench.benchmarks.benchmark import Benchmark, WebFile
from vlbench.benchmarks.index import indexed
from vlbench.benchmarks.presets import MATHVISTA, MMBENCH, MMMU, SCIENCEQA
from vlbench.benchmarks.registry import find_benchmark
from vlbench.errors import DatasetError
from vlbench.types import Sample

NAMES = ("mmmu", "mmbench", "scienceqa", "ai2d", "seedbench", "mathvista")


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def host(tmp_path: Path) -> Iterator[str]:
    (tmp_path / "host").mkdir()
    handler = functools.partial(Quiet, directory=str(tmp_path / "host"))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/data.tsv"
        server.shutdown()
        thread.join()


@pytest.fixture
def read(host: str, tmp_path: Path) -> Callable[[Benchmark, Sequence[Mapping[str, str]]], list[Sample]]:
    """The samples of a preset whose file has these rows."""

    def samples(preset: Benchmark, rows: Sequence[Mapping[str, str]]) -> list[Sample]:
        path = tmp_path / "host" / "data.tsv"
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]), delimiter="\t")
            writer.writeheader()
            writer.writerows(rows)
        md5 = hashlib.md5(path.read_bytes(), usedforsecurity=False).hexdigest()
        here = replace(preset, home=WebFile(host, md5))
        data = indexed(here, None, tmp_path / "cache")
        assert data.revision == md5
        return list(data.samples())

    return samples


Read = Callable[[Benchmark, Sequence[Mapping[str, str]]], list[Sample]]


@pytest.mark.parametrize("name", NAMES)
def test_presets_are_known_by_name_with_address_and_sum(name: str) -> None:
    preset = find_benchmark(name)
    assert isinstance(preset.home, WebFile)
    assert preset.home.url.startswith("https://opencompass.openxlab.space/utils/")
    assert len(bytes.fromhex(preset.home.md5)) == 16
    assert preset.prompts == "mcq"


def test_mmmu_keeps_the_choice_questions_of_its_validation_split(
    read: Read, jpeg_base64: Callable[[int], str]
) -> None:
    row = {
        "index": "1", "question": "In <image 1>?", "A": "x", "B": "<image 2>", "answer": "B",
        "category": "Art", "l2-category": "Humanities", "split": "validation",
        "image": str([jpeg_base64(1), jpeg_base64(2)]),
    }  # fmt: skip
    rows = [
        row,
        row | {"index": "2", "split": "dev"},
        row | {"index": "3", "A": "", "B": "", "answer": "42"},
    ]
    (sample,) = read(MMMU, rows)
    assert (sample.id, sample.categories, len(sample.images)) == ("1", ("Humanities", "Art"), 2)


def test_mmbench_rows_of_one_question_are_its_rotations(
    read: Read, jpeg_base64: Callable[[int], str]
) -> None:
    common = {"question": "?", "hint": "", "category": "ocr", "l2-category": "fine"}
    rows = [
        {"index": "241", **common, "A": "x", "B": "y", "answer": "A", "image": jpeg_base64(1)},
        {"index": "1000241", **common, "A": "y", "B": "x", "answer": "B", "image": "241"},
    ]
    samples = read(MMBENCH, rows)
    assert [(s.id, s.group, s.role) for s in samples] == [
        ("241", "241", "rotation-0"), ("1000241", "241", "rotation-1"),
    ]  # fmt: skip
    assert samples[0].images == samples[1].images
    assert MMBENCH.metrics == ("circular",)


def test_mathvista_keeps_the_questions_with_options(read: Read, jpeg_base64: Callable[[int], str]) -> None:
    question = "Hint: Give the letter.\nQuestion: How many?\nChoices:\n(A) 1\n(B) 2"
    row = {
        "index": "1", "question": question, "question_type": "multi_choice", "choices": "['1', '2']",
        "answer": "2", "answer_option": "B", "task": "geometry", "image": jpeg_base64(1),
    }  # fmt: skip
    free = row | {"index": "2", "question_type": "free_form", "choices": "", "answer_option": ""}
    (sample,) = read(MATHVISTA, [row, free])
    assert (sample.options, sample.gold, sample.options_in_question) == ({"A": "1", "B": "2"}, "B", True)
    assert (sample.question, sample.categories) == (question, ("geometry",))


def test_a_renamed_column_is_told_with_those_found(read: Read, jpeg_base64: Callable[[int], str]) -> None:
    with pytest.raises(
        DatasetError, match=r"lacks a column answer .* Columns found: index, question, A, B, gold_is"
    ):
        read(SCIENCEQA, [{"index": "1", "question": "?", "A": "x", "B": "y", "gold_is": "A", "image": "AA"}])
