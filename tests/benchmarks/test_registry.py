"""Benchmarks are found by name."""

from __future__ import annotations

import pytest

from vlbench.benchmarks.benchmark import Benchmark
from vlbench.benchmarks.registry import BENCHMARKS, find_benchmark
from vlbench.errors import UsageError


@pytest.mark.parametrize("name", BENCHMARKS)
def test_every_name_leads_to_its_benchmark(name: str) -> None:
    assert find_benchmark(name).name == name


def test_an_unknown_name_is_told_with_the_known_ones() -> None:
    with pytest.raises(UsageError, match=r"no benchmark 'mmmstar'\. Known benchmarks: .*mmstar"):
        find_benchmark("mmmstar")


def test_a_benchmark_reads_or_draws() -> None:
    with pytest.raises(UsageError, match="either read its rows or draw them"):
        Benchmark(
            name="x",
            title="X",
            version="1",
            split="test",
            levels=(),
            size=1,
            images_per_question=1,
            source="",
            licence="",
        )
