"""Uses of a profile fall back on one another, and a system message can be put in place of its own."""

from __future__ import annotations

from vlbench.catalog.profile import PromptProfile, Wording
from vlbench.types import Condition, Decoding

IMAGE, TEXT, GREY = (Condition(show=show) for show in ("image", "text", "grey"))
WORDS = {use: Wording(template=f"{use} {{question}}") for use in ("image", "text", "grey", "base")}


def profile(*uses: str) -> PromptProfile:
    return PromptProfile.model_validate(
        {"benchmark": "b", "name": "n", "version": 1, "title": "t", **{use: WORDS[use] for use in uses}}
    )


def test_each_use_has_its_own_words() -> None:
    full = profile("image", "text", "grey", "base")
    assert [full.wording(c) for c in (IMAGE, TEXT, GREY)] == [WORDS["image"], WORDS["text"], WORDS["grey"]]
    assert full.wording(TEXT, base=True) == WORDS["base"]


def test_a_missing_use_takes_the_words_of_the_next_one() -> None:
    some = profile("image", "text")
    assert some.wording(GREY) == some.wording(TEXT, base=True) == WORDS["text"]
    least = profile("image")
    assert [least.wording(c) for c in (IMAGE, TEXT, GREY)] == [WORDS["image"]] * 3


def test_decoding_of_a_use_stands_over_that_of_the_profile() -> None:
    wording = WORDS["image"].model_copy(update={"decoding": Decoding(max_output_tokens=5)})
    both = profile("image", "text").model_copy(
        update={"image": wording, "decoding": Decoding(max_output_tokens=9, seed=1)}
    )
    assert both.decoding_for(IMAGE) == Decoding(max_output_tokens=5, seed=1)
    assert both.decoding_for(TEXT) == Decoding(max_output_tokens=9, seed=1)


def test_a_system_message_of_the_user_replaces_every_other() -> None:
    own = WORDS["image"].model_copy(update={"system": "a", "few_shot_system": "b"})
    changed = profile("image", "text").model_copy(update={"image": own}).with_system("mine")
    for condition in (IMAGE, TEXT, GREY):
        assert changed.wording(condition).system == "mine"
        assert changed.wording(condition).few_shot_system is None
    assert changed.grey is None
