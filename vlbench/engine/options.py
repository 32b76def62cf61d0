"""What a user may ask of a run: the options of `vlbench run`, and the fields of a run file."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field

from vlbench.types import Decoding, Dollars, Record, Show

Retry = Literal["refused", "truncated", "unparsed", "blocked"]


class RunOptions(Record):
    """One request for runs; every field has the name of its command-line option.

    `benchmarks` are names or data files. `conditions` None means: with the image, and without it in the
    way each provider takes. `shots` is for the conditions without the image. `decoding` holds what the
    user set by flags. `shuffle_options` is the seed to shuffle every question's options by; `circular` asks
    each question in all rotations of its options. `image_position` puts the pictures before or after the
    text, `image_max_side` makes larger pictures smaller (pixels). `max_requests` counts from when the engine
    begins, `max_cost` (US dollars) from when the run was first begun. `retry_max_tokens` is the output limit
    of what `retry` asks again.
    """

    benchmarks: tuple[str, ...] = ()
    providers: tuple[str, ...] = ()
    base: str | None = None
    data: Path | None = None
    revision: str | None = None
    conditions: tuple[Show, ...] | None = None
    shots: Literal[0, 2] = 0
    limit: int | None = Field(default=None, gt=0)
    ids: tuple[str, ...] = ()
    category: tuple[str, ...] = ()
    shuffle_options: int | None = None
    circular: bool = False
    repeats: int = Field(default=1, gt=0)
    prompt: str = "default"
    system: str | None = None
    image_position: Literal["before", "after"] | None = None
    image_max_side: int | None = Field(default=None, gt=0)
    decoding: Decoding = Decoding()
    reader: str = "strict"
    rpm: int | None = Field(default=None, gt=0)
    tpm: int | None = Field(default=None, gt=0)
    concurrency: int | None = Field(default=None, gt=0)
    timeout: float = Field(default=600.0, gt=0)
    max_requests: int | None = Field(default=None, ge=0)
    max_cost: Dollars | None = None
    retry: tuple[Retry, ...] = ()
    retry_max_tokens: int | None = Field(default=None, gt=0)
    fresh: bool = False
    skip_bad: bool = False
    name: str | None = None
    cache_dir: Path | None = None
    trust: bool = False
