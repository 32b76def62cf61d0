"""The options of a row and its gold label, from whatever form they have. Nothing is guessed."""

from __future__ import annotations

from collections.abc import Mapping
from string import ascii_uppercase

from vlbench.benchmarks.embedded_options import read_options
from vlbench.benchmarks.own.columns import Columns
from vlbench.benchmarks.tables.literals import as_text, parsed

_LONGEST_LABEL = 20


def options_of(cells: Mapping[str, str], columns: Columns) -> tuple[dict[str, str], bool]:
    """Options by label, and whether the question's text lists them already.

    A list and columns of longer names get the labels A, B, …; a table has its own. Raises `ValueError` saying
    what is wrong.
    """
    if columns.letters:
        found = {
            name if len(name) == 1 else letter: cells[name]
            for letter, name in zip(ascii_uppercase, columns.letters, strict=False)
            if name in cells
        }
    else:
        found = _listed(cells.get(columns.options, ""))
    embedded = read_options(cells.get(columns.question, ""), ascii_uppercase)
    if found:
        return _checked(found), _stripped(found) == _stripped(embedded)
    if embedded:
        return embedded, True
    raise ValueError(
        "it has no options: give them in columns A, B, … or as a list in a column options"
        if columns.letters or columns.options
        else "no options were found in its question or columns"
    )


def gold_of(cells: Mapping[str, str], columns: Columns, options: Mapping[str, str]) -> str:
    """The label of the right option, from a label, an option's text or a number that counts from 0.

    A label comes before a text: options can be single letters. Raises `ValueError` saying what is wrong.
    """
    if number := cells.get(columns.answer_number, "").strip():
        if number.isascii() and number.isdigit() and len(number) < 4 and int(number) < len(options):
            return list(options)[int(number)]
        raise ValueError(f"its answer number {number[:20]!r} is not one from 0 to {len(options) - 1}")
    answer = cells.get(columns.answer, "")
    if not answer.strip():
        raise ValueError("its answer is empty")
    if answer.strip() in options:
        return answer.strip()
    same = [label for label, text in options.items() if text.strip() == answer.strip()]
    if len(same) == 1:
        return same[0]
    if same:
        raise ValueError(f"its answer is the text of the options {' and '.join(same)}: give the label")
    shown = ", ".join(options)
    hint = " (a number that counts from 0 goes into a column answer_index)" if answer.isdigit() else ""
    raise ValueError(f"its answer {answer[:40]!r} is neither a label ({shown}) nor an option's text{hint}")


def _stripped(options: Mapping[str, str]) -> dict[str, str]:
    return {label: text.strip() for label, text in options.items()}


def _listed(text: str) -> dict[str, str]:
    if not text.strip():
        return {}
    found = parsed(text)
    if isinstance(found, dict):
        return {label: as_text(value) for label, value in found.items()}
    if found is None:
        raise ValueError(f"its options {text[:40]!r} are not a list")
    if len(found) > len(ascii_uppercase):
        raise ValueError(f"it has {len(found)} options, more than there are letters")
    return {ascii_uppercase[place]: as_text(value) for place, value in enumerate(found)}


def _checked(options: dict[str, str]) -> dict[str, str]:
    if len(options) < 2:
        raise ValueError("it has a single option")
    if len({label.casefold() for label in options}) < len(options):
        raise ValueError("two of its labels differ in nothing but capital letters")
    for label, text in options.items():
        if not label.isprintable() or not 0 < len(label) <= _LONGEST_LABEL or label != label.strip():
            raise ValueError(f"its label {label[:40]!r} is no short word")
        if not text.strip():
            raise ValueError(f"its option {label} is empty")
    return options
