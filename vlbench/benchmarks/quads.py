"""Two pictures and two captions as four questions, each about one minimal difference.

The form is Winoground's and VisMin's: each picture asks for its caption, each caption for its picture. The
four are one group, and what each of them is there is its role (`vlbench.scoring.quads` scores by it).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from vlbench.benchmarks.benchmark import Row
from vlbench.types import Sample, Span

REVERSED: Final = "-reversed"
"""At the end of a role: the same question with its two choices in the other order."""

# Texts that a prompt profile may use: `vlbench.catalog.profile` knows these names.
CAPTION, CAPTIONS, OWN_QUESTION = "caption", ("caption_1", "caption_2"), "set_question"

Order = Literal["given", "reversed"]


@dataclass(frozen=True, slots=True)
class QuadQuestions:
    """The questions in the set's own words: of each picture for its caption, of each caption for its picture.

    "" where the set has none.
    """

    text: tuple[str, str] = ("", "")
    image: tuple[str, str] = ("", "")


def quad_samples(
    images: tuple[Span, ...],
    captions: tuple[str, str],
    category: str,
    id: str,
    *,
    questions: QuadQuestions = QuadQuestions(),
    orders: tuple[Order, ...] = ("given",),
    source: str = "",
    problem: str | None = None,
) -> list[Row]:
    """The rows of one sample of two pictures and two captions, picture k being described by caption k.

    `text_0` and `text_1` show one picture and both captions (golds A, B); `image_0` and `image_1` show one
    caption and both pictures (golds First, Second). `category` may be empty; with `id` it is the group's
    name, as ids may start anew in every category. Both `orders` ask everything twice, the second time with
    captions or pictures (and so the golds) the other way round. A `problem`, which is also found here where
    a picture or caption is missing, makes every row unusable.
    """
    group = f"{category}-{id}" if category else id
    problem = problem or _problem(images, captions)
    made: list[Row] = []
    for order in orders:
        turned = order == "reversed"
        for task in ("text", "image"):
            for number in (0, 1):
                question = _about_picture if task == "text" else _about_caption
                role = f"{task}_{number}{REVERSED if turned else ''}"
                facts = {
                    "id": f"{group}-{role}",
                    "group": group,
                    "role": role,
                    "categories": (category, task) if category else (task,),
                    "source": source,
                    "problem": problem,
                }
                sample = question(captions, number, questions, turned).model_copy(update=facts)
                shown = images[number : number + 1] if task == "text" else images[:: -1 if turned else 1]
                made.append(Row(sample, () if problem else shown))
    return made


def _problem(images: tuple[Span, ...], captions: tuple[str, str]) -> str | None:
    if len(images) != 2:
        return f"it has {len(images) or 'no'} picture{'s' * (len(images) != 1)}, not two"
    if not all(text.strip() for text in captions):
        return "a caption is empty"
    if captions[0].strip() == captions[1].strip():
        return "its two captions are the same"
    return None


def _about_picture(captions: tuple[str, str], number: int, own: QuadQuestions, turned: bool) -> Sample:
    shown = captions[::-1] if turned else captions
    texts = dict(zip(CAPTIONS, shown, strict=True))
    # A question in the set's own words names the captions in the set's own order.
    if own.text[number] and not turned:
        texts[OWN_QUESTION] = own.text[number]
    return Sample(
        id="",
        question="Which caption describes the image?",
        options={"A": shown[0], "B": shown[1]},
        gold="AB"[number != turned],
        texts=texts,
    )


def _about_caption(captions: tuple[str, str], number: int, own: QuadQuestions, turned: bool) -> Sample:
    texts = {CAPTION: captions[number]}
    if own.image[number]:
        texts[OWN_QUESTION] = own.image[number]
    return Sample(
        id="",
        question=f'Which image does this caption describe: "{captions[number]}"?',
        options={"First": "the first image", "Second": "the second image"},
        gold=("First", "Second")[number != turned],
        texts=texts,
    )
