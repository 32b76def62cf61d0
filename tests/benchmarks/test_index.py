"""A data file is verified once; what was found is used until the file changes."""

from __future__ import annotations

import base64
import hashlib
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from vlbench.benchmarks.benchmark import Benchmark, LocalFile, Row, Step
from vlbench.benchmarks.index import IndexedData, indexed
from vlbench.benchmarks.mmstar import MMSTAR
from vlbench.benchmarks.pack import Pack
from vlbench.errors import DatasetError, UsageError
from vlbench.media.grey import grey_png
from vlbench.media.read import ImageReader
from vlbench.types import Sample

WriteTable = Callable[[Sequence[Mapping[str, str]]], Path]
WriteRows = Callable[..., Path]


@pytest.fixture
def mmstar_file(write_tsv: WriteTable, jpeg_base64: Callable[[int], str]) -> WriteRows:
    """Writes an MMStar file with one row for each picture (a number, or the cell's text)."""

    def write(*pictures: int | str) -> Path:
        return write_tsv(
            [
                {
                    "index": str(number),
                    "question": f"{number}?\nOptions: A: x, B: y",
                    "answer": "A",
                    "category": "math",
                    "l2_category": "geometry",
                    "image": jpeg_base64(picture) if isinstance(picture, int) else picture,
                }
                for number, picture in enumerate(pictures)
            ]
        )

    return write


def drawn(pictures: Sequence[bytes], version: str = "1", size: int | None = None) -> Benchmark:
    def draw(pack: Pack) -> Iterator[Row]:
        for number, picture in enumerate(pictures):
            sample = Sample(id=f"d-{number}", question="?", options={"A": "x", "B": "y"}, gold="A")
            yield Row(sample, (pack.add(picture),))

    return Benchmark(
        name="drawn",
        title="Drawn",
        version=version,
        split="test",
        levels=(),
        size=size or len(pictures),
        images_per_question=1,
        source="",
        licence="",
        draw=draw,
    )


def test_every_picture_is_described_as_it_is(
    mmstar_file: WriteRows, tmp_path: Path, jpeg: Callable[[int], bytes]
) -> None:
    path = mmstar_file(*range(100))
    data = indexed(MMSTAR, LocalFile(path), tmp_path / "cache")
    samples = list(data.samples())
    assert (data.rows, data.problems, data.revision) == (100, (), "")
    assert data.data_sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert [sample.id for sample in samples] == [str(n) for n in range(100)]
    with ImageReader() as reader:
        for number, sample in enumerate(samples):
            (image,) = sample.images
            assert (image.media_type, image.width, image.height) == ("image/jpeg", 40, 30)
            assert (image.sha256, image.size) == (hashlib.sha256(jpeg(number)).hexdigest(), len(jpeg(number)))
            assert reader.raw(image) == jpeg(number)
            assert reader.base64(image) == base64.b64encode(jpeg(number))


def test_samples_that_share_pictures_are_in_one_group(mmstar_file: WriteRows, tmp_path: Path) -> None:
    data = indexed(MMSTAR, LocalFile(mmstar_file(1, 2, 1, "0", "")), tmp_path / "cache")
    groups = [sample.group for sample in data.samples()]
    assert groups[0] == groups[2] == groups[3] != groups[1]
    assert groups[4] == "4"


def test_broken_rows_are_kept_and_told(
    mmstar_file: WriteRows, tmp_path: Path, jpeg: Callable[[int], bytes]
) -> None:
    cut = base64.b64encode(jpeg(1)[:-100]).decode()
    data = indexed(MMSTAR, LocalFile(mmstar_file(1, cut, "", 2)), tmp_path / "cache")
    assert [(problem.id, problem.reason.split(" (")[0]) for problem in data.problems] == [
        ("1", "the image cannot be decoded to its end"),
        ("2", "its image is empty"),
    ]
    assert [bool(sample.problem) for sample in data.samples()] == [False, True, True, False]


def test_a_second_row_of_an_index_is_told_and_keeps_an_id_of_its_own(
    mmstar_file: WriteRows, tmp_path: Path
) -> None:
    path = mmstar_file(1, 2, 3)
    path.write_text(path.read_text(encoding="utf-8").replace("\n2\t", "\n0\t"), encoding="utf-8")
    data = indexed(MMSTAR, LocalFile(path), tmp_path / "cache")
    assert [sample.id for sample in data.samples()] == ["0", "1", "0 (row 3)"]
    assert [problem.reason for problem in data.problems] == ["its index 0 was used by row 1 before"]


def test_the_second_call_reads_nothing_and_imports_nothing_heavy(
    mmstar_file: WriteRows, tmp_path: Path
) -> None:
    path = mmstar_file(1)
    first = indexed(MMSTAR, LocalFile(path), tmp_path / "cache")
    steps: list[Step] = []
    assert indexed(MMSTAR, LocalFile(path), tmp_path / "cache", steps.append) == first
    assert steps == []
    script = (
        "import sys; from pathlib import Path; from vlbench.benchmarks.index import indexed\n"
        "from vlbench.benchmarks.benchmark import LocalFile; from vlbench.benchmarks.mmstar import MMSTAR\n"
        "data = indexed(MMSTAR, LocalFile(Path(sys.argv[1])), Path(sys.argv[2])); next(data.samples())\n"
        "print([name for name in ('PIL', 'pyarrow', 'numpy', 'huggingface_hub') if name in sys.modules])"
    )
    command = [sys.executable, "-c", script, str(path), str(tmp_path / "cache")]
    assert subprocess.run(command, capture_output=True, check=True, encoding="utf-8").stdout == "[]\n"


def changed_time(path: Path, data: IndexedData) -> None:
    os.utime(path, ns=(1, 1))


def pictures_gone(path: Path, data: IndexedData) -> None:
    Path(data.samples_path).unlink()


def samples_cut(path: Path, data: IndexedData) -> None:
    os.truncate(data.samples_path, 10)


def pointer_broken(path: Path, data: IndexedData) -> None:
    (pointer,) = Path(data.samples_path).parents[1].glob("*.json")
    pointer.write_text("{", encoding="utf-8")


@pytest.mark.parametrize("damage", [changed_time, pictures_gone, samples_cut, pointer_broken])
def test_the_index_is_made_again_when_it_may_be_wrong(
    mmstar_file: WriteRows, tmp_path: Path, damage: Callable[[Path, IndexedData], None]
) -> None:
    path = mmstar_file(1, 2)
    first = indexed(MMSTAR, LocalFile(path), tmp_path / "cache")
    damage(path, first)
    steps: list[Step] = []
    second = indexed(MMSTAR, LocalFile(path), tmp_path / "cache", steps.append)
    assert steps == [Step("checking samples", 2, 2)]
    assert len(list(second.samples())) == 2


def test_another_evaluation_version_has_another_index(mmstar_file: WriteRows, tmp_path: Path) -> None:
    path = mmstar_file(1)
    first = indexed(MMSTAR, LocalFile(path), tmp_path / "cache")
    second = indexed(replace(MMSTAR, version="mmstar-2"), LocalFile(path), tmp_path / "cache")
    assert first.samples_path != second.samples_path


def test_a_benchmark_may_draw_its_pictures(tmp_path: Path) -> None:
    pictures = [grey_png(size, 5) for size in range(1, 70)]
    data = indexed(drawn(pictures), None, tmp_path / "one")
    with ImageReader() as reader:
        assert [reader.raw(sample.images[0]) for sample in data.samples()] == pictures
    elsewhere = indexed(drawn(pictures), None, tmp_path / "two")
    assert elsewhere.data_sha256 == data.data_sha256
    assert indexed(drawn(pictures[1:], version="2"), None, tmp_path / "two").data_sha256 != data.data_sha256


def test_what_was_interrupted_leaves_nothing(tmp_path: Path) -> None:
    class Pictures(list[bytes]):
        def __iter__(self) -> Iterator[bytes]:
            yield grey_png(3, 3)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        indexed(drawn(Pictures(), size=2), None, tmp_path)
    assert list((tmp_path / "index").iterdir()) == []


def test_a_file_that_changes_while_it_is_read_is_told(mmstar_file: WriteRows, tmp_path: Path) -> None:
    path = mmstar_file(1)

    def change(step: Step) -> None:
        os.utime(path, ns=(5, 5))

    with pytest.raises(DatasetError, match=r"data\.tsv was changed while it was read"):
        indexed(MMSTAR, LocalFile(path), tmp_path / "cache", change)


def test_a_cache_that_cannot_be_written_is_told(mmstar_file: WriteRows, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file", encoding="utf-8")
    with pytest.raises(DatasetError, match=r"cannot be written to .*--cache-dir"):
        indexed(MMSTAR, LocalFile(mmstar_file(1)), tmp_path / "cache")


def test_a_file_without_rows_is_told(write_tsv: WriteTable, tmp_path: Path, mmstar_file: WriteRows) -> None:
    path = mmstar_file(1)
    path.write_text(path.read_text(encoding="utf-8").splitlines()[0] + "\n", encoding="utf-8")
    with pytest.raises(DatasetError, match="holds no rows"):
        indexed(MMSTAR, LocalFile(path), tmp_path / "cache")


def test_sources_that_do_not_fit_the_benchmark_are_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="draws its own pictures"):
        indexed(drawn([b""]), LocalFile(tmp_path / "x"), tmp_path)
    with pytest.raises(UsageError, match="needs a data file"):
        indexed(replace(MMSTAR, home=None), None, tmp_path)
    with pytest.raises(DatasetError, match="cannot be read"):
        indexed(MMSTAR, LocalFile(tmp_path / "missing.tsv"), tmp_path)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak is read from Linux's /proc")
def test_a_large_file_is_indexed_in_little_memory(mmstar_file: WriteRows, tmp_path: Path) -> None:
    out = BytesIO()
    Image.effect_noise((800, 800), 90).save(out, "PNG")
    path = mmstar_file(*[base64.b64encode(out.getvalue()).decode()] * 400)
    assert path.stat().st_size > 250_000_000
    script = (
        "import re, sys; from pathlib import Path; from vlbench.benchmarks.index import indexed\n"
        "from vlbench.benchmarks.benchmark import LocalFile; from vlbench.benchmarks.mmstar import MMSTAR\n"
        "assert not indexed(MMSTAR, LocalFile(Path(sys.argv[1])), Path(sys.argv[2])).problems\n"
        # Not getrusage: its peak begins with that of the process that started this one.
        "print(re.search(r'VmHWM:\\s+(\\d+)', Path('/proc/self/status').read_text(encoding='ascii'))[1])"
    )
    command = [sys.executable, "-c", script, str(path), str(tmp_path / "cache")]
    kilobytes = int(subprocess.run(command, capture_output=True, check=True, encoding="utf-8").stdout)
    assert kilobytes < 130_000
