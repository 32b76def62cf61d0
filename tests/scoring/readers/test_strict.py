"""The strict reader: what it reads, what it refuses to read, and laws that hold for every text."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any  # a case of conftest.py, which tests cannot import

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from vlbench.scoring.readers.registry import READERS, reader
from vlbench.scoring.readers.rule import Rule
from vlbench.scoring.readers.rules import EXAMPLE_OPTIONS, RULES, WINDOWED, doc_of
from vlbench.types import Answer, Finish, Outcome, Reply

STRICT = reader("strict")
ANIMALS = {"A": "Cat", "B": "Dog", "C": "Bird", "D": "Fish"}
OPTION_SETS = (
    ANIMALS,
    {"A": "Yes", "B": "No"},
    {"A": "1", "B": "2", "C": "3", "D": "4"},
    {"A": "C", "B": "A", "C": "D", "D": "B"},
    {"First": "a red car", "Second": "a blue car"},
    {letter: f"metal {number}" for number, letter in enumerate("ABCDEFGHIJ")},
    {"A": "nan", "B": "", "C": "猫", "D": "İß"},
    {"1": "one", "2": "two"},
)
COMMITTED = (
    *(
        "B",
        "(B)",
        "**B**",
        "B.",
        "The answer is B.",
        "Answer: B",
        "\\boxed{B}",
        "<answer>B</answer>",
        "B. Dog",
    ),
    *("答案是B", "I would go with option B.", "So the correct answer is (B)."),
)
# Pieces that tell most about a grammar when they are put together at random.
PIECES = st.sampled_from(
    (
        *"ABCDabI()[]{}.,:;?!-—`$\n|✓✗是选不\"'/",
        *("**", "\\boxed{", "\\text{", "<think>", "</think>", "<answer>", "</answer>", "答案", "N/A", "1."),
        *(
            "not",
            "is",
            "the",
            "answer",
            "or",
            "and",
            "wrong",
            "correct",
            "so",
            "but",
            "if",
            "wait",
            "no",
            "yes",
        ),
        *("Cat", "Dog", "cat", "dog", "I'm sorry", "Question:", "Answer:"),
    )
)
TEXTS = st.one_of(
    st.text(max_size=80),
    st.lists(PIECES, max_size=14).map(" ".join),
    st.lists(PIECES, max_size=14).map("".join),
)


def disagreements(cases: list[Any], *, contested: bool = False) -> list[str]:
    """One line for each case that is read otherwise than expected."""
    found = []
    for case in cases:
        answer = STRICT.read(Reply(text=case.output), case.options)
        outcome = case.outcome or answer.outcome
        if case.contested == contested and (answer.label, answer.outcome) != (case.expected, outcome):
            found.append(
                f"{case.id}: {case.output!r} is {case.expected}, read as {answer.label} by {answer.rule!r}"
            )
    return found


def test_every_uncontested_case_is_read_as_a_careful_person_reads_it(
    load_cases: Callable[[str], list[Any]],
) -> None:
    assert disagreements(load_cases("answers.jsonl")) == []


@pytest.mark.parametrize("name", ["own_answers.jsonl", "second_answers.jsonl"])
def test_every_own_case_is_read_as_a_careful_person_reads_it(
    name: str, load_cases: Callable[[str], list[Any]]
) -> None:
    assert disagreements(load_cases(name)) == []


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_the_examples_of_a_rule_are_read_as_it_says(rule: Rule) -> None:
    read = {text: STRICT.read(Reply(text=text), EXAMPLE_OPTIONS).label for text, _ in rule.examples}
    assert read == dict(rule.examples)
    assert rule.doc.endswith(".")


def test_every_rule_that_reads_a_case_can_be_explained(load_cases: Callable[[str], list[Any]]) -> None:
    answers = [STRICT.read(Reply(text=case.output), case.options) for case in load_cases("own_answers.jsonl")]
    rules = {answer.rule for answer in answers if answer.label is not None}
    assert {"bare", "whole text", "sole text", "declared", "boxed", "praised"} <= rules
    assert all(doc_of(rule) for rule in rules)


# --- outcomes ---


@pytest.mark.parametrize(
    ("text", "finish", "outcome", "label"),
    [
        ("B", "length", Outcome.ANSWERED, "B"),
        ("The answer is B because the", "length", Outcome.ANSWERED, "B"),
        ("The picture shows a dog and", "length", Outcome.TRUNCATED, None),
        ("", "length", Outcome.TRUNCATED, None),
        ("", "stop", Outcome.UNPARSED, None),
        ("B", "refused", Outcome.ANSWERED, "B"),
        ("I can't help with that.", "refused", Outcome.REFUSED, None),
        ("", "refused", Outcome.REFUSED, None),
        ("B", "blocked", Outcome.BLOCKED, None),
        ("<think>The answer is A.", "stop", Outcome.TRUNCATED, None),
        ("<think>The answer is A.", "length", Outcome.TRUNCATED, None),
        ("I'm sorry, I cannot see it.", "stop", Outcome.REFUSED, None),
        ("A or B", "stop", Outcome.UNPARSED, None),
    ],
)
def test_the_way_a_reply_ended_decides_what_an_unread_one_is(
    text: str, finish: Finish, outcome: Outcome, label: str | None
) -> None:
    answer = STRICT.read(Reply(text=text, finish=finish), ANIMALS)
    assert (answer.outcome, answer.label) == (outcome, label)
    assert answer.cut == (label is not None and finish == "length")
    assert bool(answer.reason) == (label is None)


def test_reasoning_in_a_field_of_its_own_is_no_answer() -> None:
    answer = STRICT.read(Reply(text="", reasoning="The answer is B."), ANIMALS)
    assert answer.outcome is Outcome.UNPARSED
    assert "thinking" in answer.reason


def test_a_question_without_options_is_read_as_nothing() -> None:
    assert STRICT.read(Reply(text="B"), {}).outcome is Outcome.UNPARSED


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("English", "I'm sorry, but I can't see the image."),
        ("Chinese", "抱歉，我无法查看图片。"),
        ("Japanese", "申し訳ありませんが、画像を確認できません。"),
        ("Korean", "죄송하지만 이미지를 볼 수 없습니다."),
        ("German", "Es tut mir leid, ich kann das Bild nicht sehen."),
        ("French", "Je suis désolé, je ne peux pas voir l'image."),
        ("Spanish", "Lo siento, no puedo ver la imagen."),
        ("Portuguese", "Desculpe, não consigo ver a imagem."),
        ("Russian", "Извините, я не могу увидеть изображение."),
        ("Arabic", "عذرًا، لا أستطيع رؤية الصورة."),
    ],
)
def test_a_refusal_is_recognised_unless_an_answer_follows_it(language: str, text: str) -> None:
    assert STRICT.read(Reply(text=text), ANIMALS).outcome is Outcome.REFUSED
    assert STRICT.read(Reply(text=f"{text} Answer: C"), ANIMALS).label == "C"


# --- where it was read ---


@pytest.mark.parametrize(
    ("text", "read_from"),
    [
        ("<think>A</think>\n\nThe **answer** is **B**.", "B"),
        ("$\\boxed{\\text{C}}$", "C"),
        ("\u200bＤ\u200b", "Ｄ"),
        ("It is certainly a `dog`, I'd say.", "dog"),
        ("**B. Dog**", "B. Dog"),
        ("x" * 20_000 + "\n\nAnswer: (A)", "A"),
    ],
)
def test_the_span_lies_on_the_words_the_reading_rests_on(text: str, read_from: str) -> None:
    answer = STRICT.read(Reply(text=text), ANIMALS)
    assert answer.span is not None
    start, end = answer.span
    assert read_from in text[start:end]
    assert len(text[start:end]) <= len(read_from) + len("\\boxed{\\text{}}")


# --- laws ---


@pytest.mark.parametrize("name", READERS)
@settings(max_examples=150, deadline=None)
@given(
    text=TEXTS,
    options=st.sampled_from(OPTION_SETS),
    finish=st.sampled_from(["stop", "length", "refused", "blocked"]),
)
@example(text="\ue000B\ue001", options=ANIMALS, finish="stop")
@example(text="İ\ud800 B", options=ANIMALS, finish="stop")
def test_no_reader_raises_or_leaves_the_options(
    name: str, text: str, options: dict[str, str], finish: Finish
) -> None:
    before = dict(options)
    answer = reader(name).read(Reply(text=text, finish=finish), options)
    assert options == before
    assert (answer.label is not None) == (answer.outcome is Outcome.ANSWERED)
    assert {answer.label, *answer.also} <= {None, *options}
    assert answer.span is None or 0 <= answer.span[0] <= answer.span[1] <= len(text)


@settings(max_examples=200, deadline=None)
@given(
    text=TEXTS,
    before=st.sampled_from(["", " ", "\n\n", "\t"]),
    after=st.sampled_from(["", " ", "\n", "\n\n "]),
)
def test_surrounding_blanks_change_nothing(text: str, before: str, after: str) -> None:
    assert same(
        STRICT.read(Reply(text=before + text + after), ANIMALS), STRICT.read(Reply(text=text), ANIMALS)
    )


def same(one: Answer, other: Answer) -> bool:
    return (one.label, one.outcome) == (other.label, other.outcome)


@pytest.mark.parametrize("text", COMMITTED)
@pytest.mark.parametrize(
    "wrap", ["**{}**", "*{}*", "__{}__", "{}\n", "> {}", "# {}", "- {}", "\u200b{}\u200b", "{}</s>"]
)
def test_markup_around_a_committed_answer_changes_nothing(text: str, wrap: str) -> None:
    assert STRICT.read(Reply(text=wrap.format(text)), ANIMALS).label == "B"


@pytest.mark.parametrize("text", COMMITTED)
@pytest.mark.parametrize("mark", [".", "!", ",", ";", "。", "…", " .", "\n."])
def test_trailing_punctuation_changes_nothing(text: str, mark: str) -> None:
    assert STRICT.read(Reply(text=text + mark), ANIMALS).label == "B"


@pytest.mark.parametrize("text", COMMITTED)
@pytest.mark.parametrize(
    "prose",
    [
        "Let me look at the picture.\n\n{}",
        "A careful look at the picture helps here.\n\n{}",
        "{}\n\nLet me know if you have any other question!",
        "{}\n\nI hope this helps.",
        "<think>It may be A, or C.</think>\n{}",
        "The ears hang down and the snout is long.\n{}",
    ],
)
def test_harmless_prose_around_a_committed_answer_keeps_it(text: str, prose: str) -> None:
    assert STRICT.read(Reply(text=prose.format(text)), ANIMALS).label == "B"


@pytest.mark.parametrize("order", list(itertools.permutations("ABCD"))[::5])
@pytest.mark.parametrize("text", ["It's a dog.", "Dog", "The answer is dog.", "I see a dog, not a cat."])
def test_permuting_the_options_permutes_an_answer_given_by_text(order: tuple[str, ...], text: str) -> None:
    options = dict(zip(order, ANIMALS.values(), strict=True))
    assert STRICT.read(Reply(text=text), options).label == order[1]
    assert STRICT.read(Reply(text=text), dict(sorted(options.items()))).label == order[1]


@pytest.mark.parametrize("text", COMMITTED)
def test_renaming_the_labels_renames_the_answer(text: str) -> None:
    for label in "CDFGH":
        options = {"A": "Cat", label: "Dog", "E": "Bird"}
        swapped = text.replace("B", label) if "boxed" not in text else f"\\boxed{{{label}}}"
        assert STRICT.read(Reply(text=swapped), options).label == label


def test_reading_twice_gives_the_same_and_leaves_the_options_alone() -> None:
    options = {"A": "Apple", "B": "apple", "C": "APPLE"}
    first = STRICT.read(Reply(text="APPLE"), options)
    assert first == STRICT.read(Reply(text="APPLE"), options)
    assert first.label == "C"
    assert list(options.values()) == ["Apple", "apple", "APPLE"]


def test_a_reply_of_a_megabyte_is_read_at_its_head_and_tail() -> None:
    filler = "the fur is brown and " * 50_000
    assert STRICT.read(Reply(text=f"{filler}\nAnswer: B"), ANIMALS).label == "B"
    assert STRICT.read(Reply(text=f"Answer: C\n{filler}"), ANIMALS).label == "C"


def test_a_reading_says_when_the_middle_of_the_reply_was_not_read() -> None:
    filler = "the fur is brown and " * 1_000
    answer = STRICT.read(Reply(text=f"{filler}\nAnswer: B"), ANIMALS)
    assert answer.rule == f"declared{WINDOWED}"
    assert "head and the tail" in doc_of(answer.rule)
    assert "first 3,000 and last 6,000" in STRICT.read(Reply(text=filler), ANIMALS).reason
    assert STRICT.read(Reply(text="Answer: B"), ANIMALS).rule == "declared"
    assert "head" not in doc_of("declared")
