"""The pictures of a question beside its text: in which order, with which labels, apart or as one."""

from __future__ import annotations

from typing import Final

from vlbench.catalog.profile import Wording
from vlbench.errors import UsageError
from vlbench.media.combine import combined_of
from vlbench.prompting.interleave import interleaved, marked
from vlbench.types import ImagePart, ImageRef, Part, TextPart

_ORDINALS: Final = ("First", "Second", "Third", "Fourth", "Fifth", "Sixth", "Seventh", "Eighth")


def arranged(
    text: str, images: tuple[ImageRef, ...], wording: Wording, *, swapped: bool, most: int | None
) -> tuple[Part, ...]:
    """Text and pictures in the wording's order; each of several pictures follows its label.

    `swapped` shows the pictures in reverse; labels stay with their pictures, so that what a question says of
    image A stays true. `most` is how many pictures the server takes in a request, None for any number; two
    become one where it takes a single one. Raises `UsageError` for more than can be sent, and for pictures
    without labels in reverse.
    """
    as_one = most == 1 and len(images) == 2
    if (
        swapped
        and len(images) > 1
        and "{" not in ((wording.combined_label or "") if as_one else wording.image_label)
    ):
        raise UsageError(
            "The prompt profile shows pictures without labels, so in reverse order the question would have "
            "another answer. Leave the condition swapped out, or choose a profile with labels."
        )
    numbered = list(enumerate(images, start=1))
    if swapped:
        numbered.reverse()
    pictures: list[Part] = []
    words: tuple[Part, ...] = (TextPart(text),)
    if as_one:
        (first, one), (second, other) = numbered
        label = (wording.combined_label or "").replace("{first}", letter(first))
        if label:
            pictures.append(TextPart(label.replace("{second}", letter(second))))
        pictures.append(ImagePart(combined_of(one, other, wording.combine or "vertical")))
    elif most is not None and len(images) > most:
        raise UsageError(
            f"A question shows {len(images)} pictures and the server takes {most} in a request "
            "(images.max_count of its entry). Ask another model, or leave the question out with --ids."
        )
    else:
        shown = {number: _labelled(number, image, len(images), wording) for number, image in numbered}
        inside = marked(text) if wording.marks == "place" else frozenset()
        pictures += [part for number, parts in shown.items() if number not in inside for part in parts]
        words = interleaved(text, {number: shown[number] for number in inside & shown.keys()})
    return (*pictures, *words) if wording.images == "before" else (*words, *pictures)


def _labelled(number: int, image: ImageRef, count: int, wording: Wording) -> tuple[Part, ...]:
    """A picture behind its label, which the only picture of a question has not."""
    if count > 1 and wording.image_label:
        return TextPart(image_label(wording.image_label, number)), ImagePart(image)
    return (ImagePart(image),)


def image_label(template: str, number: int) -> str:
    """The label of the picture `number` (from 1): its number, its letter or its ordinal in `template`."""
    ordinal = _ORDINALS[number - 1] if number <= len(_ORDINALS) else f"{number}th"
    text = template.replace("{number}", str(number)).replace("{letter}", letter(number))
    return text.replace("{ordinal}", ordinal)


def letter(number: int) -> str:
    """A for 1, B for 2, …; the number itself beyond Z."""
    return chr(ord("A") + number - 1) if number <= 26 else str(number)
