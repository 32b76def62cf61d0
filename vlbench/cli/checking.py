"""Doing what `vlbench check` asks for."""

from __future__ import annotations

import json
import os
import sys
from functools import partial
from pathlib import Path

import anyio
import click

from vlbench.adapters.adapter import Adapter
from vlbench.adapters.registry import adapter_for
from vlbench.catalog.keys import key_for, read_dotenv
from vlbench.catalog.load import Catalog
from vlbench.cli.run_options import names_in
from vlbench.engine.asked import BUILT_IN, Asked, resolve_all
from vlbench.engine.check import Checked, check
from vlbench.engine.options import RunOptions
from vlbench.engine.servers import facts_of, remember
from vlbench.errors import UsageError
from vlbench.store.workspace import Workspace

FAILED = 3
_MARKS = {"ok": "+", "failed": "x", "unknown": "?"}


def check_all(providers: tuple[str, ...], *, wait_s: float, form: str, trust: bool) -> int:
    """Check every target and print what was found; 0 when all can be used, else 3."""
    catalog = Catalog.open(Path.cwd(), trust=trust)
    targets = names_in(providers) or _with_keys(catalog)
    found = anyio.run(partial(_check_all, targets, catalog, wait_s))
    cache_dir = Workspace.find(Path.cwd(), os.environ).cache_dir
    for checked in found:
        remember(facts_of(checked.servers), cache_dir)
    if form == "json":
        click.echo(json.dumps([_as_json(checked) for checked in found], indent=2, ensure_ascii=False))
    else:
        _print(found)
    return 0 if all(checked.is_usable for checked in found) else FAILED


async def _check_all(targets: tuple[str, ...], catalog: Catalog, wait_s: float) -> list[Checked]:
    found: dict[int, Checked] = {}

    async def one(place: int, target: str) -> None:
        found[place] = await _check_one(target, catalog, wait_s)
        print(f"{target}: checked", file=sys.stderr, flush=True)

    async with anyio.create_task_group() as group:
        for place, target in enumerate(targets):
            group.start_soon(one, place, target)
    return [found[place] for place in sorted(found)]


async def _check_one(target: str, catalog: Catalog, wait_s: float) -> Checked:
    try:
        (asked,) = resolve_all(RunOptions(providers=(target,)), catalog, os.environ, Path.cwd())
        adapter = _adapter_of(asked)
    except UsageError as error:
        checked = Checked(target)
        checked.add("target", "failed", str(error))
        return checked
    return await check(asked, adapter, wait_s=wait_s)


def _adapter_of(asked: Asked) -> Adapter:
    if asked.entry.built_in:
        from vlbench.simulator.built_in import BuiltInAdapter

        return BuiltInAdapter(asked.entry)
    return adapter_for(asked.entry, asked.variant.urls, asked.key.get_secret_value() if asked.key else None)


def _with_keys(catalog: Catalog) -> tuple[str, ...]:
    """Providers that have a default model and whose key is set; the built-in model when there is none."""
    found = []
    for entry in catalog.providers():
        if entry.default_model and entry.key_required and entry.key_variables:
            dotenv = read_dotenv(Path.cwd() / ".env", entry.key_variables)
            try:
                key_for(entry, os.environ, dotenv)
            except UsageError:
                continue
            found.append(entry.id)
    return tuple(found) or (BUILT_IN,)


def _print(found: list[Checked]) -> None:
    from vlbench.report.cleaned import cleaned

    for checked in found:
        click.echo(f"{cleaned(checked.target)}: {'usable' if checked.is_usable else 'not usable'}")
        width = max((len(finding.what) for finding in checked.findings), default=0)
        for finding in checked.findings:
            click.echo(f"  {_MARKS[finding.state]} {finding.what:<{width}}  {cleaned(finding.detail)}")


def _as_json(checked: Checked) -> dict[str, object]:
    return {
        "target": checked.target,
        "usable": checked.is_usable,
        "findings": [
            {"what": finding.what, "state": finding.state, "detail": finding.detail}
            for finding in checked.findings
        ],
        "servers": [facts.model_dump() for facts in facts_of(checked.servers)],
    }
