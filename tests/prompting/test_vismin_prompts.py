"""The three published wordings of VisMin's questions, word for word, and ours."""

from __future__ import annotations

import pytest

from vlbench.benchmarks.quads import QuadQuestions, quad_samples
from vlbench.catalog.entry import ProviderEntry
from vlbench.catalog.load import Catalog
from vlbench.catalog.places import shipped_root
from vlbench.catalog.profile import PromptProfile, Wording
from vlbench.errors import CatalogError, UsageError
from vlbench.media.grey import grey_of
from vlbench.prompting.messages import build
from vlbench.prompting.similarity import build_similarity
from vlbench.types import Condition, ImagePart, ImageRef, Message, Sample, Span, TextPart

IMAGE = Condition(show="image")
Pictures = tuple[ImageRef, ...]


def profile(name: str, benchmark: str = "vismin") -> PromptProfile:
    root = shipped_root()
    return Catalog.open(root, user=root / "no-such-directory").profile(benchmark, name)


@pytest.fixture
def quad(pictures: Pictures) -> dict[str, Sample]:
    spans = tuple(Span(path="pack", offset=at, length=1) for at in (0, 1))
    own = QuadQuestions(text=("own t0", "own t1"), image=("own i0", "own i1"))
    rows = quad_samples(spans, ("a cat", "a {dog}"), "object", "1", questions=own)
    images = {"text_0": pictures[:1], "text_1": pictures[1:], "image_0": pictures, "image_1": pictures}
    return {
        row.sample.role: row.sample.model_copy(update={"images": images[row.sample.role]}) for row in rows
    }


def asked(name: str, sample: Sample, entry: ProviderEntry) -> Message:
    return build(profile(name), sample, IMAGE, base=False, entry=entry, grey=grey_of)[-1]


def text_of(message: Message) -> str:
    return "\n".join(part.text for part in message.parts if isinstance(part, TextPart))


@pytest.mark.parametrize(
    ("name", "role", "text"),
    [
        ("paper", "text_1", "Does this image depict: a cat or a {dog}?"),
        (
            "paper",
            "image_1",
            "Which image better aligns with the description: 'a {dog}'? The first or the second image?",
        ),
        ("official", "text_0", "Does this image best match: (A) a cat, or (B) a {dog}? Choices: A, B."),
        (
            "official",
            "image_0",
            'Which image better aligns with the description: "a cat"? Choices: First, Second.',
        ),
        ("dataset", "text_1", "own t1"),
        ("dataset", "image_0", "own i0"),
    ],
)
def test_published_wordings_are_sent_word_for_word(
    quad: dict[str, Sample], entry: ProviderEntry, name: str, role: str, text: str
) -> None:
    message = asked(name, quad[role], entry)
    assert text_of(message) == text
    assert len(message.parts) == len(quad[role].images) + 1


def test_our_wording_labels_two_pictures_and_not_one(quad: dict[str, Sample], entry: ProviderEntry) -> None:
    assert text_of(asked("default", quad["image_0"], entry)).startswith("First image:\nSecond image:\n")
    assert text_of(asked("default", quad["text_0"], entry)).startswith("Which caption describes the image?")


def test_the_two_text_questions_are_one_request_without_the_picture(
    quad: dict[str, Sample], entry: ProviderEntry
) -> None:
    for name in ("default", "paper", "official"):
        first, second = (
            build(
                profile(name),
                quad[role],
                Condition(show="text"),
                base=False,
                entry=entry,
                grey=grey_of,
            )
            for role in ("text_0", "text_1")
        )
        assert first == second


def test_a_text_the_data_lack_is_named(quad: dict[str, Sample], entry: ProviderEntry) -> None:
    bare = quad["text_0"].model_copy(update={"texts": {}})
    with pytest.raises(CatalogError, match=r"\{set_question\}, a text that sample 'object-1-text_0'"):
        asked("dataset", bare, entry)


def test_unknown_placeholders_of_a_role_are_told() -> None:
    with pytest.raises(ValueError, match=r"unknown placeholder \{caption_3\} of text"):
        Wording(template="{question}", roles={"text": "{caption_3}"})


@pytest.mark.parametrize("name", ["default", "label"])
def test_vdiff_labels_its_pictures_a_and_b(entry: ProviderEntry, pictures: Pictures, name: str) -> None:
    sample = Sample(id="1", question="q?", options={"A": "x", "B": "y"}, gold="A", images=pictures)
    message = build(profile(name, "vdiff"), sample, IMAGE, base=False, entry=entry, grey=grey_of)[-1]
    assert text_of(message).startswith("Image A:\nImage B:\nq?")


def test_an_embedding_model_gets_labels_captions_and_pictures_alone(quad: dict[str, Sample]) -> None:
    about, first, second = build_similarity(quad["text_1"], IMAGE)
    assert about.parts == (ImagePart(quad["text_1"].images[0]),)
    assert first.parts == (TextPart("A"), TextPart("a cat"))
    assert second.parts == (TextPart("B"), TextPart("a {dog}"))
    about, first, second = build_similarity(quad["image_0"], IMAGE)
    assert about.parts == (TextPart("a cat"),)
    assert second.parts == (TextPart("Second"), ImagePart(quad["image_0"].images[1]))


def test_an_embedding_model_answers_nothing_else(quad: dict[str, Sample], sample: Sample) -> None:
    with pytest.raises(UsageError, match="only be asked with the image"):
        build_similarity(quad["text_0"], Condition(show="text"))
    with pytest.raises(UsageError, match="an embedding model cannot answer"):
        build_similarity(sample, IMAGE)
