"""Where the result of a command goes: standard output or a file, whole or not at all."""

from __future__ import annotations

import io
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from vlbench.errors import StoreError
from vlbench.store.atomic import write_atomically
from vlbench.store.run_dir import RunDir, find
from vlbench.store.workspace import Workspace

if TYPE_CHECKING:
    from vlbench.report.data import ReportData
    from vlbench.report.formats import Format

_UNKNOWN_WIDTH = 100


def runs_dir() -> Path:
    """Where the runs of the current workspace are."""
    return Workspace.find(Path.cwd(), os.environ).runs_dir


def chosen_runs(names: Sequence[str]) -> list[RunDir]:
    """The named runs in the order given, each once; the newest when none is named. Raises StoreError."""
    directory = runs_dir()
    found = [find(directory, name) for name in names or (None,)]
    return list(dict.fromkeys(found))


def show_reports(reports: Sequence[ReportData], form: Format, output: Path | None) -> None:
    """Print the reports, or write them to `output`. Colour and width are those of the terminal."""
    from vlbench.report.formats import rendered

    on_terminal = output is None and sys.stdout.isatty()
    width = shutil.get_terminal_size((_UNKNOWN_WIDTH, 24)).columns
    colour = on_terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    show_text(rendered(reports, form, width=width, colour=colour), output)


def show_text(text: str, output: Path | None = None) -> None:
    """Print `text`, or write it to `output` as UTF-8. Raises StoreError when the file cannot be written."""
    if output is None:
        if isinstance(sys.stdout, io.TextIOWrapper):
            # A terminal or pipe that knows no UTF-8 must not cost the result: it gets question marks.
            sys.stdout.reconfigure(errors="replace")
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    if output.is_dir():
        raise StoreError(f"{output} is a directory. Name a file in it with --output.")
    if not output.parent.is_dir():
        raise StoreError(f"Cannot write {output}: there is no directory {output.parent}. Make it first.")
    write_atomically(output, [text.encode(errors="replace")])
    print(f"written to {output}", file=sys.stderr)
