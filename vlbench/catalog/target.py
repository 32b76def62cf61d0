"""What a user types to name a model: `provider[:model][+param=value…][@url[|url…]]`."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from vlbench.catalog.places import is_plain_id
from vlbench.catalog.urls import problem_of
from vlbench.errors import UsageError

_FORM = "provider[:model][+param=value…][@url[|url…]]"
_ADDRESSES = re.compile(r"@[A-Za-z][A-Za-z0-9+.-]*://")
_PARAMETER = re.compile(r"\+(?=[A-Za-z][A-Za-z0-9_.-]*=)")


@dataclass(frozen=True, slots=True)
class Target:
    """One target as it was typed. `parameters` keep their texts; `model` is None for the default one."""

    provider: str
    model: str | None = None
    parameters: dict[str, str] = field(default_factory=dict)
    urls: tuple[str, ...] = ()


def parse_target(text: str) -> Target:
    """The parts of a target. Model ids may contain ":", "/", "@" and "+".

    The last "@" before a scheme begins the addresses, the first ":" ends the provider, and a "+" begins a
    parameter only where a name and "=" follow. Raises `UsageError`; its message never repeats an address,
    which may hold a password.
    """
    begins = [match.start() for match in _ADDRESSES.finditer(text)]
    end = begins[-1] if begins else len(text)
    head, addresses = text[:end], text[end + 1 :]
    selector, *assignments = _PARAMETER.split(head)
    if not head.isprintable():
        raise UsageError(f"{_quoted(head)} holds characters that cannot be printed, so it names no model.")
    provider, colon, model = selector.partition(":")
    if not is_plain_id(provider):
        raise UsageError(f"{_quoted(head)} names no provider. A target has the form {_FORM}.")
    if colon and not model:
        raise UsageError(f"{_quoted(head)} ends where the model should stand. A target has the form {_FORM}.")
    urls = tuple(url.rstrip("/") for url in addresses.split("|")) if begins else ()
    for url in urls:
        if problem := problem_of(url):
            raise UsageError(f"An address of target {_quoted(head)} cannot be used: {problem}.")
    return Target(provider, model or None, _parameters(head, assignments), urls)


def _parameters(head: str, assignments: list[str]) -> dict[str, str]:
    parameters: dict[str, str] = {}
    for assignment in assignments:
        name, _, value = assignment.partition("=")
        if not value:
            raise UsageError(f"Parameter {name!r} of target {_quoted(head)} has no value.")
        if name in parameters:
            raise UsageError(f"Target {_quoted(head)} gives parameter {name!r} twice.")
        parameters[name] = value
    return parameters


def _quoted(head: str) -> str:
    """A target without its addresses, as one printable word."""
    return repr(head)
