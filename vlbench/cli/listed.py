"""The rows of `vlbench list`, one table of names to texts each."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from vlbench.benchmarks.registry import BENCHMARKS, find_benchmark
from vlbench.catalog.load import Catalog

Rows = list[dict[str, str]]


def providers() -> Rows:
    """Every provider entry, with where it is and what its key is called."""
    return [
        {
            "provider": entry.id,
            "default model": entry.default_model or "—",
            "wire": entry.wire,
            "status": entry.status,
            "key": " or ".join(entry.key_variables) or "none",
            "address": ", ".join(entry.urls) or ("built in" if entry.built_in else "—"),
            "name": entry.name,
        }
        for entry in Catalog.open(Path.cwd()).providers()
    ]


def models() -> Rows:
    """Every model that an entry knows something of; others can be named too."""
    return [
        {
            "target": f"{entry.id}:{model}",
            "default": "yes" if model == entry.default_model else "",
            "images": "yes" if facts.takes_images else "no",
            "checked": str(facts.checked or "—"),
            "source": facts.source,
        }
        for entry in Catalog.open(Path.cwd()).providers()
        for model, facts in entry.models.items()
    ]


def benchmarks() -> Rows:
    """Every benchmark by name."""
    return [
        {
            "benchmark": found.name,
            "samples": f"{found.size:,}" if found.size else "—",
            "images": str(found.images_per_question),
            "categories": " / ".join(found.levels),
            "metrics": ", ".join(("accuracy, MG, ML, ML*", *found.metrics)),
            "source": found.source,
            "licence": found.licence,
            "title": found.title,
        }
        for found in map(find_benchmark, BENCHMARKS)
    ]


def prompts() -> Rows:
    """Every prompt profile."""
    return [
        {
            "benchmark": profile.benchmark,
            "prompt": profile.name,
            "version": str(profile.version),
            "2-shot": "yes" if profile.exemplars else "no",
            "title": profile.title,
        }
        for profile in Catalog.open(Path.cwd()).profiles()
    ]


ROWS: dict[str, Callable[[], Rows]] = {
    "providers": providers,
    "models": models,
    "benchmarks": benchmarks,
    "prompts": prompts,
}
