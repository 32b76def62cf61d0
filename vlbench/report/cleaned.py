"""One place where everything a report shows is made safe to print, so that no renderer can forget to."""

from __future__ import annotations

import dataclasses
from typing import Final, TypeVar, cast

from pydantic import BaseModel

from vlbench.printable import printable

T = TypeVar("T")

LONGEST: Final = 1_000
"""Characters of one text; names, labels and sentences are far shorter."""


def cleaned(value: T) -> T:
    """`value` with every text in it, at any depth, made one line without control or formatting characters."""
    return cast("T", _cleaned(value))


def _cleaned(value: object) -> object:
    # By exact type: members of enumerations are strings too, and are our own words.
    if type(value) is str:
        return printable(value, LONGEST)
    if isinstance(value, tuple):
        return tuple(map(_cleaned, value))
    if isinstance(value, list):
        return list(map(_cleaned, value))
    if isinstance(value, dict):
        return {_cleaned(key): _cleaned(item) for key, item in value.items()}
    if isinstance(value, BaseModel):
        return value.model_copy(
            update={name: _cleaned(getattr(value, name)) for name in type(value).model_fields}
        )
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = (field.name for field in dataclasses.fields(value))
        return dataclasses.replace(value, **{name: _cleaned(getattr(value, name)) for name in fields})
    return value
