"""One sample under one condition as the messages of a request."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from vlbench.catalog.entry import ProviderEntry
from vlbench.catalog.profile import PLACEHOLDERS, TEXTS, PromptProfile, Wording
from vlbench.errors import CatalogError
from vlbench.prompting.pictures import arranged
from vlbench.types import Condition, ImageRef, Message, Part, Sample, TextPart

_PLACEHOLDER = re.compile(r"\{(" + "|".join((*PLACEHOLDERS, *TEXTS)) + r")\}")
# The options' own line goes with them, so that no empty one is left in its place.
_OPTIONS_LINE = re.compile(r"\n\{options\}(?=\n|\Z)|\A\{options\}\n")


def build(
    profile: PromptProfile,
    sample: Sample,
    condition: Condition,
    *,
    base: bool,
    entry: ProviderEntry,
    grey: Callable[[ImageRef], ImageRef],
) -> tuple[Message, ...]:
    """The messages that ask `sample` as `condition` says.

    `base` asks the text-only LLM base, which gets no pictures under any condition. `grey` gives the grey
    picture that stands for one. Raises `CatalogError` when the profile lacks two examples that are asked
    for, or wants a text of the row that the sample has not, `UsageError` for more pictures than the server
    takes.
    """
    wording = profile.wording(condition, base=base)
    images = () if base else _shown(sample.images, condition, grey)
    text = fill(_template(wording, sample), sample)
    is_swapped = condition.show == "swapped"
    question = Message(
        "user", arranged(text, images, wording, swapped=is_swapped, most=entry.images.max_count)
    )
    system = wording.system
    turns: list[Message] = []
    if condition.shots:
        turns = _worked(profile, wording)
        system = system if wording.few_shot_system is None else wording.few_shot_system
    return _with_system(system, [*turns, question], entry)


def fill(template: str, sample: Sample) -> str:
    """`template` with its placeholders filled in one pass, so braces in a question or option stay."""
    options = "" if sample.options_in_question else option_lines(sample.options)
    if not options:
        template = _OPTIONS_LINE.sub("", template)
    values = {
        **sample.texts,
        "question": sample.question,
        "options": options,
        "labels": spoken_labels(sample.options),
    }
    try:
        return _PLACEHOLDER.sub(lambda match: values[match[1]], template)
    except KeyError as error:
        raise CatalogError(
            f"The prompt profile uses {{{error.args[0]}}}, a text that sample {sample.id!r} does not have in "
            "its data file. Choose another profile with --prompt."
        ) from None


def option_lines(options: Mapping[str, str]) -> str:
    """One line `A. text` for each option, in the order shown."""
    return "\n".join(f"{label}. {text}" for label, text in options.items())


def spoken_labels(options: Mapping[str, str]) -> str:
    """The labels as in a sentence: `A, B, C or D`."""
    *head, last = list(options) or [""]
    return f"{', '.join(head)} or {last}" if head else last


def _template(wording: Wording, sample: Sample) -> str:
    role = sample.role.partition("_")[0]
    if wording.roles and role in wording.roles:
        return wording.roles[role]
    if sample.options_in_question and wording.options_in_question is not None:
        return wording.options_in_question
    return wording.template


def _shown(
    images: tuple[ImageRef, ...],
    condition: Condition,
    grey: Callable[[ImageRef], ImageRef],
) -> tuple[ImageRef, ...]:
    if condition.has_image:
        return images
    if condition.show == "grey":
        return tuple(grey(image) for image in images)
    return ()


def _worked(profile: PromptProfile, wording: Wording) -> list[Message]:
    exemplars = profile.exemplars_for(wording)
    if not exemplars:
        raise CatalogError(
            f"Prompt profile {profile.id} has no examples for this use, so it cannot be asked with 2 shots. "
            "Add two [[exemplars]] to it, or choose --shots 0."
        )
    turns: list[Message] = []
    for exemplar in exemplars:
        turns.append(Message("user", (TextPart(exemplar.user),)))
        turns.append(Message("assistant", (TextPart(exemplar.assistant),)))
    return turns


def _with_system(system: str | None, turns: list[Message], entry: ProviderEntry) -> tuple[Message, ...]:
    """The turns after a system message, or with it at the head of the first where there is no such role."""
    if not system:
        return tuple(turns)
    if entry.system_role != "merge":
        return (Message("system", (TextPart(system),)), *turns)
    first, *rest = turns
    head, *others = first.parts
    if isinstance(head, TextPart):
        parts: tuple[Part, ...] = (TextPart(f"{system}\n\n{head.text}"), *others)
    else:
        parts = (TextPart(system), *first.parts)
    return (Message(first.role, parts), *rest)
