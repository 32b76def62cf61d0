from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from vlbench.errors import StoreError
from vlbench.store.samples import SampleIndex, append_samples, write_samples
from vlbench.types import Sample

Make = Callable[[int], Sample]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "samples.jsonl"


def test_every_sample_comes_back_whole(path: Path, make_sample: Make) -> None:
    samples = [make_sample(n) for n in range(12)]
    write_samples(path, samples)
    with SampleIndex.open(path) as index:
        assert list(index.samples()) == samples
        assert index.get(7) == samples[7]


def test_the_light_facts_are_those_of_the_samples(path: Path, make_sample: Make) -> None:
    samples = [make_sample(n) for n in range(12)]
    write_samples(path, samples)
    with SampleIndex.open(path) as index:
        assert index.ids == [s.id for s in samples]
        assert index.golds == [s.gold for s in samples]
        assert index.categories == [s.categories for s in samples]
        assert list(index.option_counts) == [3] * 12
        assert index.problems == {4: "the picture is cut off", 9: "the picture is cut off"}
        assert index.groups[:4] == ["shared", "row-1", "row-2", "shared"]
        assert index.categories[0] is index.categories[2]


def test_an_extension_adds_only_what_is_missing(path: Path, make_sample: Make) -> None:
    write_samples(path, [make_sample(n) for n in range(3)])
    assert append_samples(path, [make_sample(n) for n in range(5)]) == 2
    with SampleIndex.open(path) as index:
        assert index.ids == [f"row-{n}" for n in range(5)]
        assert index.get(4) == make_sample(4)


@pytest.mark.parametrize("cut", [1, 20, 200])
def test_a_killed_extension_can_be_done_again(cut: int, path: Path, make_sample: Make) -> None:
    write_samples(path, [make_sample(n) for n in range(4)])
    path.write_bytes(path.read_bytes()[:-cut])
    with SampleIndex.open(path) as index:
        assert index.ids == ["row-0", "row-1", "row-2"]
    append_samples(path, [make_sample(n) for n in range(4)])
    with SampleIndex.open(path) as index:
        assert list(index.samples()) == [make_sample(n) for n in range(4)]


@pytest.mark.parametrize(
    "line",
    [
        b"{}\n",
        b"[]\n",
        b"\n",
        b"\xff\n",
        b'{"id":[],"gold":"A","group":"","problem":null,"categories":[],"options":{}}\n',
    ],
)
def test_a_line_that_is_no_sample_is_named(line: bytes, path: Path, make_sample: Make) -> None:
    write_samples(path, [make_sample(0)])
    path.write_bytes(path.read_bytes() + line)
    with pytest.raises(StoreError, match=r"samples\.jsonl, line 2 is no sample"):
        SampleIndex.open(path)


def test_a_line_that_changed_since_is_named(path: Path, make_sample: Make) -> None:
    write_samples(path, [make_sample(n) for n in range(2)])
    with SampleIndex.open(path) as index:
        path.write_bytes(b"?" * len(path.read_bytes()))
        with pytest.raises(StoreError, match="line 2 is no sample"):
            index.get(1)


def test_an_id_that_appears_twice_is_named(path: Path, make_sample: Make) -> None:
    write_samples(path, [make_sample(0), make_sample(0)])
    with pytest.raises(StoreError, match="line 2: the sample 'row-0' is there twice"):
        SampleIndex.open(path)


def test_an_ordinal_the_run_does_not_have_is_an_index_error(path: Path, make_sample: Make) -> None:
    write_samples(path, [make_sample(0)])
    with SampleIndex.open(path) as index:
        for ordinal in (1, -1):
            with pytest.raises(IndexError):
                index.get(ordinal)


def test_a_write_that_fails_leaves_the_old_file(path: Path, make_sample: Make) -> None:
    write_samples(path, [make_sample(0)])

    def broken() -> object:
        yield make_sample(1)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_samples(path, broken())  # type: ignore[arg-type]  # a generator that stops half-way
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]
    with SampleIndex.open(path) as index:
        assert index.ids == ["row-0"]
