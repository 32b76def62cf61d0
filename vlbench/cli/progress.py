"""How far preparing data has come, on a terminal."""

from __future__ import annotations

import sys

from vlbench.benchmarks.benchmark import Step


def tell_progress(step: Step) -> None:
    """Show how far preparing data has come, on a terminal only."""
    if sys.stderr.isatty():
        of = f" of {step.total:,}" if step.total is not None else ""
        end = "\n" if step.done == step.total else ""
        print(f"\r{step.what}: {step.done:,}{of}\x1b[K", end=end, file=sys.stderr, flush=True)
