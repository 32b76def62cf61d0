"""A run file: the options of `vlbench run` as TOML, under the same names."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from pydantic import ConfigDict, Field, JsonValue

from vlbench.catalog.read import read_record
from vlbench.engine.options import Retry
from vlbench.types import Record, Show


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
    repeats: int = Field(default=1, gt=0)
    prompt: str = "default"
    system: str | None = None
    max_tokens: int | None = Field(default=None, gt=0)
    temperature: float | None = Field(default=None, ge=0)
    top_p: float | None = Field(default=None, gt=0, le=1)
    seed: int | None = None
    effort: str | None = None
    image_detail: str | None = None
    param: dict[str, JsonValue] = Field(default_factory=dict)
    reader: str = "strict"
    rpm: int | None = Field(default=None, gt=0)
    tpm: int | None = Field(default=None, gt=0)
    concurrency: int | None = Field(default=None, gt=0)
    timeout: float | None = Field(default=None, gt=0)
    max_requests: int | None = Field(default=None, ge=0)
    retry: tuple[Retry, ...] = ()
    skip_bad: bool = False
    name: str | None = None
    ui: Literal["auto", "plain", "json", "none"] = "auto"
    cache_dir: Path | None = None


def read_run_file(path: Path) -> dict[str, Any]:  # Any: values by option name, checked by RunFile
    """What a run file sets, by option name. Raises `CatalogError` naming file, line and field.

    A relative `data` or `cache-dir` is taken from the file's own directory.
    """
    values = read_record(RunFile, path).model_dump(exclude_unset=True)
    for name in ("data", "cache_dir"):
        if values.get(name) is not None:
            values[name] = path.parent / values[name].expanduser()
    return values
