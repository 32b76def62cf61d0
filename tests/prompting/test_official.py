"""The shipped MMStar profiles give the texts their protocols prescribe, to the last space."""

from __future__ import annotations

from vlbench.catalog.entry import ProviderEntry
from vlbench.catalog.profile import PromptProfile
from vlbench.prompting.messages import build, fill
from vlbench.types import Condition, ImageRef, Sample, TextPart

EMBEDDED = " Where is <image 1>?\nOptions: A: x, B: y, C: nan, D: w"


def kept(image: ImageRef) -> ImageRef:
    return image


def test_with_option_columns_each_option_is_a_line(official: PromptProfile, sample: Sample) -> None:
    assert fill(official.image.template, sample) == (
        "What is it?\nA. a cat\nB. nan\nAnswer with the option's letter from the given choices directly."
    )


def test_options_inside_the_question_are_not_repeated(official: PromptProfile, entry: ProviderEntry) -> None:
    sample = Sample(id="1", question=EMBEDDED, options={"A": "x"}, gold="A", options_in_question=True)
    (message,) = build(official, sample, Condition(show="text"), base=False, entry=entry, grey=kept)
    assert message.parts == (TextPart(f"{EMBEDDED}\nAnswer the question directly."),)
    (message,) = build(official, sample, Condition(show="text"), base=True, entry=entry, grey=kept)
    assert message.parts == (TextPart(f"Question: {EMBEDDED}\n"),)


def test_the_base_is_asked_in_its_own_words(
    official: PromptProfile, sample: Sample, entry: ProviderEntry
) -> None:
    messages = build(official, sample, Condition(show="text", shots=2), base=True, entry=entry, grey=kept)
    assert [message.role for message in messages] == ["system", *["user", "assistant"] * 2, "user"]
    assert messages[2].parts == (TextPart("B"),)
    assert messages[4].parts == (TextPart("D"),)
    assert messages[5].parts == (
        TextPart(
            "Question: What is it?\nOptions:\nA. a cat\nB. nan\n"
            "Please select the correct answer from the options above. \n"
            "Answer with the option's letter from the given choices directly, "
            "such as answer letter 'A' only. \n"
        ),
    )
