"""Keys of providers: from the environment or the workspace's `.env`, held in memory only."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from pathlib import Path

from pydantic import SecretStr

from vlbench.catalog.entry import ProviderEntry
from vlbench.errors import UsageError

_ASSIGNMENT = re.compile(r"\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*?)\s*")
_QUOTED = re.compile(r"""(?:'([^']*)'|"((?:[^"\\]|\\.)*)")(?:\s+#.*|\s*)""")
_COMMENT = re.compile(r"(?:^|\s+)#.*")
_ESCAPE = re.compile(r"\\(.)")


def key_for(
    entry: ProviderEntry, environ: Mapping[str, str], dotenv: Mapping[str, SecretStr]
) -> SecretStr | None:
    """The key of a provider: the first of its variables that is set and not empty, environment first.

    None when there is none and none is required. Raises `UsageError` naming the variables when one is
    required, or when what is set cannot be a key.
    """
    for name in entry.key_variables:
        from_file = dotenv.get(name)
        value = environ.get(name, "").strip() or (from_file.get_secret_value() if from_file else "")
        if not value:
            continue
        if not (value.isascii() and value.isprintable()) or " " in value:
            raise UsageError(
                f"The value of {name} cannot be a key of provider {entry.id}: it holds spaces, line ends or "
                "characters that no HTTP header carries. Set it again, without quotes inside."
            )
        return SecretStr(value)
    if not entry.key_required:
        return None
    if not entry.key_variables:
        raise UsageError(
            f"Provider {entry.id} requires a key but its entry names no variable for it. "
            "Add key_variables to the entry, or key_required = false."
        )
    raise UsageError(
        f"Provider {entry.id} needs a key: set {' or '.join(entry.key_variables)} in the environment, or "
        f"write {entry.key_variables[0]}=… into the file .env of the workspace. Nothing was sent."
    )


def read_dotenv(path: Path, names: Collection[str]) -> dict[str, SecretStr]:
    """The variables of `names` that a `.env` file sets and that are not empty; no file gives none.

    Lines are `NAME=value`, with `export` before them or not; values may stand in single quotes (as they are)
    or double ones (a backslash takes the next character as it is); `#` after a space begins a comment. The
    last line of a name holds. Raises `UsageError` for a quote that is not closed, never repeating the value.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not a text in UTF-8"
        raise UsageError(f"{path} cannot be read: {reason}.") from None
    found: dict[str, SecretStr] = {}
    for number, line in enumerate(text.splitlines(), 1):
        match = _ASSIGNMENT.fullmatch(line)
        if match is None or match[1] not in names:
            continue
        value = _value(match[2])
        if value is None:
            raise UsageError(f"{path}:{number}: the quoted value of {match[1]} is not closed on its line.")
        found[match[1]] = SecretStr(value)
    return {name: value for name, value in found.items() if value.get_secret_value()}


def _value(text: str) -> str | None:
    if text[:1] not in ("'", '"'):
        return _COMMENT.sub("", text).strip()
    match = _QUOTED.fullmatch(text)
    if match is None:
        return None
    return match[1] if match[1] is not None else _ESCAPE.sub(r"\1", match[2])
