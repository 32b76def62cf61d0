"""The verified index of a data file: every sample with checked references to its pictures, made once.

The first call reads the whole file, decodes every picture and writes `samples.jsonl`, one `Sample` a line,
broken rows included. Later calls find that and cost milliseconds.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from functools import lru_cache
from pathlib import Path
from uuid import uuid4

from pydantic import ValidationError

from vlbench.benchmarks.benchmark import Benchmark, DataSource, Progress, Row, Step
from vlbench.benchmarks.hub import Fetched
from vlbench.benchmarks.pack import Pack
from vlbench.benchmarks.problems import Problem
from vlbench.benchmarks.sources import files_behind, located, sha256_of, states_of
from vlbench.benchmarks.tables.named_pictures import NamedPictures, are_unchanged
from vlbench.errors import DatasetError
from vlbench.media.extent import Extent
from vlbench.media.inspect import BrokenImage, Picture, inspect
from vlbench.media.read import ImageReader
from vlbench.types import ImageRef, Record, Sample, Span

# Raised whenever the files written here change their meaning.
_INDEX_VERSION = 2
_ROWS_AHEAD = 32
_ROWS_PER_STEP = 50


class IndexedData(Record):
    """What is known of one data set.

    `data_sha256` is of the data file, or of the samples and pictures of a benchmark that draws them.
    `revision` is the commit it was fetched from, "" for a local file. `files` maps what was written to sizes
    in bytes. `extent` is of all pictures together.
    """

    samples_path: str
    data_sha256: str
    revision: str
    rows: int
    problems: tuple[Problem, ...]
    files: dict[str, int]
    extent: Extent = Extent()

    def samples(self) -> Iterator[Sample]:
        """The samples in the order of the file, one at a time."""
        with open(self.samples_path, "rb") as lines:
            for line in lines:
                yield Sample.model_validate_json(line)


def silent(step: Step) -> None:
    """Progress that nobody watches."""


def indexed(
    benchmark: Benchmark, source: DataSource | None, cache_dir: Path, progress: Progress = silent
) -> IndexedData:
    """The index of `source`, or of the benchmark's own data when that is None; made when it is not there.

    Blocks for as long as fetching and checking take. Raises `DatasetError` when the data cannot be read at
    all; single broken rows are in `problems`.
    """
    data = located(benchmark, source, cache_dir, progress)
    folder = cache_dir.absolute() / "index"
    key = _key(benchmark, data)
    pointer = folder / f"{benchmark.name}-{key}.json"
    known = _known(pointer)
    if known is not None:
        return known
    made = _make(benchmark, data, folder / f"{benchmark.name}-{key}-{uuid4().hex[:8]}", progress)
    if _key(benchmark, data) != key:
        raise DatasetError(f"{_name(benchmark, data)} was changed while it was read. Run again.")
    _replace(pointer, made.model_dump_json().encode())
    return made


def _name(benchmark: Benchmark, data: Fetched | None) -> str:
    return str(data.path) if data else f"{benchmark.name} (built in)"


def _key(benchmark: Benchmark, data: Fetched | None) -> str:
    """Changes with the file and with whatever reads it."""
    parts = [str(_INDEX_VERSION), benchmark.name, benchmark.version]
    if data is not None:
        parts += [data.revision, *states_of(files_behind(benchmark, data.path))]
    return hashlib.sha256("\0".join(parts).encode(errors="surrogateescape")).hexdigest()[:20]


def _known(pointer: Path) -> IndexedData | None:
    """The index that was made before, if all of it is still there."""
    try:
        found = IndexedData.model_validate_json(pointer.read_bytes())
        complete = all(os.stat(path).st_size == size for path, size in found.files.items())
        complete = complete and are_unchanged(Path(found.samples_path).parent)
    except (OSError, ValidationError):
        return None
    return found if complete else None


def _make(benchmark: Benchmark, data: Fetched | None, folder: Path, progress: Progress) -> IndexedData:
    """Write the index into the new `folder`.

    Nothing points to it before it is complete, and the references in it name its final place; so two
    processes may make the same index at once, and one that is killed leaves only a folder behind.
    """
    with ExitStack() as undo:
        try:
            folder.mkdir(parents=True)
            undo.callback(shutil.rmtree, folder, ignore_errors=True)
            made = _write(benchmark, data, folder, progress)
        except OSError as error:
            raise DatasetError(
                f"The index of {_name(benchmark, data)} cannot be written to {folder.parent} "
                f"({error.strerror or error}). Free some space or name another place with --cache-dir."
            ) from error
        undo.pop_all()
    return made


def _write(benchmark: Benchmark, data: Fetched | None, folder: Path, progress: Progress) -> IndexedData:
    samples_path = folder / "samples.jsonl"
    content = hashlib.sha256()
    read = () if data is None else files_behind(benchmark, data.path)
    named = NamedPictures(read, folder)
    problems: list[Problem] = []
    extent = Extent()
    rows = 0
    with Pack(folder / "pictures.pack") as pack, samples_path.open("xb") as out:
        for sample in _unique(_checked(_rows(benchmark, data, pack))):
            out.write(sample.model_dump_json().encode() + b"\n")
            rows += 1
            extent = extent.joined(sample.images)
            if sample.problem is not None:
                problems.append(Problem(id=sample.id, reason=sample.problem))
            named.add(sample)
            if data is None or named.paths:
                content.update(_content(sample))
            if rows % _ROWS_PER_STEP == 0:
                progress(Step("checking samples", rows, max(rows, benchmark.size)))
        os.fsync(out.fileno())
    named.save(folder)
    if not rows:
        raise DatasetError(f"{_name(benchmark, data)} holds no rows. Fetch or copy it again.")
    progress(Step("checking samples", rows, rows))
    return IndexedData(
        samples_path=str(samples_path),
        data_sha256=sha256_of(read, content.hexdigest() if named.paths or not read else ""),
        revision=data.revision if data else "",
        rows=rows,
        problems=tuple(problems),
        files={str(path): path.stat().st_size for path in sorted(folder.iterdir())},
        extent=extent,
    )


def _rows(benchmark: Benchmark, data: Fetched | None, pack: Pack) -> Iterator[Row]:
    if data is not None and benchmark.read is not None:
        return benchmark.read(data.path, pack)
    assert benchmark.draw is not None  # a Benchmark has one of the two
    return benchmark.draw(pack)


def _content(sample: Sample) -> bytes:
    """The sample without the places of its pictures, which differ from one machine to the next."""
    return sample.model_dump_json(exclude={"images": {"__all__": {"source"}}}).encode()


def _unique(samples: Iterator[Sample]) -> Iterator[Sample]:
    """A second row of the same id gets an id and a problem of its own."""
    first: dict[str, int] = {}
    for number, sample in enumerate(samples, start=1):
        before = first.setdefault(sample.id, number)
        if before != number:
            yield sample.model_copy(
                update={
                    "id": f"{sample.id} (row {number})",
                    "problem": f"its index {sample.id} was used by row {before} before",
                }
            )
        else:
            yield sample


def _checked(rows: Iterator[Row]) -> Iterator[Sample]:
    """Rows with their pictures decoded, in order; a few rows are worked on ahead, on every core."""
    with ImageReader() as reader, ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        # Pillow decodes outside the interpreter lock.
        @lru_cache(maxsize=2 * _ROWS_AHEAD)  # neighbouring rows often share a picture
        def check(span: Span) -> Future[Picture | str]:
            return pool.submit(_inspected, reader, span)

        ahead: deque[tuple[Row, list[Future[Picture | str]]]] = deque()
        for row in rows:
            ahead.append((row, [check(span) for span in row.pictures]))
            if len(ahead) > _ROWS_AHEAD:
                yield _sample(*ahead.popleft())
        while ahead:
            yield _sample(*ahead.popleft())


def _inspected(reader: ImageReader, span: Span) -> Picture | str:
    """The picture, or what is wrong with it."""
    try:
        return inspect(reader.span(span))
    except BrokenImage as error:
        return str(error)


def _sample(row: Row, checks: list[Future[Picture | str]]) -> Sample:
    images: list[ImageRef] = []
    problem = row.sample.problem
    for span, check in zip(row.pictures, checks, strict=True):
        found = check.result()
        if isinstance(found, str):
            problem = problem or found
        else:
            images.append(
                ImageRef(
                    sha256=found.sha256,
                    media_type=found.media_type,
                    width=found.width,
                    height=found.height,
                    size=found.size,
                    orientation=found.orientation,
                    source=span,
                )
            )
    return row.sample.model_copy(
        update={
            "images": tuple(images),
            "group": row.sample.group or _group(images) or row.sample.id,
            "problem": problem,
        }
    )


def _group(images: list[ImageRef]) -> str:
    """One name for the same pictures in the same order; "" for none."""
    if len(images) < 2:
        return "".join(image.sha256 for image in images)
    return hashlib.sha256("".join(image.sha256 for image in images).encode()).hexdigest()


def _replace(path: Path, content: bytes) -> None:
    """Write the file so that a reader sees the old one or the new one, whole."""
    draft = path.with_name(f"{path.name}.{uuid4().hex[:8]}")
    draft.write_bytes(content)
    draft.replace(path)
