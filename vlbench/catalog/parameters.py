"""Parameters by the names users type (`max-tokens`, `top-p`, any field of a server) as `Decoding`."""

from __future__ import annotations

import difflib
import json
import math
from collections.abc import Mapping

from pydantic import JsonValue, ValidationError

from vlbench.errors import UsageError
from vlbench.types import Decoding

FIELDS = {
    "max-tokens": "max_output_tokens",
    "temperature": "temperature",
    "top-p": "top_p",
    "seed": "seed",
    "effort": "effort",
    "image-detail": "image_detail",
}
_TEXT_FIELDS = {"effort", "image_detail"}
# The request itself: a parameter of this name would replace what vlbench measures with.
_RESERVED = {"model", "messages", "input", "contents", "prompt", "system", "stream", "n"}


def decoding_of(parameters: Mapping[str, str], owner: str) -> Decoding:
    """Decoding from names and texts. `owner` says in an error where they were given.

    Known names become fields; any other goes to `extra` as a JSON scalar where its text is one, else as a
    text, and dots in it nest: `chat_template_kwargs.enable_thinking=false`. Raises `UsageError`.
    """
    fields: dict[str, JsonValue] = {}
    extra: dict[str, JsonValue] = {}
    for name, text in parameters.items():
        if known := FIELDS.get(name.replace("_", "-")):
            if known in fields:
                raise UsageError(f"{owner} gives {name!r} twice, in two spellings.")
            fields[known] = text if known in _TEXT_FIELDS else json_scalar(text)
        else:
            _check_unknown(name, owner)
            _nest(extra, name, json_scalar(text), owner)
    try:
        return Decoding.model_validate({**fields, "extra": extra}, strict=True)
    except ValidationError as error:
        detail = error.errors(include_url=False)[0]
        name = next(typed for typed, known in FIELDS.items() if known == detail["loc"][0])
        raise UsageError(f"{owner}: {name}={parameters_text(parameters, name)}: {detail['msg']}.") from None


def check_extra(extra: Mapping[str, JsonValue], owner: str) -> None:
    """Raise `UsageError` for a field of a run file that is no parameter, or a number JSON cannot write."""
    for name, value in extra.items():
        _check_unknown(name, owner)
        try:
            json.dumps(value, allow_nan=False)
        except ValueError:
            raise UsageError(f"{owner}: {name} holds a number that JSON cannot write, such as nan.") from None


def json_scalar(text: str) -> JsonValue:
    """The number, true, false, null or quoted string that `text` spells in JSON; else `text` itself."""
    try:
        value: JsonValue = json.loads(text)
    except ValueError:
        return text
    # Python's reader takes NaN, Infinity and 1e999, which cannot be written into a request again.
    if isinstance(value, (dict, list)) or (isinstance(value, float) and not math.isfinite(value)):
        return text
    return value


def parameters_text(parameters: Mapping[str, str], name: str) -> str:
    """What was typed for a known parameter, in either spelling."""
    return parameters.get(name) or parameters.get(name.replace("-", "_"), "")


def _check_unknown(name: str, owner: str) -> None:
    if name in _RESERVED:
        raise UsageError(f"{owner}: {name!r} is part of every request and cannot be a parameter.")
    near = difflib.get_close_matches(name.replace("_", "-"), FIELDS, n=1, cutoff=0.88)
    if near:
        raise UsageError(f"{owner}: {name!r} is unknown; did you mean {near[0]!r}?")


def _nest(table: dict[str, JsonValue], dotted: str, value: JsonValue, owner: str) -> None:
    *outer, last = dotted.split(".")
    for name in outer:
        inner = table.setdefault(name, {})
        if not isinstance(inner, dict):
            raise UsageError(f"{owner}: {dotted!r} lies inside {name!r}, which has a value already.")
        table = inner
    if last in table or not all((*outer, last)):
        raise UsageError(f"{owner}: {dotted!r} is no usable name, or has a value already.")
    table[last] = value
