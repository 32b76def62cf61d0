"""The transcripts of the README: made by running its commands, and compared with what stands there.

`python -m tests.transcripts` writes them anew.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

README = Path(__file__).parent.parent / "README.md"
BLOCK = re.compile(
    r"<!-- transcript:begin (?P<command>[^>]+?) -->\n(?P<shown>.*?)<!-- transcript:end -->", re.DOTALL
)
RUN_NAME = re.compile(r"\b([a-z-]+)-\d{8}-\d{6}-[0-9a-f]{4}\b")
# Of a long output the README shows the parts a reader wants first.
KEPT = ("Complete:", "Accuracy (right", "Multi-modal gain", "Missed and competing", "Text, Image and Group")


def commands() -> list[str]:
    """The commands whose output stands in the README."""
    return [found["command"] for found in BLOCK.finditer(README.read_text(encoding="utf-8"))]


def shown(command: str) -> str:
    """What the README shows for `command`, without the indentation."""
    for found in BLOCK.finditer(README.read_text(encoding="utf-8")):
        if found["command"] == command:
            return re.sub(r"^ {4}", "", found["shown"], flags=re.MULTILINE).strip()
    raise KeyError(command)


def made(command: str) -> str:
    """What `command` prints now, from empty directories, at 100 columns; names of runs without their date."""
    with tempfile.TemporaryDirectory() as folder:
        environ = {
            **os.environ,
            **{f"XDG_{kind}_HOME": f"{folder}/{kind}" for kind in ("DATA", "CACHE", "CONFIG")},
            "COLUMNS": "100",
        }
        done = subprocess.run(
            [sys.executable, "-m", *command.split()],
            cwd=folder, env=environ, capture_output=True, text=True, check=True,
        )  # fmt: skip
    text = RUN_NAME.sub(r"\1-…", done.stdout)
    return f"$ {command}\n\n" + "\n\n".join(_kept(text))


def _kept(text: str) -> list[str]:
    """The tables that are kept, each with its title, without the sentences below it."""
    kept: list[str] = []
    lines = text.splitlines()
    for at, line in enumerate(lines):
        if not line.startswith(KEPT):
            continue
        rest = lines[at + 1 :]
        is_table = len(rest) > 1 and set(rest[1]) == {"─"}
        if not is_table:
            kept.append(line)
            continue
        rows = rest[:2]
        for row in rest[2:]:
            if not re.search(r"\s{2}", row):
                break
            rows.append(row)
        kept.append("\n".join([line, *rows]))
    return kept


def main() -> None:
    """Write every transcript of the README anew."""
    outputs = {command: made(command) for command in commands()}

    def written(found: re.Match[str]) -> str:
        lines = outputs[found["command"]].splitlines()
        body = "".join(f"    {line}".rstrip() + "\n" for line in lines)
        return f"<!-- transcript:begin {found['command']} -->\n{body}<!-- transcript:end -->"

    README.write_text(BLOCK.sub(written, README.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
