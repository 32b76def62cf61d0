"""What `vlbench catalog check` looks for beyond what makes a file unreadable."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import date
from pathlib import Path

from vlbench.catalog.entry import ProviderEntry
from vlbench.catalog.places import Place
from vlbench.catalog.profile import PromptProfile
from vlbench.catalog.read import BrokenFile, Problem, line_in, read_profile, read_provider
from vlbench.types import Decoding

KeyTheft = Callable[[Path, ProviderEntry], Problem | None]
"""What is wrong when an entry, read from a file of the workspace, sends a known key to a foreign host."""

# How many requests run at once is our choice, not a fact about the provider: it needs no source.
_OWN_CHOICES = {"source", "checked", "concurrency", "max_concurrency"}


def problems_of(place: Place, key_theft: KeyTheft) -> Iterator[Problem]:
    """The problems of every file of one place."""
    for path in place.files("providers"):
        try:
            entry = read_provider(path)
        except BrokenFile as error:
            yield from error.problems
            continue
        yield from _entry_problems(path, entry, is_shipped=place.owner == "shipped")
        if place.owner == "workspace":
            # A broken file of another place hides where keys belong; it is a problem of its own.
            with suppress(BrokenFile):
                if theft := key_theft(path, entry):
                    yield theft
    for path in place.files("prompts"):
        try:
            profile = read_profile(path)
        except BrokenFile as error:
            yield from error.problems
            continue
        yield from _profile_problems(path, profile)


def _entry_problems(path: Path, entry: ProviderEntry, *, is_shipped: bool) -> Iterator[Problem]:
    yield from _rejects_problems(path, entry)
    if entry.default_model and entry.models and entry.default_model not in entry.models:
        text = f'"{entry.default_model}" is not among the models of this entry'
        yield Problem(path, line_in(path, "default_model"), "default_model", text)
    # At Azure every account has an address of its own.
    if not entry.urls and not entry.built_in and entry.cloud != "azure":
        yield Problem(path, 1, "urls", "no address: every use must then give one with @URL")
    if not is_shipped:
        return
    if not entry.limits.model_fields_set <= _OWN_CHOICES:
        yield from _unsourced(path, ("limits",), entry.limits.source, entry.limits.checked)
    if entry.images.model_fields_set:
        yield from _unsourced(path, ("images",), entry.images.source, entry.images.checked)
    for model, facts in entry.models.items():
        if facts.price is not None:
            yield from _unsourced(path, ("models", model, "price"), facts.price.source, facts.price.checked)


def _unsourced(path: Path, place: tuple[str, ...], source: str, checked: date | None) -> Iterator[Problem]:
    if not source or checked is None:
        text = "a shipped fact needs its source and the date it was checked"
        yield Problem(path, line_in(path, *place), ".".join(place), text)


def _rejects_problems(path: Path, entry: ProviderEntry) -> Iterator[Problem]:
    """Names that look like a misspelt decoding field; others may be fields of `extra`."""
    known = list(Decoding.model_fields)
    for name in entry.rejects:
        near = difflib.get_close_matches(name, known, n=1, cutoff=0.88)
        if name not in known and near:
            text = f'"{name}" is no decoding field; did you mean "{near[0]}"?'
            yield Problem(path, line_in(path, "rejects"), "rejects", text)


def _profile_problems(path: Path, profile: PromptProfile) -> Iterator[Problem]:
    uses = {"image": profile.image, "text": profile.text, "grey": profile.grey, "base": profile.base}
    for use, wording in uses.items():
        if wording is None:
            continue
        if wording.few_shot_system and not profile.exemplars_for(wording):
            text = "a message for examples, but this use has none"
            yield Problem(path, line_in(path, use, "few_shot_system"), f"{use}.few_shot_system", text)
        answers = [exemplar.assistant for exemplar in profile.exemplars_for(wording)]
        if len(set(answers)) < len(answers):
            text = "both examples have the same answer, which favours it"
            yield Problem(path, line_in(path, "exemplars"), "exemplars", text)
