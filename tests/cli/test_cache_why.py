"""`vlbench cache why`: what a request was nearest to when it was asked."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Protocol

from vlbench.simulator.scenario import Scenario
from vlbench.simulator.server import Simulator
from vlbench.store.run_dir import list_runs

Serve = Callable[[Scenario], Simulator]


class Command(Protocol):
    def __call__(self, *arguments: str) -> CompletedProcess[str]: ...


def _run(vlbench: Command, target: str, *more: str) -> None:
    words = ("run", "shapes", "-p", target, "-n", "1", "--conditions", "image", "--ui", "none", *more)
    done = vlbench(*words)
    assert done.returncode == 0, done.stderr


def test_a_stored_request_that_was_missed_says_what_it_was_nearest_to(
    vlbench: Command, workspace: Path, served: Serve
) -> None:
    target = f"local:shapes-eye-1+tag=t@{served(Scenario()).url}"
    _run(vlbench, target)
    (first,) = list_runs(workspace / "runs")
    sample = json.loads(first.samples_path.read_text(encoding="utf-8").splitlines()[0])["id"]

    said = vlbench("cache", "why", sample)
    assert said.returncode == 0, said.stderr
    assert said.stdout.splitlines()[1:] == [
        "  found: this very request is stored",
        "  not found when it was asked: the cache was empty",
    ]

    _run(vlbench, target, "--temperature", "0.5", "--name", "warmer")
    said = vlbench("cache", "why", sample, "--run", "warmer")
    title, *lines = said.stdout.splitlines()
    key = next(
        event["key"]
        for event in map(json.loads, first.journal_path.read_bytes().splitlines())
        if event["event"] == "reply"
    )
    assert title.startswith("local:shapes-eye-1")
    assert f"sample {sample}" in title
    assert lines == [
        "  found: this very request is stored",
        f"  not found when it was asked; the nearest of 1 was {key}",
        "  stored -> asked:",
        "    decoding.temperature: 0 -> 0.5",
    ]


def test_no_id_of_a_sample_reaches_the_terminal_as_it_is(
    vlbench: Command, workspace: Path, served: Serve
) -> None:
    evil = "\x1b[31mred\x1b]0;t\x07\u202e\nfound: forged"
    row = {"id": evil, "question": "Which?", "options": {"A": "a", "B": "b"}, "answer": "A"}
    (workspace / "odd.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    target = f"local:m@{served(Scenario(replies=['A'])).url}"
    done = vlbench("run", "odd.jsonl", "-p", target, "--conditions", "text", "--ui", "none")
    assert done.returncode == 0, done.stderr
    (run,) = list_runs(workspace / "runs")
    key = next(
        event["key"]
        for event in map(json.loads, run.journal_path.read_bytes().splitlines())
        if event["event"] == "reply"
    )

    said = vlbench("cache", "why", key)

    assert "red" in said.stdout
    assert not {"\x1b", "\x07", "\u202e"} & set(said.stdout)
    assert not any(line.startswith("found: forged") for line in said.stdout.splitlines())
