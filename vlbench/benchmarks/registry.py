"""The benchmarks by name. Nothing is imported until one is asked for."""

from __future__ import annotations

from importlib import import_module

from vlbench.benchmarks.benchmark import Benchmark
from vlbench.errors import UsageError

BENCHMARKS = {
    "mmstar": "vlbench.benchmarks.mmstar:MMSTAR",
    "mmmu": "vlbench.benchmarks.presets:MMMU",
    "mmbench": "vlbench.benchmarks.presets:MMBENCH",
    "scienceqa": "vlbench.benchmarks.presets:SCIENCEQA",
    "ai2d": "vlbench.benchmarks.presets:AI2D",
    "seedbench": "vlbench.benchmarks.presets:SEEDBENCH",
    "mathvista": "vlbench.benchmarks.presets:MATHVISTA",
    "vdiff": "vlbench.benchmarks.vdiff:VDIFF",
    "vismin": "vlbench.benchmarks.vismin:VISMIN",
    "vismin-counterbalanced": "vlbench.benchmarks.vismin:VISMIN_COUNTERBALANCED",
    "shapes": "vlbench.benchmarks.shapes:SHAPES",
    "shapes-diff": "vlbench.benchmarks.shapes_diff:SHAPES_DIFF",
    "shapes-min": "vlbench.benchmarks.shapes_min:SHAPES_MIN",
}


def find_benchmark(name: str) -> Benchmark:
    """The benchmark of that name, or the set of one's own that `name` is the place of.

    Raises UsageError with the known names when it is neither.
    """
    try:
        module, attribute = BENCHMARKS[name].split(":")
    except KeyError:
        from vlbench.benchmarks.own.benchmark import own_benchmark

        if (own := own_benchmark(name, frozenset(BENCHMARKS))) is not None:
            return own
        known = ", ".join(sorted(BENCHMARKS))
        raise UsageError(
            f"There is no benchmark {name!r}. Known benchmarks: {known}. A set of your own is named by its "
            "file, folder, web address, or hf://org/name."
        ) from None
    benchmark = getattr(import_module(module), attribute)
    if not isinstance(benchmark, Benchmark):
        raise TypeError(f"{module}:{attribute} is not a Benchmark")
    return benchmark
