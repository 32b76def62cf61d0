"""The benchmarks by name. Nothing is imported until one is asked for."""

from __future__ import annotations

from importlib import import_module

from vlbench.benchmarks.benchmark import Benchmark
from vlbench.errors import UsageError

BENCHMARKS = {
    "mmstar": "vlbench.benchmarks.mmstar:MMSTAR",
    "shapes": "vlbench.benchmarks.shapes:SHAPES",
}


def find_benchmark(name: str) -> Benchmark:
    """The benchmark of that name; UsageError with the known names when there is none."""
    try:
        module, attribute = BENCHMARKS[name].split(":")
    except KeyError:
        known = ", ".join(sorted(BENCHMARKS))
        raise UsageError(f"There is no benchmark {name!r}. Known benchmarks: {known}.") from None
    benchmark = getattr(import_module(module), attribute)
    if not isinstance(benchmark, Benchmark):
        raise TypeError(f"{module}:{attribute} is not a Benchmark")
    return benchmark
