"""The two data sets published with VDiff-Bench, whatever their golds look like."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest

from vlbench.benchmarks.benchmark import LocalFile
from vlbench.benchmarks.index import indexed
from vlbench.benchmarks.vdiff import VDIFF
from vlbench.benchmarks.vdiff_categories import category_path
from vlbench.errors import DatasetError
from vlbench.types import Sample

SAME = "No difference between the two images."
CHOICES = ["The cup moved left.", "The cup moved right.", SAME, "The cup is larger."]
Picture = Callable[[int], bytes]
Write = Callable[..., Path]


def rows_of(jpeg: Picture, *changes: dict[str, object]) -> list[dict[str, object]]:
    """Rows of `image_diff_mcq_data`, pictures as bytes; each is given by what differs from a good one."""
    return [
        {
            "image_1": jpeg(2 * n),
            "image_2": jpeg(2 * n + 1),
            "choices": CHOICES,
            "ground truth": "The cup moved right.",
            "change category": "position",
            "source": "puzzle",
            "index": n,
        }
        | change
        for n, change in enumerate(changes)
    ]


@pytest.fixture
def write(tmp_path: Path, jpeg: Picture) -> Write:
    """Writes rows as JSON lines, which needs no process to read."""

    def make(*changes: dict[str, object]) -> Path:
        path = tmp_path / "mcq.jsonl"
        with path.open("w", encoding="utf-8") as file:
            for row in rows_of(jpeg, *changes):
                text = {k: b64encode(v).decode() if isinstance(v, bytes) else v for k, v in row.items()}
                file.write(json.dumps(text) + "\n")
        return path

    return make


def samples(path: Path) -> list[Sample]:
    return list(indexed(VDIFF, LocalFile(path), path.parent / "cache").samples())


@pytest.mark.parametrize("gold", ["The cup moved right.", " The cup moved right. ", "B", "b", "(B)", "B."])
def test_the_gold_may_be_a_text_or_a_letter(write: Write, gold: str) -> None:
    (sample,) = samples(write({"ground truth": gold}))
    assert (sample.gold, sample.problem) == ("B", None)


def test_a_row_becomes_a_question_with_both_pictures_in_order(write: Write) -> None:
    (sample,) = samples(write({}))
    assert sample.options == dict(zip("ABCD", CHOICES, strict=True))
    assert sample.null_label == "C"
    assert len(sample.images) == 2
    assert sample.images[0].sha256 != sample.images[1].sha256
    assert (sample.categories, sample.source) == (("semantic", "position"), "puzzle")


def test_the_published_parquet_form_is_read(tmp_path: Path, jpeg: Picture) -> None:
    path = tmp_path / "train-00000-of-00001.parquet"
    rows = [
        {k: {"bytes": v, "path": "a.jpg"} if isinstance(v, bytes) else v for k, v in row.items()}
        for row in rows_of(jpeg, {}, {"change category": "OCR/text"})
    ]
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), path)
    first, second = samples(path)
    assert (first.id, first.gold, first.null_label, first.problem) == ("0", "B", "C", None)
    assert second.categories == ("semantic", "OCR/text")


def test_choices_may_carry_their_own_letters(write: Write) -> None:
    lettered = [f"{label}. {text}" for label, text in zip("ABCD", CHOICES, strict=True)]
    (sample,) = samples(write({"choices": lettered, "ground truth": "B. The cup moved right."}))
    assert (sample.options["B"], sample.gold) == ("The cup moved right.", "B")


def test_the_no_difference_option_is_the_text_that_rows_share_and_not_one_that_sounds_like_it(
    write: Write,
) -> None:
    shared = "Both pictures show one and the same scene"
    found = samples(
        write(
            {"choices": ["There is no change in the lamp", "x", "y", shared], "ground truth": "x"},
            {"choices": [shared, "p", "q", "r"], "ground truth": "p"},
            {"choices": ["k", shared, "l", "m"], "ground truth": "m"},
        )
    )
    assert [sample.null_label for sample in found] == ["D", "A", "B"]
    assert not any(sample.problem for sample in found)


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ({"ground truth": "The cup is blue."}, "none of its choices"),
        ({"ground truth": SAME}, "nothing differs, but every pair"),
        ({"ground truth": "C"}, "nothing differs, but every pair"),
        ({"choices": CHOICES[:3]}, "3 choices, not 4"),
        (
            {"choices": ["a", "The cup moved right.", "c", "d"]},
            "none of its choices says that nothing differs",
        ),
        ({"choices": [SAME, "The cup moved right.", SAME.lower(), "d"]}, "all say that nothing differs"),
        ({"choices": ["The cup moved right.", "The cup moved right.", SAME, "d"]}, "stands for A and B"),
        ({"choices": ["B", "The cup moved right.", SAME, "d"], "ground truth": "B"}, "stands for A and B"),
        ({"image_2": None}, "1 pictures, not two"),
    ],
)
def test_a_broken_row_says_what_is_wrong_with_it(write: Write, row: dict[str, object], problem: str) -> None:
    found = samples(write({}, {}, row))
    assert [sample.problem is None for sample in found] == [True, True, False]
    assert problem in (found[2].problem or "")


def test_questions_about_the_same_pictures_are_one_group_even_with_one_index(
    write: Write, jpeg: Picture
) -> None:
    pictures: dict[str, object] = {"image_1": jpeg(7), "image_2": jpeg(8), "index": 3}
    first, second, third = samples(write(pictures, pictures, {}))
    assert first.group == second.group != third.group
    assert (first.id, second.id, third.id) == ("3-1", "3-2", "2")


def test_lists_of_differences_are_told_what_they_lack(tmp_path: Path, jpeg: Picture) -> None:
    path = tmp_path / "train.parquet"
    row = {"image_1": jpeg(1), "image_2": jpeg(2), "differences": ["a", "b"], "source": "x"}
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist([row]), path)
    with pytest.raises(DatasetError, match=r"no choices and no change categories.*image_diff_mcq_data"):
        samples(path)


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("Regional Image Colour", ("semantic", "regional image color")),
        ("appearance/disappearance", ("semantic", "appearance/disappearance")),
        ("OCR/text", ("semantic", "OCR/text")),
        ("whole-image color", ("low-level", "overall image color")),
        ("noise/resolution", ("low-level", "noise/resolution")),
        ("illumination change", ("low-level", "illumination")),
        ("Weather", ("other", "Weather")),
    ],
)
def test_categories_are_found_however_they_are_spelled(name: str, path: tuple[str, str]) -> None:
    assert category_path(name) == path
