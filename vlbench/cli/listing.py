"""`vlbench list`: what can be named in a run."""

from __future__ import annotations

import json

import click

FORMS = ("table", "json", "md")
KINDS = ("providers", "models", "benchmarks", "prompts")


@click.command("list", short_help="List providers, models, benchmarks or prompts.")
@click.argument("kind", type=click.Choice(KINDS))
@click.option("--format", "form", type=click.Choice(FORMS), default="table", show_default=True)
def listing(kind: str, form: str) -> None:
    """List what a run can name: providers, their known models, benchmarks, prompt profiles."""
    from vlbench.cli.listed import ROWS

    rows = ROWS[kind]()
    if form == "json":
        click.echo(json.dumps(rows, indent=2, ensure_ascii=False))
        return
    from vlbench.report.listing import markdown, print_rows

    if form == "md":
        click.echo(markdown(rows), nl=False)
        return
    print_rows(rows)
