"""`vlbench import`: predictions of other tools become a finished run."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

if TYPE_CHECKING:
    from vlbench.engine.importing.formats import FormatName
    from vlbench.types import Show


@click.command(name="import", short_help="Take predictions of other tools in as a finished run.")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--benchmark", required=True, metavar="NAME", help="The benchmark that was predicted.")
@click.option(
    "--format",
    "form",
    type=click.Choice(("auto", "vlmevalkit", "lmms-eval", "vismin", "similarities")),
    default="auto",
    show_default=True,
    help="The tool that wrote the file.",
)
@click.option("--model", metavar="NAME", help="The model; default: as the file's name has it.")
@click.option(
    "--data",
    type=click.Path(path_type=Path),
    help="The benchmark's own file, for questions and answers that the predictions lack; by default they are "
    "taken from where a run takes them.",
)
@click.option(
    "--shown",
    type=click.Choice(("image", "text", "grey")),
    default="image",
    show_default=True,
    help="How the model was shown the samples.",
)
@click.option(
    "--reader",
    default="strict",
    show_default=True,
    metavar="NAME",
    help="Who reads the answers: strict, official, …",
)
@click.option("--name", metavar="NAME", help="Name of the run's directory.")
def import_(
    file: Path,
    benchmark: str,
    form: str,
    model: str | None,
    data: Path | None,
    shown: Show,
    reader: str,
    name: str | None,
) -> None:
    """Take predictions of VLMEvalKit (xlsx, TSV, CSV), lmms-eval (samples JSONL) or VisMin's authors (CSV),
    or the similarities of an embedding model with a set of pairs (CSV), in as a finished run.

    The run is scored and reported like any other; its name is printed. Nothing is sent.
    """
    from vlbench.cli.progress import tell_progress
    from vlbench.engine.importing.imported import ImportOptions, import_predictions
    from vlbench.scoring.readers.registry import reader_for
    from vlbench.store.workspace import Workspace

    workspace = Workspace.find(Path.cwd(), os.environ)

    chosen = None if form == "auto" else cast("FormatName", form)
    options = ImportOptions(
        benchmark=benchmark,
        form=chosen,
        model=model,
        data=data,
        cache_dir=workspace.cache_dir,
        show=shown,
        reader=reader_for(benchmark, reader).name,
        name=name,
    )
    directory = import_predictions(file, options, workspace.runs_dir, tell_progress)
    print(directory.name)
    print(f"See it with: vlbench report {directory.name}", file=sys.stderr)
