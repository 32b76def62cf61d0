"""`vlbench check` as a shell sees it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Protocol

import pytest

from vlbench.engine import check as engine_check
from vlbench.media.canary import Canaries
from vlbench.simulator.exchange import Asked
from vlbench.simulator.scenario import Scenario
from vlbench.simulator.server import Simulator

Serve = Callable[[Scenario], Simulator]
NUMBERS = ("111", "222", "333")


class Command(Protocol):
    def __call__(self, *arguments: str) -> CompletedProcess[str]: ...


def seeing(asked: Asked) -> str:
    drawn = {Canaries().draw(number).sha256: number for number in NUMBERS}
    return " ".join(drawn[hashlib.sha256(image).hexdigest()] for image in asked.images)


def test_a_usable_and_a_missing_provider(
    vlbench: Command, served: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine_check, "draw_numbers", lambda: NUMBERS)
    monkeypatch.delenv("XAI_API_KEY", raising=False)
    target = f"local:shapes-eye-1@{served(Scenario(replies=seeing)).url}"

    alone = vlbench("check", "-p", target)
    assert alone.returncode == 0, alone.stdout
    assert "+ two images  it reads 222 and 333" in alone.stdout

    both = vlbench("check", "-p", f"{target},grok", "--format", "json")
    assert both.returncode == 3
    usable, missing = json.loads(both.stdout)
    assert usable["usable"]
    assert [server["model"] for server in usable["servers"]] == ["shapes-eye-1"]
    assert not missing["usable"]
    assert "XAI_API_KEY" in missing["findings"][0]["detail"]


def test_the_built_in_model_says_what_it_cannot_read(
    vlbench: Command, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    (workspace / "providers" / "none.toml").unlink()
    done = vlbench("check")
    assert done.returncode == 0
    assert "reads no digits" in done.stdout


@pytest.mark.parametrize(("text", "ok"), [("90", True), ("1h", True), ("soon", False), ("-1", False)])
def test_durations(vlbench: Command, text: str, ok: bool) -> None:
    done = vlbench("check", "-p", "nobody", "--wait", text)
    assert done.returncode == (3 if ok else 2)
