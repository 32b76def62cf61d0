"""VisMin's own files: shards the data sets library saved, or parquet, four samples a row."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.ipc
import pyarrow.parquet
import pytest

from vlbench.benchmarks.benchmark import LocalFile
from vlbench.benchmarks.index import indexed
from vlbench.benchmarks.vismin import VISMIN, VISMIN_COUNTERBALANCED
from vlbench.errors import DatasetError
from vlbench.media.read import ImageReader
from vlbench.types import Sample, Span

PICTURE = pyarrow.struct([("bytes", pyarrow.binary()), ("path", pyarrow.string())])
Table = Any  # pyarrow has no types
Picture = Callable[[int], bytes]


def table(jpeg: Picture, keys: Iterable[tuple[str, int]], **changed: object) -> Table:
    rows = [
        {
            "image_0": {"bytes": jpeg(2 * n), "path": None},
            "image_1": {"bytes": jpeg(2 * n + 1), "path": None},
            "text_0": f"caption {n} one",
            "text_1": f"caption {n} two",
            "id": number,
            "category": category,
            "text_question_0": "<image_0> Which caption? A or B.",
            "image_question_1": "<image_0>\n<image_1>\nWhich image?",
        }
        | changed
        for n, (category, number) in enumerate(keys)
    ]
    types = {"image_0": PICTURE, "image_1": PICTURE, "id": pyarrow.int64()}
    names = list(rows[0])
    return pyarrow.table(
        {
            name: pyarrow.array([row[name] for row in rows], types.get(name, pyarrow.string()))
            for name in names
        }
    )


def save_shards(folder: Path, tables: list[Table]) -> Path:
    """What `save_to_disk` leaves: streams without compression, and two files of facts."""
    folder.mkdir()
    for number, one in enumerate(tables):
        path = folder / f"data-{number:05d}-of-{len(tables):05d}.arrow"
        with pyarrow.OSFile(str(path), "wb") as out, pyarrow.ipc.new_stream(out, one.schema) as stream:
            stream.write_table(one, max_chunksize=2)
    (folder / "state.json").write_text("{}", encoding="utf-8")
    return folder


def samples(path: Path, cache: Path) -> dict[str, Sample]:
    return {sample.id: sample for sample in indexed(VISMIN, LocalFile(path), cache).samples()}


@pytest.fixture
def shards(tmp_path: Path, jpeg: Picture) -> Path:
    keys = [("object", 0), ("object", 1), ("attribute", 0)], [("counting", 0), ("counting", 1)]
    return save_shards(tmp_path / "set", [table(jpeg, part) for part in keys])


def test_every_row_of_every_shard_becomes_four_samples(shards: Path, tmp_path: Path) -> None:
    found = samples(shards, tmp_path / "cache")
    assert len(found) == 20
    assert found["attribute-0-image_1"].gold == "Second"
    assert found["counting-0-text_1"].options == {"A": "caption 0 one", "B": "caption 0 two"}
    assert {sample.problem for sample in found.values()} == {None}


def test_the_right_picture_stands_in_its_shard_and_is_not_copied(
    shards: Path, tmp_path: Path, jpeg: Picture
) -> None:
    found = samples(shards, tmp_path / "cache")
    image = found["counting-1-text_1"].images[0]
    assert isinstance(image.source, Span)
    assert image.source.path.endswith("data-00001-of-00002.arrow")
    with ImageReader() as reader:
        assert reader.raw(image) == jpeg(3)
        assert [reader.raw(one) for one in found["object-1-image_0"].images] == [jpeg(2), jpeg(3)]
    assert not [path for path in (tmp_path / "cache").rglob("*") if "pack" in path.name]


def test_the_sets_own_questions_come_without_marks(shards: Path, tmp_path: Path) -> None:
    found = samples(shards, tmp_path / "cache")
    assert found["object-0-text_0"].texts["set_question"] == "Which caption? A or B."
    assert found["object-0-image_1"].texts["set_question"] == "Which image?"
    assert "set_question" not in found["object-0-image_0"].texts


def test_parquet_gives_the_same_samples(shards: Path, tmp_path: Path, jpeg: Picture) -> None:
    keys = [("object", 0), ("object", 1), ("attribute", 0)]
    path = tmp_path / "test.parquet"
    pyarrow.parquet.write_table(table(jpeg, keys), path, row_group_size=2)

    def facts(found: Mapping[str, Sample]) -> dict[str, str]:
        return {
            name: sample.model_dump_json(exclude={"images": {"__all__": {"source"}}})
            for name, sample in found.items()
        }

    arrow = facts(samples(shards, tmp_path / "cache"))
    parquet = facts(samples(path, tmp_path / "cache"))
    assert len(parquet) == 12
    assert parquet.items() <= arrow.items()


def test_an_arrow_file_with_compression_is_read_too(tmp_path: Path, jpeg: Picture) -> None:
    one = table(jpeg, [("object", 0)])
    path = tmp_path / "set.arrow"
    options = pyarrow.ipc.IpcWriteOptions(compression="zstd")
    with pyarrow.OSFile(str(path), "wb") as out, pyarrow.ipc.new_file(out, one.schema, options=options) as to:
        to.write_table(one)
    found = samples(path, tmp_path / "cache")
    with ImageReader() as reader:
        assert reader.raw(found["object-0-text_1"].images[0]) == jpeg(1)


def test_counterbalanced_asks_everything_twice(shards: Path, tmp_path: Path) -> None:
    found = indexed(VISMIN_COUNTERBALANCED, LocalFile(shards), tmp_path / "cache")
    assert found.rows == 40
    assert VISMIN_COUNTERBALANCED.version != VISMIN.version


def test_a_broken_picture_spoils_the_queries_that_show_it(tmp_path: Path, jpeg: Picture) -> None:
    broken = table(jpeg, [("object", 0)], image_1={"bytes": b"no picture", "path": None})
    found = samples(save_shards(tmp_path / "set", [broken]), tmp_path / "cache")
    assert {role for role in ("text_0", "text_1", "image_0") if found[f"object-0-{role}"].problem} == {
        "text_1",
        "image_0",
    }


@pytest.mark.parametrize(("name", "value"), [("image_1", None), ("text_1", ""), ("category", "")])
def test_an_incomplete_row_is_a_problem(tmp_path: Path, jpeg: Picture, name: str, value: object) -> None:
    found = samples(
        save_shards(tmp_path / "set", [table(jpeg, [("object", 0)], **{name: value})]), tmp_path / "cache"
    )
    assert len(found) == 4
    assert all(sample.problem for sample in found.values())


def test_other_files_are_refused_with_what_they_lack(tmp_path: Path, jpeg: Picture) -> None:
    lacking = table(jpeg, [("object", 0)]).drop_columns(["text_1"])
    with pytest.raises(DatasetError, match="no VisMin file: it lacks the column text_1"):
        indexed(VISMIN, LocalFile(save_shards(tmp_path / "set", [lacking])), tmp_path / "cache")
