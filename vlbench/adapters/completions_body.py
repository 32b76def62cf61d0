"""The body of a Completions request: the messages as one text to be continued."""

from __future__ import annotations

from pydantic import JsonValue

from vlbench.adapters.adapter import ImageBytes
from vlbench.adapters.body import Body, Shape, dumps, refuse_ours, settled
from vlbench.catalog.entry import ProviderEntry
from vlbench.errors import NoImageSupport, UsageError
from vlbench.types import Decoding, Message, Request, TextPart

# Between two worked examples, and where the model is stopped: it would invent the next question.
BLOCK_END = "\n\n"
_OURS = frozenset({"model", "prompt", "stream", "stream_options", "n", "best_of", "echo", "suffix"})


def shape_of(entry: ProviderEntry, model: str) -> Shape:
    """What the catalog says of `model`."""
    return Shape.of(entry, model, limit_field="max_tokens")


def build_body(request: Request, shape: Shape, images: ImageBytes) -> Body:
    """The complete body for `request`. Equal requests give equal bytes.

    Raises `NoImageSupport` for a request with a picture, before anything is sent, and `UsageError` for an
    `extra` field that would change how the reply is sent, or an effort, which no base model has.
    """
    decoding = request.decoding
    if request.images:
        raise NoImageSupport(
            f"{request.model} is asked through the completions format, which has no pictures: it can be the "
            "text-only base (--base), or be asked under the condition text."
        )
    if decoding.effort is not None:
        raise UsageError("The completions format has no reasoning effort; leave it out for this model.")
    refuse_ours(decoding, _OURS)
    fields, adjustments = settled(_fields(decoding, shape), decoding.extra, shape)
    body = {"model": request.model, "prompt": prompt_of(request.messages), **fields}
    return Body(dumps(body), tuple(adjustments))


def prompt_of(messages: tuple[Message, ...]) -> str:
    """The messages as blocks with a blank line between: a question, and its answer on the line below.

    The text ends where the last answer is to begin. No words are added: the prompt profile has them all.
    """
    text = ""
    for message in messages:
        said = "\n".join(p.text for p in message.parts if isinstance(p, TextPart))
        # Where a template ends in line breaks or blanks, the answer would not begin as those of the examples.
        said = said.rstrip()
        text += said + ("\n" if message.role == "user" else BLOCK_END)
    return text


def _fields(decoding: Decoding, shape: Shape) -> dict[str, JsonValue]:
    return {
        shape.limit_field: decoding.max_output_tokens,
        "temperature": decoding.temperature,
        "top_p": decoding.top_p,
        "seed": decoding.seed,
        "stop": [BLOCK_END] if decoding.stop is None else list(decoding.stop) or None,
    }
