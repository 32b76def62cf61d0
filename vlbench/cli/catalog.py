"""`vlbench catalog`: are the entries in order?"""

from __future__ import annotations

import click


@click.group(short_help="Check the entries of providers/ and prompts/.")
def catalog() -> None:
    """Check the files that describe providers (providers/) and prompts (prompts/)."""


@catalog.command(short_help="Check every file.")
def check() -> int:
    """Check every entry that is seen from here; one line for each problem, exit code 2 when there is any."""
    from pathlib import Path

    from vlbench.catalog.load import Catalog

    seen = Catalog.open(Path.cwd())
    problems = seen.check()
    for problem in problems:
        click.echo(problem)
    if problems:
        return 2
    click.echo(f"{len(seen.providers())} providers and {len(seen.profiles())} prompt profiles are in order")
    return 0


@catalog.command(short_help="Print the JSON schema of an entry.")
@click.argument("kind", type=click.Choice(["provider", "prompt"]))
def schema(kind: str) -> None:
    """Print the JSON schema of a provider entry or a prompt profile, for editors."""
    import json

    from vlbench.catalog.entry import ProviderEntry
    from vlbench.catalog.profile import PromptProfile

    model = ProviderEntry if kind == "provider" else PromptProfile
    click.echo(json.dumps(model.model_json_schema(), indent=2))
