"""The README says what the program does."""

from __future__ import annotations

import re

import pytest

from tests import transcripts
from vlbench.cli.commands import COMMANDS


@pytest.mark.parametrize("command", transcripts.commands())
def test_a_transcript_is_what_the_command_prints(command: str) -> None:
    """Written anew by `python -m tests.transcripts`."""
    assert transcripts.shown(command) == transcripts.made(command)


def test_every_command_and_target_named_exists() -> None:
    text = transcripts.README.read_text(encoding="utf-8")
    named = set(re.findall(r"\bvlbench ([a-z]+)\b", text))
    assert named
    assert named <= set(COMMANDS), named - set(COMMANDS)


def test_make_targets_named_exist() -> None:
    text = transcripts.README.read_text(encoding="utf-8")
    makefile = (transcripts.README.parent / "Makefile").read_text(encoding="utf-8")
    named = set(re.findall(r"^ {4}make ([a-z-]+)", text, flags=re.MULTILINE))
    assert {"demo", "test"} <= named
    assert named <= set(re.findall(r"^([a-z-]+):", makefile, flags=re.MULTILINE))
