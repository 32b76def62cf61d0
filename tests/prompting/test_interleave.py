"""A picture stands where its mark is, and every word around it stays."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from vlbench.catalog.profile import Wording
from vlbench.prompting.interleave import interleaved, marked
from vlbench.prompting.pictures import arranged
from vlbench.types import Grey, ImageRef, Part, TextPart

PICTURES: dict[int, tuple[Part, ...]] = {1: (TextPart("[one]"),), 2: (TextPart("[two]"),)}


def texts(text: str, pictures: dict[int, tuple[Part, ...]] = PICTURES) -> list[str]:
    return [part.text for part in interleaved(text, pictures) if isinstance(part, TextPart)]


def test_pictures_take_the_place_of_their_marks() -> None:
    assert texts("In <image 2>, not <image 1>?") == ["In ", "[two]", ", not ", "[one]", "?"]
    assert texts("<image 1><image 2>") == ["[one]", "[two]"]


def test_a_second_mark_and_one_without_a_picture_stay_words() -> None:
    assert texts("<image 1> and <image 1> or <image 3>") == ["[one]", " and <image 1> or <image 3>"]
    assert texts("<image> <image_1> <image 1 >") == ["<image> <image_1> <image 1 >"]


def test_marks_are_found_by_their_numbers() -> None:
    assert marked("<image 2> <image 11> <image x>") == {2, 11}


@given(st.lists(st.sampled_from(["<image 1>", "<image 2>", "<image 3>", "word", " ", "<image"]), max_size=12))
def test_no_word_is_lost_and_no_picture_comes_twice(pieces: list[str]) -> None:
    text = "".join(pieces)
    parts = texts(text)
    assert parts.count("[one]") <= 1
    back = "".join({"[one]": "<image 1>", "[two]": "<image 2>"}.get(part, part) for part in parts)
    assert back == text


def picture(name: str) -> ImageRef:
    source = Grey(width=1, height=1)
    return ImageRef(sha256=name, media_type="image/png", width=1, height=1, size=1, source=source)


def shown(parts: tuple[Part, ...]) -> list[str]:
    return [part.text if isinstance(part, TextPart) else part.image.sha256 for part in parts]


def test_a_wording_that_places_pictures_labels_several_and_puts_the_others_first() -> None:
    wording = Wording(template="{question}", marks="place")
    images = (picture("one"), picture("two"), picture("three"))
    parts = arranged("Is <image 2> like <image 3>?", images, wording, swapped=False, most=None)
    assert shown(parts) == [
        "Image 1:", "one", "Is ", "Image 2:", "two", " like ", "Image 3:", "three", "?",
    ]  # fmt: skip
    alone = arranged("In <image 1>?", images[:1], wording, swapped=False, most=None)
    assert shown(alone) == ["In ", "one", "?"]


def test_without_pictures_and_in_other_wordings_marks_are_words() -> None:
    text = "In <image 1>?"
    placing, plain = Wording(template="{question}", marks="place"), Wording(template="{question}")
    assert shown(arranged(text, (), placing, swapped=False, most=None)) == [text]
    assert shown(arranged(text, (picture("one"),), plain, swapped=False, most=None)) == ["one", text]
