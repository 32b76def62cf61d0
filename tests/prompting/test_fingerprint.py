"""The hash of a profile changes with whatever changes a request, and with nothing else."""

from __future__ import annotations

import pytest
from pydantic import JsonValue

from vlbench.catalog.profile import PromptProfile
from vlbench.prompting.fingerprint import profile_hash


@pytest.mark.parametrize(
    "update",
    [
        {"version": 2},
        {"decoding": {"temperature": 0}},
        {"exemplars": []},
        {"image": {"template": "{question} "}},
        {"text": {"template": "{question}\n{options}\nOne of {labels}.", "images": "after"}},
    ],
)
def test_content_changes_the_hash(profile: PromptProfile, update: dict[str, JsonValue]) -> None:
    changed = PromptProfile.model_validate(profile.model_dump() | update)
    assert profile_hash(changed) != profile_hash(profile)


def test_words_about_the_profile_do_not(profile: PromptProfile) -> None:
    changed = profile.model_copy(update={"title": "other", "source": "elsewhere"})
    assert profile_hash(changed) == profile_hash(profile)


def test_the_hash_is_the_same_on_every_machine(profile: PromptProfile) -> None:
    assert profile_hash(profile) == "c1a115b0e23c7553a3363a5f03daab53cef123a7985a0f678523f429580aacdd"
