"""A run file: the options of `vlbench run` as TOML, under the same names."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from pydantic import ConfigDict, Field, JsonValue

from vlbench.benchmarks.registry import BENCHMARKS
from vlbench.catalog.read import read_record
from vlbench.engine.options import Retry
from vlbench.types import Dollars, Record, Show


class RunFile(Record):
    """The fields of a run file: the options of `vlbench run`, written `max-tokens` or `max_tokens`."""

    model_config = ConfigDict(alias_generator=lambda name: name.replace("_", "-"), populate_by_name=True)

    benchmarks: tuple[str, ...] = ()
    providers: tuple[str, ...] = ()
    base: str | None = None
    data: Path | None = None
    revision: str | None = None
    conditions: tuple[Show, ...] = ()
    shots: Literal[0, 2] = 0
    limit: int | None = Field(default=None, gt=0)
    ids: tuple[str, ...] = ()
    category: tuple[str, ...] = ()
    shuffle_options: int | None = None
    circular: bool = False
    repeats: int = Field(default=1, gt=0, le=1000)
    prompt: str = "default"
    system: str | None = None
    image_position: Literal["before", "after"] | None = None
    image_max_side: int | None = Field(default=None, gt=0)
    max_tokens: int | None = Field(default=None, gt=0)
    temperature: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    top_p: float | None = Field(default=None, gt=0, le=1)
    seed: int | None = None
    effort: str | None = None
    image_detail: str | None = None
    param: dict[str, JsonValue] = Field(default_factory=dict)
    reader: str = "strict"
    rpm: int | None = Field(default=None, gt=0)
    tpm: int | None = Field(default=None, gt=0)
    concurrency: int | None = Field(default=None, gt=0)
    timeout: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    max_requests: int | None = Field(default=None, ge=0)
    max_cost: Dollars | None = None
    retry: tuple[Retry, ...] = ()
    skip_bad: bool = False
    name: str | None = None
    ui: Literal["auto", "full", "plain", "json", "none"] = "auto"
    cache_dir: Path | None = None


def read_run_file(path: Path) -> dict[str, Any]:  # Any: values by option name, checked by RunFile
    """What a run file sets, by option name. Raises `CatalogError` naming file, line and field.

    A relative `data` or `cache-dir`, and a benchmark that is a data file, is taken from the file's directory.
    """
    values = read_record(RunFile, path).model_dump(exclude_unset=True)
    for name in ("data", "cache_dir"):
        if values.get(name) is not None:
            values[name] = path.parent / values[name].expanduser()
    if "benchmarks" in values:
        values["benchmarks"] = tuple(_from(path.parent, name) for name in values["benchmarks"])
    return values


def _from(directory: Path, name: str) -> str:
    """The data file of that name in the directory, or the name of a benchmark as it is."""
    beside = directory / name
    return str(beside) if name not in BENCHMARKS and beside.exists() else name
