"""`vlbench read`: how one answer is read, and why; or a stream of them."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

import click

from vlbench.errors import UsageError

if TYPE_CHECKING:
    from vlbench.scoring.readers.reader import Reader
    from vlbench.types import Answer, Finish

# An option's text may hold commas: only one before "label=" ends it.
_NEXT_OPTION: Final = re.compile(r",\s*(?=[^\s,=]{1,20}=)")
_FINISHES: Final[dict[str, Finish]] = {
    "stop": "stop",
    "length": "length",
    "refused": "refused",
    "blocked": "blocked",
}


@click.command(short_help="Explain how one answer is read.")
@click.argument("text")
@click.option("--options", metavar="A=…,B=…", help="The question's labels and option texts.")
@click.option(
    "--reader", "name", default="strict", show_default=True, metavar="NAME", help="strict, vlmevalkit, …"
)
@click.option("--cut", is_flag=True, help="The reply was cut off at the output limit.")
def read(text: str, options: str | None, name: str, cut: bool) -> int:
    """Explain how one answer is read: the label, the rule that found it, and the words it rests on.

    TEXT `-` reads JSON lines from standard input, each `{"options": {"A": "…"}, "output": "…"}` (with
    "finish": "length" for a reply that was cut off), and writes one line for each: label or null, outcome,
    rule, span, reason. A line that cannot be read gets an object with "error" and "line"; the exit code is
    then 2.
    """
    from vlbench.scoring.readers.registry import reader

    chosen = reader(name)
    if text == "-":
        return _stream(chosen)
    if options is None:
        raise UsageError("The question's options are needed: vlbench read --options A=Cat,B=Dog TEXT")
    shown = parse_options(options)
    answer = read_answer(chosen, text, shown, "length" if cut else "stop")
    click.echo("\n".join(explained(answer, text, shown, chosen)))
    return 0


def parse_options(given: str) -> dict[str, str]:
    """`A=Cat,B=Dog` as labels and texts. Raises UsageError when it is anything else."""
    found: dict[str, str] = {}
    for part in _NEXT_OPTION.split(given):
        label, equals, text = part.partition("=")
        label = label.strip()
        if not equals or not label:
            raise UsageError(f"--options: {part!r} is no LABEL=TEXT. Write it like A=Cat,B=Dog")
        if label in found:
            raise UsageError(f"--options: the label {label!r} is there twice.")
        found[label] = text.strip()
    return found


def read_answer(reader: Reader, text: str, options: dict[str, str], finish: Finish = "stop") -> Answer:
    """What `reader` finds in a reply of this text."""
    from vlbench.types import Reply

    return reader.read(Reply(text=text, finish=finish), options)


def explained(answer: Answer, text: str, options: dict[str, str], reader: Reader) -> Iterator[str]:
    """One answer for people, a line per fact; texts from outside are made safe to print."""
    from vlbench.printable import printable

    if answer.label is None:
        yield "label    none"
    else:
        yield f"label    {printable(answer.label)} ({printable(options[answer.label])})"
    yield f"outcome  {answer.outcome}" + (", cut off after the answer" if answer.cut else "")
    if answer.also:
        yield f"also     {printable(', '.join(answer.also))} would be credited"
    if answer.rule:
        yield f"rule     {answer.rule}"
    if answer.span is not None:
        start, end = answer.span
        yield f"span     {start}–{end}: {printable(text[start:end])}"
    if answer.reason:
        yield f"reason   {printable(answer.reason)}"
    yield f"reader   {reader.id}"


def _stream(reader: Reader) -> int:
    """Answer line by line, so that a program may talk with us through pipes."""
    failed = 0
    for line in answers(reader, sys.stdin.buffer):
        failed += "error" in line
        # ASCII alone: a label is text from outside, and this may be a terminal.
        sys.stdout.write(json.dumps(line) + "\n")
        sys.stdout.flush()
    if failed:
        print(f"vlbench: {failed:,} lines could not be read; see their errors.", file=sys.stderr)
    return 2 if failed else 0


def answers(reader: Reader, lines: Iterable[bytes]) -> Iterator[dict[str, object]]:
    """One object for each line that is not blank: an answer, or what is wrong with the line."""
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            text, options, finish = _question(line)
        except ValueError as error:
            yield {"error": str(error), "line": number}
            continue
        answer = read_answer(reader, text, options, finish)
        yield {
            "label": answer.label,
            "outcome": str(answer.outcome),
            "rule": answer.rule,
            "span": list(answer.span) if answer.span else None,
            "reason": answer.reason,
        }


def _question(line: bytes) -> tuple[str, dict[str, str], Finish]:
    """The parts of one line. Raises ValueError saying what is wrong with it."""
    try:
        given = json.loads(line.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise ValueError("the line is not UTF-8") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"the line is not JSON: {error.msg} at character {error.pos + 1}") from None
    except RecursionError:
        raise ValueError("the line is nested too deeply") from None
    if not isinstance(given, dict):
        raise ValueError('the line is no object like {"options": {"A": "Cat"}, "output": "A"}')
    options, text, finish = given.get("options"), given.get("output"), given.get("finish", "stop")
    if not isinstance(options, dict) or not options:
        raise ValueError('"options" must be an object of labels and texts, and not empty')
    if not all(isinstance(value, str) for value in options.values()):
        raise ValueError('every text in "options" must be a string')
    if not isinstance(text, str):
        raise ValueError('"output" must be a string')
    if not isinstance(finish, str) or finish not in _FINISHES:
        raise ValueError(f'"finish" must be one of {", ".join(_FINISHES)}')
    return text, options, _FINISHES[finish]
