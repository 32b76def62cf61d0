"""What one file of `providers/` may say. The file's name is the entry's id."""

from __future__ import annotations

import re
from datetime import date
from typing import Literal

from pydantic import Field, field_validator

from vlbench.catalog.urls import problem_of
from vlbench.types import Decoding, Record

Wire = Literal["chat", "openai-chat", "completions", "responses", "messages", "gemini"]
"""A wire format: what a body looks like and whose client carries it (`openai-chat` is OpenAI's SDK)."""

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SECRET_HEADERS = frozenset(
    {"authorization", "proxy-authorization", "x-api-key", "api-key", "x-goog-api-key", "cookie"}
)


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
    `no_image` says how the server is asked without pictures: with none, or with grey ones where it insists.
    `output_limit_field` is the body field for `Decoding.max_output_tokens`; `rejects` are decoding fields
    (or names of `extra`) this server answers with an error.
    `self_hosted` marks a server run by the user: the cache key then names the weights, not the vendor.
    `built_in` marks the model served by the simulator: its address is known when that has started.
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
    built_in: bool = False
    status: Literal["tested", "untested"] = "untested"
    notes: str = ""
    source: str = ""
    checked: date | None = None

    @field_validator("urls")
    @classmethod
    def _check_urls(cls, urls: tuple[str, ...]) -> tuple[str, ...]:
        for url in urls:
            if problem := problem_of(url):
                raise ValueError(problem)
        return urls

    @field_validator("key_variables")
    @classmethod
    def _check_variables(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        # The value is not repeated: it may be a key that was pasted here by mistake.
        if not all(_VARIABLE.fullmatch(name) for name in names):
            raise ValueError("this takes names of environment variables (letters, digits, _), never keys")
        return names

    @field_validator("headers")
    @classmethod
    def _check_headers(cls, headers: dict[str, str]) -> dict[str, str]:
        for name in headers:
            if name.lower() in _SECRET_HEADERS:
                raise ValueError(f"{name} carries a secret; name its variable in key_variables instead")
        return headers

    def facts(self, model: str) -> ModelFacts:
        """What is known of `model`; the defaults for one the entry does not list."""
        return self.models.get(model, ModelFacts())
