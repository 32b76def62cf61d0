"""Running the command line, and how it ends. Nothing heavy is imported before that is set up."""

from __future__ import annotations

import errno
import io
import os
import signal
import sys
from contextlib import suppress
from types import FrameType

UNEXPECTED = 1
USAGE = 2
INTERRUPTED = 130


def main() -> None:
    """Run the command line. Errors made for the user are one paragraph on stderr, never a traceback.

    An interrupt (SIGINT, SIGTERM) before a run listens for it itself ends as one of a run does: with 130, and
    with nothing half-done that could not be gone on with.
    """
    interrupts: list[int] = []

    def interrupt(number: int, frame: FrameType | None) -> None:
        interrupts.append(number)
        sys.unraisablehook = lambda unraisable: None  # half-made objects complain when they go
        raise KeyboardInterrupt

    try:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, interrupt)
        _mend_streams()
        code = _run()
    except BaseException as error:
        # Libraries, while they are imported, wrap an interrupt into errors of their own.
        if not interrupts and not isinstance(error, KeyboardInterrupt):
            raise
        code = INTERRUPTED
    if interrupts:
        with suppress(OSError):
            print("vlbench: interrupted.", file=sys.stderr)
    sys.exit(code)


def _run() -> int:
    import click

    from vlbench.cli.commands import group

    try:
        status = group.main(prog_name="vlbench", standalone_mode=False)
        # Here, because what fails when Python itself ends can only be told by a traceback.
        sys.stdout.flush()
    except click.exceptions.Abort:
        return INTERRUPTED
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except OSError as error:
        return _refused(error)
    except Exception as error:
        from vlbench.errors import VlbenchError

        if not isinstance(error, VlbenchError):
            raise
        print(f"vlbench: {error}", file=sys.stderr)
        return error.exit_code
    return status if isinstance(status, int) else 0


def _refused(error: OSError) -> int:
    """Say what the system refused, where no command had better words for it; the exit code."""
    try:
        sys.stdout.flush()
    except OSError:
        # It was this stream, and what is in its buffer would fail once more when Python ends.
        _let_go_of_stdout()
    if not isinstance(error, BrokenPipeError):
        from vlbench.printable import printable

        reason = error.strerror or type(error).__name__
        where = f" for {printable(str(error.filename), 200)!r}" if error.filename is not None else ""
        print(f"vlbench: The system refused: {reason}{where}. Mend that, then try again.", file=sys.stderr)
    return USAGE if error.errno == errno.ENAMETOOLONG else UNEXPECTED


def _let_go_of_stdout() -> None:
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def _mend_streams() -> None:
    """Give closed standard streams a place to go, and take what cannot be printed as question marks.

    A job without standard error would otherwise write its messages into the first file it opens.
    """
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 -- for all its life
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
