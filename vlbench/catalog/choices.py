"""Choices that mean the same everywhere and are said differently to every provider: `+thinking=off`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pydantic import JsonValue

from vlbench.catalog.entry import Choices, ProviderEntry
from vlbench.catalog.layers import layered
from vlbench.catalog.parameters import FIELDS, json_scalar
from vlbench.errors import UsageError
from vlbench.types import Decoding

ANY: Final = "*"
VALUE: Final = "{value}"
NAMES: Final = ("thinking", "thinking-budget", "min-pixels", "max-pixels")
"""Names that always are choices. Others, `effort` among them, are where an entry has a table of them."""


def chosen(
    parameters: Mapping[str, str], entry: ProviderEntry, model: str, owner: str
) -> tuple[Decoding, dict[str, str]]:
    """What the choices among `parameters` mean for `model`, and the parameters that are none.

    Raises `UsageError`, listing what the entry knows, for a choice or a value it does not.
    """
    _check_required(parameters, entry, model, owner)
    return _taken(parameters, entry, model, owner)


def _taken(
    parameters: Mapping[str, str], entry: ProviderEntry, model: str, owner: str
) -> tuple[Decoding, dict[str, str]]:
    known = entry.choices(model)
    decoding, rest = Decoding(), {}
    for typed, value in parameters.items():
        name = typed.replace("_", "-")
        if name not in NAMES and name not in known:
            rest[typed] = value
            continue
        one = _meaning(known.get(name, {}), value)
        if one is None:
            offer = _offer(known, name, model)
            raise UsageError(f"{owner}: {entry.id} does not know {name}={value}. {offer}")
        decoding = layered(one, decoding)
    return decoding, rest


def flags_chosen(flags: Decoding, entry: ProviderEntry, model: str) -> Decoding:
    """The flags of a run with what its choices mean for `model`. Raises `UsageError` as `chosen` does."""
    typed = {
        name: str(value)
        for name, field in FIELDS.items()
        if name in entry.choices(model) and (value := getattr(flags, field)) is not None
    }
    if not typed:
        return flags
    decoding, _ = _taken(typed, entry, model, f"The options for {entry.id}:{model}")
    return layered(decoding, flags.model_copy(update={FIELDS[name]: None for name in typed}))


def _check_required(parameters: Mapping[str, str], entry: ProviderEntry, model: str, owner: str) -> None:
    given = {name.replace("_", "-") for name in parameters}
    for name in entry.required_choices:
        if name not in given:
            raise UsageError(
                f"{owner} does not say {name}: write {entry.id}:{model}+{name}=VALUE. {_line(entry.notes)}"
            )


def _meaning(values: Mapping[str, Decoding], value: str) -> Decoding | None:
    if value in values:
        return values[value]
    if ANY not in values:
        return None
    template = values[ANY]
    filled = _filled(template.extra, json_scalar(value))
    return template.model_copy(update={"extra": filled})


def _filled(template: JsonValue, value: JsonValue) -> JsonValue:
    if template == VALUE:
        return value
    if isinstance(template, dict):
        return {name: _filled(inner, value) for name, inner in template.items()}
    if isinstance(template, list):
        return [_filled(inner, value) for inner in template]
    return template


def _offer(known: Choices, name: str, model: str) -> str:
    if values := known.get(name):
        shown = [value for value in values if value != ANY]
        return f"For {model} it knows {name}={', '.join(shown)}."
    others = ", ".join(
        f"{other}={'|'.join('N' if value == ANY else value for value in values)}"
        for other, values in sorted(known.items())
        if values
    )
    have = f"For {model} it knows {others}. " if others else f"It knows no choices for {model}. "
    return f"{have}A field of the request body itself can be given with --param NAME=VALUE."


def _line(text: str) -> str:
    return " ".join(text.split())
