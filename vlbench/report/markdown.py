"""The report as Markdown tables, ready for a paper's appendix or an issue."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from vlbench.report.blocks import blocks_of, overview
from vlbench.report.data import ReportData
from vlbench.report.layout import Block, Caution, Heading, Note, Table

# What could begin emphasis, code, a link, a tag, an entity, a table cell or a formula.
_SPECIAL = re.compile(r"([\\`*_\[\]<>|~$]|&(?=[#\w]))")
# Addresses and names are made links without any mark around them; as entities these characters stay text.
_LINKING = re.compile(r"(?i)\b(?:https?|ftp)://|\bwww\.|(?<!\w)@|@(?=[\w-]+\.\w)")
_INTERVAL = re.compile(r"\[-?[\d.]+, -?[\d.]+\]")


def markdown_text(reports: Sequence[ReportData]) -> str:
    """The reports as GitHub-flavoured Markdown."""
    blocks = list(overview(reports)) if len(reports) > 1 else []
    blocks += [block for report in reports for block in blocks_of(report)]
    return "\n\n".join("\n".join(block_lines(block)) for block in blocks) + "\n"


def escaped(text: str) -> str:
    """`text` so that Markdown shows it as it is."""
    return _LINKING.sub(_as_entities, _SPECIAL.sub(r"\\\1", text))


def _as_entities(found: re.Match[str]) -> str:
    return "".join(f"&#{ord(char)};" if char in ":.@" else char for char in found[0])


def block_lines(block: Block) -> Iterator[str]:
    match block:
        case Heading(text):
            yield f"## {escaped(text)}"
        case Note(text):
            yield escaped(text)
        case Caution(text):
            yield f"> **Warning:** {escaped(text)}"
        case Table():
            yield from _table(block)


def _table(block: Table) -> Iterator[str]:
    yield f"**{escaped(block.title)}**"
    yield ""
    yield _row(column.name for column in block.columns)
    yield "|" + "|".join("---:" if column.right else "---" for column in block.columns) + "|"
    for row in block.rows:
        yield _row(row)


def _row(cells: Iterator[str] | tuple[str, ...]) -> str:
    return "| " + " | ".join(_cell(cell) for cell in cells) + " |"


def _cell(text: str) -> str:
    """A cell; the indent of a sub-category survives as spaces that do not collapse."""
    if _INTERVAL.fullmatch(text):
        return text  # brackets around numbers make no link, and authors copy these tables
    body = text.lstrip(" ")
    return "&nbsp;" * (len(text) - len(body)) + escaped(body)
