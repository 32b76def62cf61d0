"""What one file of `prompts/` may say: a benchmark's wording under every condition."""

from __future__ import annotations

import re
from datetime import date
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, field_validator

from vlbench.types import Condition, Decoding, Layout, Record

PLACEHOLDERS = ("question", "options", "labels")

TEXTS = ("caption", "caption_1", "caption_2", "set_question")
"""Names of `Sample.texts` that the templates of `Wording.roles` may use."""

_IMAGE_NAMES = ("{number}", "{letter}", "{ordinal}")

_BRACED_NAME = re.compile(r"\{([A-Za-z_]+\d?)\}")


class Exemplar(Record):
    """One worked example, sent as a user turn and the assistant's answer to it, word for word."""

    user: str = Field(min_length=1)
    assistant: str = Field(min_length=1)


def _two_or_none(exemplars: tuple[Exemplar, ...]) -> tuple[Exemplar, ...]:
    if len(exemplars) not in (0, 2):
        raise ValueError(f"two examples are wanted (or none), not {len(exemplars)}")
    return exemplars


Exemplars = Annotated[tuple[Exemplar, ...], AfterValidator(_two_or_none)]


class Wording(Record):
    """The words of one use.

    `template` holds the placeholders {question}, {options} (one line "A. text" per option; its line goes
    when the question lists them itself) and {labels} ("A, B, C or D"). `options_in_question` is the template
    for questions that list their options, where it differs. `roles` are the templates of samples that have
    a role, by that role without its number (`text` for `text_0`); they may also use {caption}, {caption_1},
    {caption_2} and {set_question}. `images` puts the pictures before or after the text; `image_label`, with
    {number} (1), {letter} (A) or {ordinal} (First), stands before each of several pictures and stays with
    its picture in whatever order they are shown; "" leaves it out. A model that takes one picture gets two
    as one, laid out as `combine` says (`vertical` when unset), with the sentence `combined_label` ({first}
    and {second} are their letters) in place of the labels.
    `marks` "place" puts each picture where its mark `<image 1>` stands; unset, marks are words of the text.
    `system` is sent always, `few_shot_system` only with examples, in place of it. `exemplars` replace the
    profile's.
    """

    template: str
    options_in_question: str | None = None
    system: str | None = None
    few_shot_system: str | None = None
    images: Literal["before", "after"] = "before"
    image_label: str = "Image {number}:"
    marks: Literal["place"] | None = None
    roles: dict[str, str] | None = None
    combine: Layout | None = None
    combined_label: str | None = None
    exemplars: Exemplars | None = None
    decoding: Decoding = Decoding()

    @field_validator("template", "options_in_question")
    @classmethod
    def _check_placeholders(cls, text: str | None) -> str | None:
        if text is None:
            return None
        allowed = ", ".join(f"{{{name}}}" for name in PLACEHOLDERS)
        for name in _BRACED_NAME.findall(text):
            if name not in PLACEHOLDERS:
                raise ValueError(f"unknown placeholder {{{name}}}; known are {allowed}")
        if "{question}" not in text:
            raise ValueError("the placeholder {question} is missing")
        return text

    @field_validator("roles")
    @classmethod
    def _check_roles(cls, roles: dict[str, str] | None) -> dict[str, str] | None:
        known = (*PLACEHOLDERS, *TEXTS)
        for role, text in (roles or {}).items():
            names = _BRACED_NAME.findall(text)
            for name in names:
                if name not in known:
                    allowed = ", ".join(f"{{{one}}}" for one in known)
                    raise ValueError(f"unknown placeholder {{{name}}} of {role}; known are {allowed}")
            if not names:
                raise ValueError(f"the template of {role} holds no placeholder")
        return roles

    @field_validator("image_label")
    @classmethod
    def _check_label(cls, text: str) -> str:
        if text and not any(name in text for name in _IMAGE_NAMES):
            raise ValueError(f"one of the placeholders {', '.join(_IMAGE_NAMES)} is missing")
        return text


class PromptProfile(Record):
    """How one benchmark is asked: `<benchmark>-<name>.toml`.

    A use that is left out takes the words of the next one: `grey` and `base` (the text-only LLM base) those
    of `text`, `text` those of `image`. `decoding` holds for every use, below the use's own. Any change of
    wording raises `version`.
    """

    benchmark: str
    name: str
    version: int = Field(gt=0)
    title: str
    source: str = ""
    checked: date | None = None
    decoding: Decoding = Decoding()
    exemplars: Exemplars = ()
    image: Wording
    text: Wording | None = None
    grey: Wording | None = None
    base: Wording | None = None

    @property
    def id(self) -> str:
        return f"{self.benchmark}-{self.name}"

    def wording(self, condition: Condition, *, base: bool = False) -> Wording:
        """The words for samples shown as `condition` says, to a model or to the text-only LLM base."""
        text = self.text or self.image
        if base:
            return self.base or text
        if condition.has_image:
            return self.image
        return (self.grey or text) if condition.show == "grey" else text

    def exemplars_for(self, wording: Wording) -> tuple[Exemplar, ...]:
        """The two examples that go with one of this profile's wordings; empty when it has none."""
        return self.exemplars if wording.exemplars is None else wording.exemplars

    def decoding_for(self, condition: Condition, *, base: bool = False) -> Decoding:
        """What the profile prescribes for one use; nothing of it is sent before `final_decoding`."""
        return self.wording(condition, base=base).decoding.over(self.decoding)

    def with_images(self, position: Literal["before", "after"]) -> Self:
        """The same profile with the pictures before or after the text in every use."""
        return self._with({"images": position})

    def with_system(self, text: str) -> Self:
        """The same profile with the user's own system message in every use, in place of its own."""
        return self._with({"system": text, "few_shot_system": None})

    def _with(self, fields: dict[str, object]) -> Self:
        uses = {"image": self.image, "text": self.text, "grey": self.grey, "base": self.base}
        return self.model_copy(update={use: w.model_copy(update=fields) for use, w in uses.items() if w})
