"""`vlbench compare`: which of two variants is better, by how much, and whether chance would do as well."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from vlbench.cli.report import FORMATS

if TYPE_CHECKING:
    from vlbench.report.formats import Format


@click.command(short_help="Compare variants of one run or two.")
@click.argument("first", metavar="A")
@click.argument("second", required=False, metavar="[B]")
@click.option("--categories", is_flag=True, help="Compare by category, too.")
@click.option("--reader", metavar="NAME", default="strict", show_default=True,
              help="Read every reply again: strict, official, …")  # fmt: skip
@click.option("-f", "--format", "form", type=click.Choice(FORMATS), default="table", show_default=True)
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="FILE", help="Write to FILE.")
def compare(
    first: str, second: str | None, categories: bool, reader: str, form: Format, output: Path | None
) -> None:
    """Compare the variants of run A with each other, or with those of run B, sample by sample.

    A and B are names of runs, their beginnings, or paths. Variants of two runs are matched by their ids; when
    none match, each of A meets each of B. Only samples that both runs have are compared.
    """
    from vlbench.cli.results import chosen_runs
    from vlbench.errors import UsageError
    from vlbench.report.show import show_text, takes_colour, terminal_width
    from vlbench.report.versus import open_versus
    from vlbench.report.versus_formats import versus_text

    runs = chosen_runs([first] if second is None else [first, second])
    if second is not None and len(runs) == 1:
        raise UsageError(
            f"Both names lead to {runs[0].name}. Its variants are compared by: vlbench compare {runs[0].name}"
        )
    versus = open_versus(runs[0], runs[1] if len(runs) == 2 else None, reader, categories=categories)
    colour = output is None and takes_colour()
    show_text(versus_text(versus, form, width=terminal_width(), colour=colour), output)
