"""One choice, in every provider's own words."""

from __future__ import annotations

from pathlib import Path

import pytest

from vlbench.catalog.entry import ModelFacts, ProviderEntry
from vlbench.catalog.load import Catalog
from vlbench.catalog.places import shipped_root
from vlbench.catalog.resolve import final_decoding, resolve
from vlbench.catalog.target import parse_target
from vlbench.errors import UsageError
from vlbench.types import Decoding

OFF = Decoding(extra={"chat": {"think": False}})
ENTRY = ProviderEntry(
    id="own",
    name="Own",
    wire="chat",
    urls=("http://127.0.0.1:1/v1",),
    self_hosted=True,
    models={"fixed": ModelFacts(variants={"thinking": {}})},
    variants={
        "thinking": {"off": OFF, "on": Decoding(extra={"chat": {"think": True}})},
        "max-pixels": {"*": Decoding(extra={"kwargs": {"max": "{value}", "list": ["{value}"]}})},
        "min-pixels": {"*": Decoding(extra={"kwargs": {"min": "{value}"}})},
        "effort": {"low": Decoding(effort="LOW"), "high": Decoding(effort="HIGH")},
    },
)


def decoding(target: str, flags: Decoding | None = None, entry: ProviderEntry = ENTRY) -> Decoding:
    return resolve(parse_target(target), entry, flags=flags or Decoding()).decoding


def test_a_choice_is_sent_in_the_entrys_words() -> None:
    assert decoding("own:m+thinking=off") == OFF
    assert decoding("own:m+effort=low").effort == "LOW"


def test_any_value_takes_its_place_as_what_it_spells() -> None:
    assert decoding("own:m+max-pixels=1000").extra == {"kwargs": {"max": 1000, "list": [1000]}}
    assert decoding("own:m+max_pixels=1000").extra == {"kwargs": {"max": 1000, "list": [1000]}}


def test_choices_about_one_table_of_the_body_are_joined() -> None:
    both = decoding("own:m+max-pixels=9+min-pixels=3").extra
    assert both == {"kwargs": {"max": 9, "list": [9], "min": 3}}


def test_a_field_of_the_body_wins_over_a_choice_and_a_choice_over_a_flag() -> None:
    assert decoding("own:m+thinking=off+chat.think=true").extra == {"chat": {"think": True}}
    assert decoding("own:m+effort=low", Decoding(effort="high")).effort == "LOW"


def test_flags_are_said_in_the_entrys_words_too() -> None:
    assert decoding("own:m", Decoding(effort="high", seed=1)) == Decoding(effort="HIGH", seed=1)
    plain = ENTRY.model_copy(update={"variants": {}})
    assert decoding("own:m", Decoding(effort="high"), plain).effort == "high"


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("own:m+thinking=maybe", "own does not know thinking=maybe. For m it knows thinking=off, on."),
        ("own:m+effort=hgh", "For m it knows effort=low, high."),
        ("own:m+thinking-budget=9", "it knows effort=low|high, max-pixels=N, min-pixels=N, thinking=off|on"),
        ("own:fixed+thinking=off", "For fixed it knows effort=low|high"),
    ],
)
def test_what_an_entry_does_not_know_is_told_with_what_it_knows(target: str, words: str) -> None:
    with pytest.raises(UsageError) as told:
        decoding(target)
    assert words in str(told.value)


def test_a_flag_the_entry_does_not_know_is_told() -> None:
    with pytest.raises(UsageError, match="own does not know effort=max"):
        decoding("own:m", Decoding(effort="max"))


def test_a_required_choice_must_be_made() -> None:
    entry = ENTRY.model_copy(
        update={
            "required_choices": ("route",),
            "variants": {"route": {"*": Decoding(extra={"r": "{value}"})}},
        }
    )
    with pytest.raises(UsageError, match=r"does not say route: write own:m\+route=VALUE"):
        decoding("own:m", entry=entry)
    assert decoding("own:m+route=a/b", entry=entry).extra == {"r": "a/b"}


@pytest.fixture(scope="module")
def shipped() -> Catalog:
    root = shipped_root()
    return Catalog.open(root, user=Path(root, "no-such-directory"))


def sent(shipped: Catalog, target: str) -> Decoding:
    parsed = parse_target(target)
    entry = shipped.provider(parsed.provider)
    return final_decoding(resolve(parsed, entry, flags=Decoding()), entry, Decoding())


@pytest.mark.parametrize(
    ("target", "extra"),
    [
        ("qwen+thinking=off", {"enable_thinking": False}),
        ("kimi:kimi-k2.6+thinking=off", {"thinking": {"type": "disabled"}}),
        ("vllm:m+thinking=off", {"chat_template_kwargs": {"enable_thinking": False}}),
        ("vllm:m+max-pixels=5000", {"mm_processor_kwargs": {"max_pixels": 5000}}),
        ("claude+thinking=off", {"thinking": {"type": "disabled"}}),
        ("gemini:gemini-2.5-flash+thinking-budget=0",
         {"generationConfig": {"thinkingConfig": {"thinkingBudget": 0}}}),
        ("openrouter:a/b+route=groq",
         {"provider": {"allow_fallbacks": False, "require_parameters": True, "only": ["groq"]}}),
    ],
)  # fmt: skip
def test_thinking_off_means_the_same_to_every_vendor(
    shipped: Catalog, target: str, extra: dict[str, object]
) -> None:
    assert sent(shipped, target).extra == extra


def test_vendors_whose_effort_ends_thinking_get_that(shipped: Catalog) -> None:
    assert sent(shipped, "gpt+thinking=off").effort == "none"


@pytest.mark.parametrize(
    "target", ["kimi:kimi-k3+thinking=off", "claude:claude-opus-5-5+thinking=off", "gemini+thinking=off",
               "gemini+effort=minimal", "openrouter:a/b", "grok+thinking=off"],
)  # fmt: skip
def test_what_a_vendor_cannot_do_is_refused_before_anything_is_sent(shipped: Catalog, target: str) -> None:
    with pytest.raises(UsageError, match=r"know|does not say route"):
        sent(shipped, target)
