"""The words of vlbench as types: whatever passes from one package to another. No I/O.

`Record`s cross disk or wire; plain dataclasses live only in memory.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue


class Record(BaseModel):
    """A frozen value that is written to disk or sent over a wire; unknown fields are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid")


# --- samples ---


Layout = Literal["vertical", "horizontal"]
"""How two pictures become one: one above the other, or side by side."""


class Span(Record):
    """Bytes inside a file, as they stand there or as base64 text without line breaks."""

    kind: Literal["span"] = "span"
    path: str
    offset: int = Field(ge=0)
    length: int = Field(ge=0)
    encoding: Literal["raw", "base64"] = "raw"


class Grey(Record):
    """A plain RGB (128, 128, 128) picture of the given size in pixels, encoded as PNG when it is needed."""

    kind: Literal["grey"] = "grey"
    width: int = Field(gt=0)
    height: int = Field(gt=0)


class Combined(Record):
    """Two pictures drawn as one PNG when it is needed, for models that take a single picture.

    The first is above the second, or left of it; see `vlbench.media.combine` for what is drawn.
    """

    kind: Literal["combined"] = "combined"
    first: ImageRef
    second: ImageRef
    layout: Layout


class Fitted(Record):
    """A picture made of another one for a provider that does not take that as it is.

    `original` is the other one's SHA-256, `steps` say in order what was done to it, `made` is where the new
    bytes stand.
    """

    kind: Literal["fitted"] = "fitted"
    original: str
    steps: tuple[str, ...]
    made: Span


class ImageRef(Record):
    """A picture by reference: what it is, and where its bytes are read when they are needed.

    `sha256` and `size` are of the encoded bytes that would be sent; `media_type` was found by content.
    `width` and `height` are of the stored pixels, `orientation` is how EXIF says to turn them (1: not at
    all).
    Of a combined picture, whose bytes no one has drawn yet, they are the hash of its recipe and the size of
    its parts.
    """

    sha256: str
    media_type: str
    width: int
    height: int
    size: int
    orientation: int = Field(default=1, ge=1, le=8)
    source: Annotated[Span | Grey | Combined | Fitted, Field(discriminator="kind")]


Combined.model_rebuild()


class Sample(Record):
    """One multiple-choice question of a benchmark.

    `options` maps labels to texts in the order shown. `options_in_question` says that the question text
    already lists them, so a prompt must not list them again. `categories` go from the coarse level to the
    fine one. `group` names the cluster a sample shares its pictures with (its own id when it shares none),
    `role` what the sample is inside that group where questions belong together. `null_label` is the option
    that says there is nothing to see ("no difference"), where there is one. `texts` are further texts of the
    row by name, which a prompt may use in place of the question. `relabelled` maps each label shown to the
    one the data file has, where options were moved; else it is empty. `problem` is set on a broken row: it is
    never sent and counts as `unusable`.
    """

    id: str
    question: str
    options: dict[str, str]
    gold: str
    options_in_question: bool = False
    images: tuple[ImageRef, ...] = ()
    categories: tuple[str, ...] = ()
    source: str = ""
    group: str = ""
    role: str = ""
    null_label: str = ""
    texts: dict[str, str] = Field(default_factory=dict)
    relabelled: dict[str, str] = Field(default_factory=dict)
    problem: str | None = None


# --- conditions and requests ---

Show = Literal["image", "text", "grey", "swapped"]


class Condition(Record):
    """How a sample is shown, after 0 or 2 worked examples.

    `image` with its pictures, `swapped` with them in reverse order, `grey` with grey ones, `text` with none.
    """

    show: Show
    shots: Literal[0, 2] = 0

    @property
    def id(self) -> str:
        return self.show if self.shots == 0 else f"{self.show}-{self.shots}shot"

    @property
    def has_image(self) -> bool:
        """Whether the real pictures are shown."""
        return self.show in ("image", "swapped")


@dataclass(frozen=True, slots=True)
class TextPart:
    text: str


@dataclass(frozen=True, slots=True)
class ImagePart:
    image: ImageRef


Part = TextPart | ImagePart
Role = Literal["system", "user", "assistant"]


@dataclass(frozen=True, slots=True)
class Message:
    role: Role
    parts: tuple[Part, ...]


class Decoding(Record):
    """Parameters of generation, by provider-neutral names. None means: not sent.

    `extra` is merged into the request body as it is (what a server offers beyond the common fields).
    """

    max_output_tokens: int | None = Field(default=None, gt=0)
    temperature: float | None = Field(default=None, ge=0)
    top_p: float | None = Field(default=None, gt=0, le=1)
    seed: int | None = None
    effort: str | None = None
    image_detail: str | None = None
    stop: tuple[str, ...] | None = None
    extra: dict[str, JsonValue] = Field(default_factory=dict)

    def over(self, lower: Decoding) -> Decoding:
        """These values where they are set, `lower`'s elsewhere; `extra` tables are merged key by key."""
        mine = self.model_dump(exclude_none=True, exclude={"extra"})
        return lower.model_copy(update=mine | {"extra": {**lower.extra, **self.extra}})


@dataclass(frozen=True, slots=True)
class Request:
    """One complete, provider-neutral request.

    Everything that can change the answer is in it or in the identity.
    """

    model: str
    messages: tuple[Message, ...]
    decoding: Decoding
    repeat: int = 0

    @property
    def images(self) -> tuple[ImageRef, ...]:
        """Every picture in the order it is sent."""
        return tuple(p.image for m in self.messages for p in m.parts if isinstance(p, ImagePart))


# --- replies ---

Finish = Literal["stop", "length", "refused", "blocked"]


class Usage(Record):
    """Tokens as billed.

    `input_tokens` includes cached and image tokens, `output_tokens` includes reasoning.
    """

    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_input_tokens: int | None = None
    image_tokens: int | None = None
    reasoning_tokens: int | None = None


class Reply(Record):
    """What came back. `text` is the visible answer; `reasoning` came in a field of its own.

    `finish_detail` is the provider's own word for why it stopped; `adjustments` are parameters that were
    renamed or dropped because the server rejected them; `model` is the id the server reported.
    """

    text: str
    finish: Finish = "stop"
    finish_detail: str = ""
    reasoning: str = ""
    usage: Usage = Usage()
    model: str = ""
    request_id: str = ""
    adjustments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Allowance:
    """One limit as headers report it: how many per minute, how many left, seconds until it is full."""

    limit: int | None = None
    remaining: int | None = None
    reset_s: float | None = None


@dataclass(frozen=True, slots=True)
class Completion:
    """A reply with what its headers said about the account's limits."""

    reply: Reply
    requests: Allowance = field(default_factory=Allowance)
    tokens: Allowance = field(default_factory=Allowance)


# --- answers ---


class Outcome(StrEnum):
    """What became of one sample under one condition. Only `answered` can be right."""

    ANSWERED = "answered"
    UNPARSED = "unparsed"
    REFUSED = "refused"
    BLOCKED = "blocked"
    TRUNCATED = "truncated"
    FAILED = "failed"
    UNUSABLE = "unusable"


class Answer(Record):
    """What a reader found in a reply, and why.

    `label` is set exactly when `outcome` is `answered`. `rule` names the rule that decided, `span` the
    half-open range of characters of `Reply.text` it rests on, `reason` says in words why there is no label.
    `also` holds further labels that a lenient reader would credit (empty for a strict one). `cut` marks a
    label that was committed before the reply was cut off.
    """

    outcome: Outcome
    label: str | None = None
    rule: str = ""
    span: tuple[int, int] | None = None
    reason: str = ""
    also: tuple[str, ...] = ()
    cut: bool = False

    def credits(self, gold: str) -> bool:
        """The verdict: right or wrong."""
        return self.label is not None and (self.label == gold or gold in self.also)


# --- who is asked ---

Dollars = Annotated[float, Field(ge=0, allow_inf_nan=False)]
"""A sum in US dollars."""


class LongPrice(Record):
    """What every token of a request costs that has more than `above` input tokens; see `Price`."""

    above: int = Field(gt=0)
    input: Dollars
    output: Dollars
    cached_input: Dollars | None = None


class Price(Record):
    """What tokens cost, in US dollars per million.

    `cached_input` None means: as other input. `long` are the prices of longer requests, in order of `above`.
    `listed` says that it was taken from a list of prices and not from the provider's entry; `source` names
    the list or the page, `checked` is the day it was looked up.
    """

    input: Dollars
    output: Dollars
    cached_input: Dollars | None = None
    long: tuple[LongPrice, ...] = ()
    listed: bool = False
    source: str = ""
    checked: date | None = None


class Variant(Record):
    """One row of every table: a model with its parameters, as resolved and frozen for a run.

    `id` is the row's name, `lane` the account whose limits it shares, `identity` what stands for the model
    in the cache key, `base` whether it is the text-only LLM base of the others. `price` is what its tokens
    cost, None when that is not known; it is no part of what is asked.
    """

    id: str
    provider: str
    model: str
    lane: str
    wire: str
    urls: tuple[str, ...]
    identity: str
    decoding: Decoding = Decoding()
    base: bool = False
    price: Price | None = None
