"""What one file of `providers/` may say. The file's name is the entry's id."""

from __future__ import annotations

import re
from datetime import date
from typing import Literal

from pydantic import Field, field_validator

from vlbench.catalog.urls import problem_of
from vlbench.types import Decoding, Price, Record

Wire = Literal["chat", "openai-chat", "completions", "responses", "messages", "gemini", "embeddings"]
"""A wire format: what a body looks like and whose client carries it (`openai-chat` is OpenAI's SDK)."""

Cloud = Literal["azure", "vertex", "bedrock"]
CloudSetting = Literal["project", "region", "access_key", "secret_key", "session_token", "profile"]

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
    """What pictures the server takes. None means no known limit; `max_side` is in pixels.

    `max_total_bytes` is of all pictures of a request together, before base64. `applies_orientation` says
    that the server turns pictures as their EXIF says; others get them turned already.
    """

    media_types: tuple[str, ...] = ("image/png", "image/jpeg")
    max_bytes: int | None = Field(default=None, gt=0)
    max_side: int | None = Field(default=None, gt=0)
    max_pixels: int | None = Field(default=None, gt=0)
    max_count: int | None = Field(default=None, gt=0)
    max_total_bytes: int | None = Field(default=None, gt=0)
    applies_orientation: bool = False
    source: str = ""
    checked: date | None = None


Choices = dict[str, dict[str, Decoding]]
"""What a user may choose, by name and value: `thinking`, `off`. The value `*` stands for any, which then
takes the place of the text `{value}` inside its decoding's `extra`."""


class ModelFacts(Record):
    """What differs for one model of the provider; unset fields follow the entry.

    A table of `variants` replaces the entry's of that name; an empty one says that the model has no such
    choice. `price` wins over every list of prices.
    """

    takes_images: bool = True
    decoding: Decoding = Decoding()
    rejects: tuple[str, ...] = ()
    variants: Choices = Field(default_factory=dict)
    price: Price | None = None
    source: str = ""
    checked: date | None = None


class ProviderEntry(Record):
    """One provider: where it is, how it is spoken to, what it takes.

    `key_variables` are names of environment variables, tried in order; values never stand in a catalog.
    `no_image` says how the server is asked without pictures: with none, or with grey ones where it insists.
    `embedding_images` says how a server of embeddings is given a picture: as a chat message (vLLM), or as an
    input of the modality image (Infinity).
    `output_limit_field` is the body field for `Decoding.max_output_tokens`; `rejects` are decoding fields
    (or names of `extra`) this server answers with an error.
    `variants` say what a choice such as `+thinking=off` means in a body of this provider, `required_choices`
    which of them every target must make.
    `self_hosted` marks a server run by the user: the cache key then names the weights, not the vendor.
    `cloud` says whose cloud serves the vendor's models, through the vendor's own client for it, and
    `cloud_variables` the variables with what that client needs beside a key: `project` and `region` of
    vertex; `region`, and `access_key` with its `secret_key` and `session_token`, or a `profile`, of bedrock.
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
    embedding_images: Literal["messages", "input"] = "messages"
    output_limit_field: str = "max_tokens"
    rejects: tuple[str, ...] = ()
    decoding: Decoding = Decoding()
    variants: Choices = Field(default_factory=dict)
    required_choices: tuple[str, ...] = ()
    self_hosted: bool = False
    cloud: Cloud | None = None
    cloud_variables: dict[CloudSetting, str] = Field(default_factory=dict)
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

    @field_validator("cloud_variables")
    @classmethod
    def _check_cloud_variables(cls, names: dict[CloudSetting, str]) -> dict[CloudSetting, str]:
        cls._check_variables(tuple(names.values()))
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

    def choices(self, model: str) -> Choices:
        """What a user may choose for `model`, by name and value."""
        return {**self.variants, **self.facts(model).variants}
