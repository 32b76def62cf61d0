"""What one file of `providers/` may say. The file's name is the entry's id."""

from __future__ import annotations

from datetime import date
from typing import Literal

from pydantic import Field

from vlbench.types import Decoding, Record

Wire = Literal["chat", "completions", "responses", "messages", "gemini"]


class Limits(Record):
    """How fast one account may be asked. None means unknown: learnt from headers and refusals."""

    concurrency: int = Field(default=16, gt=0)
    max_concurrency: int = Field(default=64, gt=0)
    rpm: int | None = Field(default=None, gt=0)
    tpm: int | None = Field(default=None, gt=0)
    source: str = ""
    checked: date | None = None


class ImageRules(Record):
    """What pictures the server takes. None means no known limit; `max_side` is in pixels."""

    media_types: tuple[str, ...] = ("image/png", "image/jpeg")
    max_bytes: int | None = Field(default=None, gt=0)
    max_side: int | None = Field(default=None, gt=0)
    max_pixels: int | None = Field(default=None, gt=0)
    max_count: int | None = Field(default=None, gt=0)
    source: str = ""
    checked: date | None = None


class ModelFacts(Record):
    """What differs for one model of the provider; unset fields follow the entry."""

    takes_images: bool = True
    decoding: Decoding = Decoding()
    rejects: tuple[str, ...] = ()
    source: str = ""
    checked: date | None = None


class ProviderEntry(Record):
    """One provider: where it is, how it is spoken to, what it takes.

    `key_variables` are names of environment variables, tried in order; values never stand in a catalog.
    `no_image` says how a request without pictures is made where the server insists on one.
    `output_limit_field` is the body field for `Decoding.max_output_tokens`; `rejects` are fields this server
    answers with an error.
    `self_hosted` marks a server run by the user: the cache key then names the weights, not the vendor.
    """

    id: str
    name: str
    wire: Wire
    urls: tuple[str, ...] = ()
    api_version: str | None = None
    key_variables: tuple[str, ...] = ()
    key_required: bool = True
    headers: dict[str, str] = Field(default_factory=dict)
    default_model: str | None = None
    models: dict[str, ModelFacts] = Field(default_factory=dict)
    limits: Limits = Limits()
    images: ImageRules = ImageRules()
    no_image: Literal["drop", "grey"] = "drop"
    system_role: Literal["system", "developer", "merge"] = "system"
    output_limit_field: str = "max_tokens"
    rejects: tuple[str, ...] = ()
    decoding: Decoding = Decoding()
    self_hosted: bool = False
    status: Literal["tested", "untested"] = "untested"
    notes: str = ""
    source: str = ""
    checked: date | None = None

    def facts(self, model: str) -> ModelFacts:
        """What is known of `model`; the defaults for one the entry does not list."""
        return self.models.get(model, ModelFacts())
