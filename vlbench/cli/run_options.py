"""What was typed, over what a run file says, as `RunOptions`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from vlbench.catalog.load import Catalog
from vlbench.catalog.parameters import check_extra, decoding_of
from vlbench.catalog.target import parse_target, with_addresses
from vlbench.cli.run_file import read_run_file
from vlbench.engine.options import Retry, RunOptions
from vlbench.errors import UsageError
from vlbench.types import Decoding, Show

DECODING = {
    "max_tokens": "max_output_tokens",
    "temperature": "temperature",
    "top_p": "top_p",
    "seed": "seed",
    "effort": "effort",
    "image_detail": "image_detail",
}


@dataclass(frozen=True, slots=True)
class AskedRun:
    """The options of a run, and the two that are not of the run itself."""

    options: RunOptions
    ui: str = "auto"
    dry_run: bool = False


def options_of(what: tuple[str, ...], typed: Mapping[str, Any]) -> AskedRun:  # Any: see RunFile
    """The options behind a command line; `typed` holds only what was given, which wins over a run file.

    Raises `UsageError` or `CatalogError`.
    """
    values: dict[str, Any] = {}
    for name in what:
        if name.endswith(".toml"):
            values |= read_run_file(Path(name))
    if not typed.get("trust"):
        _refuse_theft(values)
    values |= typed
    benchmarks = tuple(name for name in what if not name.endswith(".toml"))
    if benchmarks:
        values["benchmarks"] = benchmarks
    ui, dry_run = values.pop("ui", "auto"), values.pop("dry_run", False)
    decoding = _decoding(values)
    return AskedRun(
        RunOptions.model_validate(
            {
                **values,
                "providers": _named(values, "providers"),
                "conditions": _choices(_named(values, "conditions"), "conditions", get_args(Show)) or None,
                "retry": retry_kinds(values.get("retry")),
                "ids": _named(values, "ids"),
                "shots": int(values.get("shots", 0)),
                "decoding": decoding,
            }
        ),
        ui,
        dry_run,
    )


def _refuse_theft(values: Mapping[str, Any]) -> None:
    """A run file may have come with a download: it must not send a known key to an address of its own."""
    catalog = Catalog.open(Path.cwd())
    for text in (*names_in(values.get("providers", ())), *names_in(values.get("base") or ())):
        target = with_addresses(parse_target(text), Path.cwd())
        if target.urls and (
            reason := catalog.foreign_address(catalog.provider(target.provider), target.urls)
        ):
            raise UsageError(
                f"The run file names an address for {target.provider}: {reason}. Type the target on the "
                "command line if you mean it, or allow it with --trust."
            )


def retry_kinds(given: str | tuple[str, ...] | list[str] | None) -> tuple[str, ...]:
    """The outcomes to ask again. Raises `UsageError` for one that cannot be."""
    return _choices(given, "retry", get_args(Retry))


def _decoding(values: dict[str, Any]) -> Decoding:
    """Take the fields of decoding out of `values`."""
    fields = {ours: values.pop(name) for name, ours in DECODING.items() if name in values}
    param = values.pop("param", ())
    if isinstance(param, Mapping):
        check_extra(param, "param")
        return Decoding(**fields, extra=dict(param))
    pairs = {}
    for pair in param:
        name, equals, value = pair.partition("=")
        if not name or not equals:
            raise UsageError(f"--param {pair!r} has not the form name=value.")
        pairs[name] = value
    return Decoding(**fields).over(decoding_of(pairs, "--param"))


def names_in(given: str | tuple[str, ...] | list[str]) -> tuple[str, ...]:
    """Names with commas between them, given once or several times."""
    texts = (given,) if isinstance(given, str) else given
    return tuple(name.strip() for text in texts for name in text.split(",") if name.strip())


def _named(values: Mapping[str, Any], option: str) -> tuple[str, ...]:
    """The names given for an option. Raises `UsageError` for an empty text, often a variable that is not set.

    To take it as "not given" would ask another model, or every sample, at the user's cost.
    """
    given = values.get(option, ())
    names = names_in(given or ())
    if not names and given not in ((), [], None):
        raise UsageError(f"--{option} is empty. Leave it out, or name something.")
    return names


def _choices(
    given: str | tuple[str, ...] | list[str] | None, option: str, allowed: tuple[str, ...]
) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(names_in(given or ())))
    for name in names:
        if name not in allowed:
            raise UsageError(f"--{option} {name!r} is not one of {', '.join(allowed)}.")
    return names
