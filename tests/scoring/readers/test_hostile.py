"""Replies of a megabyte made to be slow: every reader stays linear."""

from __future__ import annotations

import runpy
import time
from pathlib import Path
from typing import Any

import pytest

from vlbench.scoring.readers.registry import READERS, reader
from vlbench.types import Reply

BENCH: dict[str, Any] = runpy.run_path(str(Path(__file__).parents[2] / "perf" / "bench_reading.py"))


@pytest.mark.parametrize("name", READERS)
def test_hostile_replies_take_time_in_proportion_to_their_length(name: str) -> None:
    read, options = reader(name).read, BENCH["OPTIONS"]
    slow = []
    kinds = list(BENCH["HOSTILE"].items())
    for kind, text in kinds if name == "strict" else kinds[::4]:
        start = time.process_time()
        read(Reply(text=text), options)
        # A rule of quadratic time takes minutes here; the target of 200 ms is the benchmark's to judge.
        if (taken := time.process_time() - start) > 1.0:
            slow.append(f"{kind!r}: {taken:.1f} s")
    assert slow == []


def test_the_benchmark_counts_readings() -> None:
    assert BENCH["readings_per_second"](0.01) > 1_000
