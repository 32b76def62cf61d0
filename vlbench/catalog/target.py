"""What a user types to name a model: `provider[:model][+param=value…][@url[|url…]]`, or `@file:PATH`."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from pathlib import Path

from vlbench.catalog.places import is_plain_id
from vlbench.catalog.urls import normalised, problem_of
from vlbench.errors import UsageError

_FORM = "provider[:model][+param=value…][@url[|url…]]"
_ADDRESSES = re.compile(r"@(?:[A-Za-z][A-Za-z0-9+.-]*://|file:)")
_FILE = "file:"
# Model ids may hold "@" (claude@20250929), but none ends like a server's address.
_BARE_ADDRESS = re.compile(
    r"@(?:localhost|\d{1,3}(?:\.\d{1,3}){3}|\[[0-9A-Fa-f:]+\]|[\w.-]+(?=:\d{2,5}(?:/|$)))(?::\d+)?(?:/|$)"
)
_PARAMETER = re.compile(r"\+(?=[A-Za-z][A-Za-z0-9_.-]*=)")


@dataclass(frozen=True, slots=True)
class Target:
    """One target as it was typed. `parameters` keep their texts; `model` is None for the default one.

    `url_file` is a file with the addresses of the replicas, which `with_addresses` reads.
    """

    provider: str
    model: str | None = None
    parameters: dict[str, str] = field(default_factory=dict)
    urls: tuple[str, ...] = ()
    url_file: str | None = None


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
    if _BARE_ADDRESS.search(selector):
        raise UsageError(
            f"The address of target {_quoted(selector.partition('@')[0])} lacks its beginning: write "
            "@http://host:port/v1 or @https://host/v1."
        )
    provider, colon, model = selector.partition(":")
    if not is_plain_id(provider):
        raise UsageError(f"{_quoted(head)} names no provider. A target has the form {_FORM}.")
    if model.endswith("@"):
        raise UsageError(
            f"{_quoted(head)} ends where the address should stand. A target has the form {_FORM}."
        )
    if colon and not model:
        raise UsageError(f"{_quoted(head)} ends where the model should stand. A target has the form {_FORM}.")
    url_file = addresses.removeprefix(_FILE) if addresses.startswith(_FILE) else None
    urls = tuple(url.rstrip("/") for url in addresses.split("|")) if begins and url_file is None else ()
    if url_file == "":
        raise UsageError(f"Target {_quoted(head)} names no file of addresses after @file:.")
    for url in urls:
        if problem := problem_of(url):
            raise UsageError(f"An address of target {_quoted(head)} cannot be used: {problem}.")
    if len(set(map(normalised, urls))) < len(urls):
        raise UsageError(
            f"Target {_quoted(head)} names one address twice. Name each replica once; --concurrency says how "
            "many requests may be in flight."
        )
    return Target(provider, model or None, _parameters(head, assignments), urls, url_file)


def with_addresses(target: Target, folder: Path) -> Target:
    """The target with the addresses its file lists, one a line, each taken once; "#" begins a comment.

    A relative path is taken from `folder`. Raises `UsageError` naming file and line.
    """
    if target.url_file is None:
        return target
    path = folder / Path(target.url_file).expanduser()
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not a text in UTF-8"
        raise UsageError(f"The file of addresses {path} cannot be read: {reason}.") from None
    urls: dict[str, str] = {}
    for number, line in enumerate(lines, start=1):
        url = line.partition("#")[0].strip().rstrip("/")
        if not url:
            continue
        if problem := problem_of(url):
            raise UsageError(f"{path}:{number}: this address cannot be used: {problem}.")
        urls.setdefault(normalised(url), url)
    if not urls:
        raise UsageError(f"{path} lists no address. Write one a line, such as http://127.0.0.1:8000/v1.")
    return replace(target, urls=tuple(urls.values()), url_file=None)


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
