"""A sample for an embedding model: one thing and what it may go with, without a word of prompt."""

from __future__ import annotations

from vlbench.errors import UsageError
from vlbench.types import Condition, ImagePart, ImageRef, Message, Part, Sample, TextPart


def build_similarity(sample: Sample, condition: Condition) -> tuple[Message, ...]:
    """The messages of a quad's question as embeddings answer it.

    The first message holds the picture or the caption the question is about; then comes one message for
    each option, its label and its caption or picture. Raises `UsageError` for a question that is no matter
    of similarity, or pictures that are not shown.
    """
    if condition.show != "image":
        raise UsageError(
            "An embedding model compares captions with pictures, so it can only be asked with the image. Use "
            "--conditions image."
        )
    match sample.role.partition("_")[0], sample.images:
        case "text", (image,):
            return _turns(ImagePart(image), sample, tuple(map(TextPart, sample.options.values())))
        case "image", (ImageRef() as first, ImageRef() as second) if "caption" in sample.texts:
            caption = TextPart(sample.texts["caption"])
            return _turns(caption, sample, (ImagePart(first), ImagePart(second)))
    raise UsageError(
        f"Sample {sample.id!r} does not ask which caption goes with which picture, so an embedding model "
        "cannot answer it. Ask it vismin or a set of pairs."
    )


def _turns(about: Part, sample: Sample, candidates: tuple[Part, ...]) -> tuple[Message, ...]:
    options = zip(sample.options, candidates, strict=True)
    return (
        Message("user", (about,)),
        *(Message("user", (TextPart(label), candidate)) for label, candidate in options),
    )
