"""What ships: entries and profiles that are sound and say what the protocols say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from vlbench.catalog.entry import ProviderEntry
from vlbench.catalog.load import Catalog
from vlbench.catalog.places import shipped_root
from vlbench.types import Condition, Decoding


@pytest.fixture(scope="module")
def shipped() -> Catalog:
    root = shipped_root()
    return Catalog.open(root, user=Path(root, "no-such-directory"))


def test_the_shipped_catalog_has_no_problems(shipped: Catalog) -> None:
    assert shipped.check() == []


def _speaking(catalog: Catalog) -> list[ProviderEntry]:
    """Every entry but those of embedding models, which say nothing."""
    return [entry for entry in catalog.providers() if entry.wire != "embeddings"]


def test_every_entry_limits_output_by_default(shipped: Catalog) -> None:
    limits = {entry.id: entry.decoding.max_output_tokens for entry in _speaking(shipped)}
    assert set(limits.values()) == {4096}, limits


def test_self_hosted_entries_decode_greedily_and_vendors_get_no_sampling_parameters(shipped: Catalog) -> None:
    for entry in _speaking(shipped):
        assert entry.decoding.temperature == (0 if entry.self_hosted else None), entry.id
        assert entry.decoding.top_p is None, entry.id


def test_entries_without_a_key_stay_on_this_machine(shipped: Catalog) -> None:
    for entry in shipped.providers():
        if not entry.key_required and entry.cloud is None:
            assert all(url.startswith("http://127.0.0.1:") for url in entry.urls), entry.id


def test_questions_with_four_options_have_two_examples_that_favour_neither_a_nor_c(shipped: Catalog) -> None:
    for profile in shipped.profiles():
        if profile.benchmark in ("mmstar", "shapes", "mcq"):
            answers = [exemplar.assistant[-1] for exemplar in profile.exemplars]
            assert answers == ["B", "D"], profile.id


def test_default_profiles_change_nothing_between_conditions_but_the_pictures(shipped: Catalog) -> None:
    for profile in shipped.profiles():
        if profile.name == "default":
            wordings = [profile.wording(Condition(show=show)) for show in ("image", "text", "grey")]
            assert wordings == [profile.image] * 3
            assert profile.wording(Condition(show="text"), base=True) == profile.image


def test_benchmarks_asked_alike_share_one_default_wording(shipped: Catalog) -> None:
    names: dict[str, Any] = {"benchmark": True, "image": {"marks"}}  # Any: what pydantic takes
    mmstar, *others = (shipped.profile(name, "default") for name in ("mmstar", "shapes", "mcq"))
    for other in others:
        assert other.model_dump(exclude=names) == mmstar.model_dump(exclude=names)


def test_marks_of_pictures_are_words_of_the_text_but_in_own_sets(shipped: Catalog) -> None:
    marks = {profile.id: profile.image.marks for profile in shipped.profiles()}
    assert {name for name, mark in marks.items() if mark} == {"mcq-default"}
    assert marks["mmstar-default"] is None


def test_no_template_shows_a_dollar_sign_or_an_answer_to_copy(shipped: Catalog) -> None:
    for profile in shipped.profiles():
        assert "$" not in profile.model_dump_json(), profile.id


def test_the_official_profile_carries_the_authors_decoding(shipped: Catalog) -> None:
    profile = shipped.profile("mmstar", "official")
    for show in ("image", "text", "grey"):
        assert profile.decoding_for(Condition(show=show)) == Decoding(max_output_tokens=32, temperature=0)
    assert profile.decoding_for(Condition(show="text", shots=2), base=True).max_output_tokens == 32
