"""Where a result goes: standard output, or a file that is written whole or not at all."""

from __future__ import annotations

import io
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from vlbench.errors import StoreError
from vlbench.store.atomic import write_atomically
from vlbench.store.run_dir import RunDir

if TYPE_CHECKING:
    from vlbench.report.data import ReportData
    from vlbench.report.formats import Format

_UNKNOWN_SIZE: Final = (100, 24)


def print_run(directory: RunDir) -> None:
    """Print the numbers of one run in short, as it stands when the run ends."""
    from vlbench.report.blocks import brief_blocks_of
    from vlbench.report.report import open_report
    from vlbench.report.terminal import blocks_text

    blocks = brief_blocks_of(open_report(directory))
    show_text(blocks_text(blocks, width=terminal_width(), colour=takes_colour()))
    print(f"The whole report: vlbench report {directory.name}", file=sys.stderr)


def show_reports(reports: Sequence[ReportData], form: Format, output: Path | None = None) -> None:
    """Print the reports, or write them to `output`. Colour and width are those of the terminal."""
    from vlbench.report.formats import rendered

    colour = output is None and takes_colour()
    show_text(rendered(reports, form, width=terminal_width(), colour=colour), output)


def terminal_width() -> int:
    """Columns of the terminal (or of COLUMNS); 100 where there is none."""
    return shutil.get_terminal_size(_UNKNOWN_SIZE).columns


def takes_colour() -> bool:
    """Whether standard output is a terminal that wants colour (https://no-color.org)."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def show_text(text: str, output: Path | None = None) -> None:
    """Print `text`, or write it to `output` as UTF-8. Raises StoreError when the file cannot be written."""
    if output is None:
        if isinstance(sys.stdout, io.TextIOWrapper):
            # A terminal or pipe that knows no UTF-8 must not cost the result: it gets question marks.
            sys.stdout.reconfigure(errors="replace")
        try:
            sys.stdout.write(text)
            sys.stdout.flush()
        except BrokenPipeError:
            raise  # Whoever read the first lines has what they wanted; click ends quietly.
        except OSError as error:
            raise StoreError(
                f"The result cannot be written to standard output: {error.strerror or error}. Free some "
                "space; `vlbench report` shows it again."
            ) from error
        return
    if output.is_dir():
        raise StoreError(f"{output} is a directory. Name a file in it with --output.")
    if not output.parent.is_dir():
        raise StoreError(f"Cannot write {output}: there is no directory {output.parent}. Make it first.")
    content = text.encode(errors="replace")
    if output.exists() and not output.is_file():
        _write_through(output, content)
    else:
        # A link stays one: what it leads to is replaced.
        write_atomically(output.resolve() if output.is_symlink() else output, [content])
    print(f"written to {output}", file=sys.stderr)


def _write_through(output: Path, content: bytes) -> None:
    """Write to a pipe or a device, such as /dev/stdout, which must not be replaced by a file."""
    try:
        with output.open("wb") as file:
            file.write(content)
    except OSError as error:
        raise StoreError(f"Cannot write {output}: {error.strerror or error}.") from error
