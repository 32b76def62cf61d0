"""Messages say exactly what the profile says, in its order, and show what the condition shows."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vlbench.catalog.entry import ProviderEntry
from vlbench.catalog.profile import PromptProfile, Wording
from vlbench.errors import CatalogError
from vlbench.prompting.messages import build, fill, spoken_labels
from vlbench.types import Condition, Grey, ImagePart, ImageRef, Message, Part, Sample, TextPart

TEXT = "What is it?\nA. a cat\nB. nan\nOne of A or B."


def grey(image: ImageRef) -> ImageRef:
    return image.model_copy(
        update={"source": Grey(width=image.width, height=image.height), "sha256": "0" * 64}
    )


def parts_of(messages: tuple[Message, ...]) -> tuple[Part, ...]:
    (message,) = messages
    assert message.role == "user"
    return message.parts


def test_a_picture_stands_before_the_text(
    profile: PromptProfile, sample: Sample, entry: ProviderEntry
) -> None:
    parts = parts_of(build(profile, sample, Condition(show="image"), base=False, entry=entry, grey=grey))
    assert parts == (ImagePart(sample.images[0]), TextPart(TEXT))


def test_without_the_picture_only_the_text_is_left(
    profile: PromptProfile, sample: Sample, entry: ProviderEntry
) -> None:
    parts = parts_of(build(profile, sample, Condition(show="text"), base=False, entry=entry, grey=grey))
    assert parts == (TextPart(TEXT),)


def test_grey_stands_where_the_picture_stood(
    profile: PromptProfile, sample: Sample, entry: ProviderEntry
) -> None:
    parts = parts_of(build(profile, sample, Condition(show="grey"), base=False, entry=entry, grey=grey))
    assert parts == (ImagePart(grey(sample.images[0])), TextPart(TEXT))


def test_the_text_only_base_never_gets_a_picture(
    profile: PromptProfile, sample: Sample, entry: ProviderEntry
) -> None:
    for condition in (Condition(show="image"), Condition(show="grey"), Condition(show="text")):
        parts = parts_of(build(profile, sample, condition, base=True, entry=entry, grey=grey))
        assert parts == (TextPart(TEXT),)


def test_several_pictures_are_numbered_in_order(
    profile: PromptProfile, sample: Sample, entry: ProviderEntry, pictures: tuple[ImageRef, ...]
) -> None:
    pair = sample.model_copy(update={"images": pictures})
    shown = Condition(show="image")
    numbered = (TextPart("Image 1:"), ImagePart(pictures[0]), TextPart("Image 2:"), ImagePart(pictures[1]))
    assert parts_of(build(profile, pair, shown, base=False, entry=entry, grey=grey)) == (
        *numbered,
        TextPart(TEXT),
    )
    after = profile.model_copy(update={"image": profile.image.model_copy(update={"images": "after"})})
    assert parts_of(build(after, pair, shown, base=False, entry=entry, grey=grey)) == (
        TextPart(TEXT),
        *numbered,
    )
    bare = profile.model_copy(update={"image": profile.image.model_copy(update={"image_label": ""})})
    parts = parts_of(build(bare, pair, shown, base=False, entry=entry, grey=grey))
    assert parts == (ImagePart(pictures[0]), ImagePart(pictures[1]), TextPart(TEXT))


def test_two_shots_are_turns_before_the_question(
    profile: PromptProfile, sample: Sample, entry: ProviderEntry
) -> None:
    messages = build(profile, sample, Condition(show="text", shots=2), base=False, entry=entry, grey=grey)
    assert [(m.role, m.parts) for m in messages] == [
        ("system", (TextPart("Guess."),)),
        ("user", (TextPart("{question}?"),)),
        ("assistant", (TextPart("B"),)),
        ("user", (TextPart("Second?"),)),
        ("assistant", (TextPart("D"),)),
        ("user", (TextPart(TEXT),)),
    ]


def test_two_shots_without_examples_are_refused(
    profile: PromptProfile, sample: Sample, entry: ProviderEntry
) -> None:
    bare = profile.model_copy(update={"exemplars": ()})
    with pytest.raises(CatalogError, match="b-n has no examples"):
        build(bare, sample, Condition(show="text", shots=2), base=False, entry=entry, grey=grey)


def test_a_system_message_is_merged_into_the_first_turn_where_there_is_no_such_role(
    profile: PromptProfile, sample: Sample, entry: ProviderEntry
) -> None:
    merging = entry.model_copy(update={"system_role": "merge"})
    spoken = profile.with_system("Be brief.")
    text, shots, image = Condition(show="text"), Condition(show="text", shots=2), Condition(show="image")
    parts = parts_of(build(spoken, sample, text, base=False, entry=merging, grey=grey))
    assert parts == (TextPart(f"Be brief.\n\n{TEXT}"),)
    first, *rest = build(profile, sample, shots, base=False, entry=merging, grey=grey)
    assert first == Message("user", (TextPart("Guess.\n\n{question}?"),))
    assert [message.role for message in rest] == ["assistant", "user", "assistant", "user"]
    parts = parts_of(build(spoken, sample, image, base=False, entry=merging, grey=grey))
    assert parts == (TextPart("Be brief."), ImagePart(sample.images[0]), TextPart(TEXT))


hostile = st.text(st.sampled_from("{}<>$ \n\\aA1"), max_size=6) | st.sampled_from(
    ["{options}", "{question}", "{labels}", "{{question}}", "<image 1>", "\\g<1>", "nan"]
)
questions = st.lists(hostile, max_size=4).map("".join)


@given(questions, st.lists(questions, min_size=1, max_size=4))
def test_text_of_a_sample_is_never_taken_for_a_template(question: str, texts: list[str]) -> None:
    options = dict(zip("ABCD", texts, strict=False))
    sample = Sample(id="1", question=question, options=options, gold="A")
    lines = "\n".join(f"{label}. {text}" for label, text in options.items())
    assert fill("<{question}|{options}|{labels}>", sample) == f"<{question}|{lines}|{spoken_labels(options)}>"


@given(questions, questions)
def test_a_question_that_lists_its_options_is_sent_as_it_is(question: str, text: str) -> None:
    sample = Sample(id="1", question=question, options={"A": text}, gold="A", options_in_question=True)
    assert fill("{question}\n{options}\nPick.", sample) == f"{question}\nPick."
    assert fill("{question}\n{options}", sample) == question


def test_questions_that_list_their_options_may_have_words_of_their_own(
    profile: PromptProfile, sample: Sample, entry: ProviderEntry
) -> None:
    own = profile.model_copy(
        update={"image": Wording(template="{question} {options}", options_in_question="Q: {question}")}
    )
    listed = sample.model_copy(update={"options_in_question": True})
    parts = parts_of(build(own, listed, Condition(show="text"), base=False, entry=entry, grey=grey))
    assert parts == (TextPart("Q: What is it?"),)


@pytest.mark.parametrize(
    ("labels", "spoken"),
    [("", ""), ("A", "A"), ("AB", "A or B"), ("ABC", "A, B or C"), ("ABCD", "A, B, C or D")],
)
def test_labels_are_spoken_as_a_list(labels: str, spoken: str) -> None:
    assert spoken_labels(dict.fromkeys(labels, "x")) == spoken
