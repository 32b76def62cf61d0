"""Sentences by language, with any label in them: what commits, what denies, what merely discusses."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from vlbench.scoring.readers.phrases import AFTER, BEFORE, After, Before, effect_after, effects_before
from vlbench.scoring.readers.registry import reader
from vlbench.types import Reply

STRICT = reader("strict")
ANIMALS = {"A": "Cat", "B": "Dog", "C": "Bird", "D": "Fish"}
FRAMES: dict[str, dict[str, list[str]]] = json.loads(
    (Path(__file__).parents[2] / "data" / "answers_frames.json").read_text(encoding="utf-8")
)
LANGUAGES = tuple(FRAMES)
TIGHT = {"zh", "ja"}


def sentence(frame: str, *labels: str, language: str = "en") -> str:
    said = frame.format(*labels, L=labels[0])
    stop = "" if said.endswith("?") else "。" if language in TIGHT else "."
    return said[0].upper() + said[1:] + stop


def read(*sentences: str, language: str = "en") -> str | None:
    return STRICT.read(Reply(text=("" if language in TIGHT else " ").join(sentences)), ANIMALS).label


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_sentence_that_commits_is_read_whatever_the_label(language: str) -> None:
    missed = [
        said
        for frame in FRAMES[language]["committed"]
        for label in ANIMALS
        if read(said := sentence(frame, label, language=language), language=language) != label
    ]
    assert missed == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_sentence_that_denies_commits_to_nothing(language: str) -> None:
    read_as = {
        (said := sentence(frame, label, language=language)): read(said, language=language)
        for frame in FRAMES[language]["denied"]
        for label in ANIMALS
    }
    assert {said: label for said, label in read_as.items() if label} == {}


@pytest.mark.parametrize("language", LANGUAGES)
def test_two_labels_without_a_choice_commit_to_nothing(language: str) -> None:
    read_as = {
        (said := sentence(frame, one, other, language=language)): read(said, language=language)
        for frame in FRAMES[language]["undecided"]
        for one, other in (("A", "B"), ("C", "A"), ("D", "B"))
    }
    assert {said: label for said, label in read_as.items() if label} == {}


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_denied_before_or_after_an_answer_does_not_change_it(language: str) -> None:
    chance, wrong = random.Random(0), list[str]()
    for frame in FRAMES[language]["committed"]:
        label, other = chance.sample(list(ANIMALS), 2)
        answer = sentence(frame, label, language=language)
        denial = sentence(chance.choice(FRAMES[language]["denied"]), other, language=language)
        for order in ((answer, denial), (denial, answer)):
            if read(*order, language=language) != label:
                wrong.append(" ".join(order))
    assert wrong == []


@pytest.mark.parametrize(
    "form", ["{0}", "({0})", "**{0}**", "option {0}", "{0}. {1}", "({0}) {1}", "{1} ({0})"]
)
def test_an_option_that_is_only_discussed_is_no_answer(form: str) -> None:
    read_as = dict[str, str | None]()
    for frame in FRAMES["en"]["discussed"]:
        label = "A" if "{L}" in frame else form.format("A", ANIMALS["A"])
        said = sentence(frame, label)
        read_as[said] = read("The picture shows an animal.", said)
    assert {said: label for said, label in read_as.items() if label} == {}


def test_an_answer_is_read_between_any_opening_and_any_closing() -> None:
    english, chance, missed = FRAMES["en"], random.Random(0), list[str]()
    for _ in range(2_000):
        label = chance.choice("ABCD")
        opening, closing = chance.choice(english["openings"]), chance.choice(english["closings"])
        said = sentence(chance.choice(english["committed"]), label).rstrip(".")
        if opening.endswith(", "):
            said = said[0].lower() + said[1:] if said[1] != " " and said[0] != "I" else said
        if read(opening + said + closing) != label:
            missed.append(opening + said + closing)
    assert missed == []


@pytest.mark.parametrize("phrase", BEFORE, ids=lambda phrase: phrase.example)
def test_the_example_of_a_phrase_before_a_mention_has_its_effect(phrase: Before) -> None:
    start = phrase.example.rindex("B")
    assert phrase.effect in set(effects_before(phrase.example, start))


@pytest.mark.parametrize("phrase", AFTER, ids=lambda phrase: phrase.example)
def test_the_example_of_a_phrase_after_a_mention_has_its_effect(phrase: After) -> None:
    found = effect_after(phrase.example, phrase.example.index("B") + 1)
    assert found is not None
    assert found[0] == phrase.effect
