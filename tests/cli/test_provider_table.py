"""The README's table of providers is what the catalog says today."""

from __future__ import annotations

from pathlib import Path
from subprocess import CompletedProcess
from typing import Protocol

from vlbench.catalog.places import shipped_root

BEGIN, END = "<!-- providers:begin -->\n", "<!-- providers:end -->"


class Command(Protocol):
    def __call__(self, *arguments: str) -> CompletedProcess[str]: ...


def test_the_readme_shows_the_catalog(vlbench: Command, workspace: Path) -> None:
    (workspace / "providers" / "none.toml").unlink()
    table = vlbench("list", "providers", "--format", "md").stdout
    readme = (shipped_root() / "README.md").read_text(encoding="utf-8")
    _, _, after = readme.partition(BEGIN)
    shown, end, _ = after.partition(END)
    assert end
    assert shown == table, "put the output of `vlbench list providers --format md` between the marks"


def test_a_cell_cannot_break_the_table() -> None:
    from vlbench.report.listing import markdown

    assert markdown([{"a": "x|y\nz", "b": "1"}]) == "| a | b |\n| --- | --- |\n| x\\|y z | 1 |\n"
