"""Pictures beside the text: labels, reversed order, and two as one."""

from __future__ import annotations

import pytest

from vlbench.catalog.entry import ImageRules, ProviderEntry
from vlbench.catalog.profile import PromptProfile, Wording
from vlbench.errors import UsageError
from vlbench.media.combine import combined_of
from vlbench.media.grey import grey_of
from vlbench.prompting.messages import build
from vlbench.prompting.pictures import arranged, image_label
from vlbench.types import Condition, ImagePart, ImageRef, Sample, TextPart

LETTERS = Wording(
    template="{question}", image_label="Image {letter}:", combined_label="{first} over {second}"
)
BARE = Wording(template="{question}", image_label="")

Pictures = tuple[ImageRef, ImageRef]


def told(parts: tuple[TextPart | ImagePart, ...], pictures: Pictures) -> list[str | int]:
    """Texts as they are, pictures by number."""
    return [part.text if isinstance(part, TextPart) else pictures.index(part.image) for part in parts]


def test_labels_are_numbers_letters_or_ordinals() -> None:
    assert image_label("Image {number}:", 2) == "Image 2:"
    assert image_label("Image {letter}:", 2) == "Image B:"
    assert image_label("{ordinal} image:", 2) == "Second image:"


def test_swapped_pictures_keep_their_labels(pictures: Pictures) -> None:
    plain = arranged("q", pictures, LETTERS, swapped=False, most=None)
    swapped = arranged("q", pictures, LETTERS, swapped=True, most=None)
    assert told(plain, pictures) == ["Image A:", 0, "Image B:", 1, "q"]
    assert told(swapped, pictures) == ["Image B:", 1, "Image A:", 0, "q"]


def test_pictures_without_labels_are_not_swapped(pictures: Pictures) -> None:
    with pytest.raises(UsageError, match="without labels"):
        arranged("q", pictures, BARE, swapped=True, most=None)
    assert told(arranged("q", pictures[:1], BARE, swapped=True, most=None), pictures) == [0, "q"]


def test_two_pictures_become_one_where_the_server_takes_one(pictures: Pictures) -> None:
    label, picture, words = arranged("q", pictures, LETTERS, swapped=False, most=1)
    assert (label, words) == (TextPart("A over B"), TextPart("q"))
    assert picture == ImagePart(combined_of(*pictures, "vertical"))
    label, picture, _ = arranged("q", pictures, LETTERS, swapped=True, most=1)
    assert label == TextPart("B over A")
    assert picture == ImagePart(combined_of(pictures[1], pictures[0], "vertical"))


def test_the_layout_is_the_wordings(pictures: Pictures) -> None:
    side_by_side = BARE.model_copy(update={"combine": "horizontal"})
    picture, _ = arranged("q", pictures, side_by_side, swapped=False, most=1)
    assert picture == ImagePart(combined_of(*pictures, "horizontal"))


def test_more_pictures_than_the_server_takes_are_refused(pictures: Pictures) -> None:
    with pytest.raises(UsageError, match="shows 3 pictures and the server takes 2"):
        arranged("q", (*pictures, pictures[0]), LETTERS, swapped=False, most=2)


def test_grey_pictures_are_combined_too(pictures: Pictures) -> None:
    entry = ProviderEntry(id="v", name="V", wire="chat", images=ImageRules(max_count=1))
    profile = PromptProfile(benchmark="b", name="n", version=1, title="t", image=LETTERS)
    sample = Sample(id="1", question="q", options={"A": "a", "B": "b"}, gold="A", images=pictures)
    (message,) = build(profile, sample, Condition(show="grey"), base=False, entry=entry, grey=grey_of)
    shown = [part.image for part in message.parts if isinstance(part, ImagePart)]
    assert shown == [combined_of(grey_of(pictures[0]), grey_of(pictures[1]), "vertical")]
