"""Replies that were cut off are asked again with more room, in the run they belong to."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Protocol

from vlbench.simulator.exchange import Asked, Said, Step
from vlbench.simulator.scenario import Scenario
from vlbench.simulator.server import Simulator
from vlbench.store.manifest import Manifest, Retried
from vlbench.store.run_dir import list_runs

Serve = Callable[[Scenario], Simulator]
SAMPLES = 6


class Command(Protocol):
    def __call__(self, *arguments: str) -> CompletedProcess[str]: ...


class Wordy:
    """Needs 5,000 tokens for every second question."""

    def __init__(self) -> None:
        self.limits: list[int] = []
        self.questions: list[str] = []

    def __call__(self, asked: Asked) -> Step:
        limit = asked.fields["max_tokens"]
        assert isinstance(limit, int)
        self.limits.append(limit)
        if asked.text not in self.questions:
            self.questions.append(asked.text)
        is_hard = self.questions.index(asked.text) % 2 == 1
        return Said("Let me think", finish="length") if is_hard and limit < 5000 else "Answer: A"


def outcomes(run: Path) -> list[str]:
    events = [json.loads(line) for line in (run / "journal.jsonl").read_bytes().splitlines()]
    return [event["answer"]["outcome"] for event in events if event["event"] == "reply"]


def test_only_what_was_cut_off_is_asked_again(vlbench: Command, workspace: Path, served: Serve) -> None:
    model = Wordy()
    target = f"local:shapes-eye-1+tag=t@{served(Scenario(replies=model)).url}"
    words = ("run", "shapes", "-p", target, "-n", str(SAMPLES), "--conditions", "image", "--ui", "none")
    assert vlbench(*words).returncode == 0
    (run,) = list_runs(workspace / "runs")
    first = outcomes(run.path)
    cut = first.count("truncated")
    assert 0 < cut < SAMPLES

    done = vlbench("resume", "--retry", "truncated", "--max-tokens", "8000", "--ui", "none")

    assert done.returncode == 0, done.stderr
    assert outcomes(run.path)[SAMPLES:] == ["answered"] * cut
    assert model.limits == [4096] * SAMPLES + [8000] * cut
    manifest = Manifest.load(run.manifest_path)
    assert manifest.retried == (Retried(kinds=("truncated",), max_output_tokens=8000),)

    # The run goes on as what it was: nothing is left, and no other limit is remembered.
    assert vlbench(*words).returncode == 0
    assert vlbench("resume", "--ui", "none").returncode == 0
    assert len(model.limits) == SAMPLES + cut
    assert len(list_runs(workspace / "runs")) == 1
    assert Manifest.load(run.manifest_path).retried == manifest.retried


def test_a_limit_for_nothing_is_refused(vlbench: Command) -> None:
    done = vlbench("resume", "--max-tokens", "8000")
    assert done.returncode == 2
    assert "--retry truncated" in done.stderr


def test_retrying_with_another_limit_names_the_command_for_it(vlbench: Command) -> None:
    done = vlbench("run", "shapes", "-n", "2", "--retry", "truncated", "--max-tokens", "9000", "--ui", "none")
    assert done.returncode == 2
    assert "vlbench resume RUN --retry truncated --max-tokens 9000" in done.stderr
