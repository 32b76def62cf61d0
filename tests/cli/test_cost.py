"""Dollars before a run, during it and after it, on the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import NoReturn, Protocol

import genai_prices
import pytest

from vlbench.simulator.scenario import Scenario
from vlbench.simulator.server import Simulator
from vlbench.store.manifest import Manifest
from vlbench.store.run_dir import list_runs

Serve = Callable[[Scenario], Simulator]


class Command(Protocol):
    def __call__(self, *arguments: str) -> CompletedProcess[str]: ...


ENTRY = """
name = "Mine"
wire = "chat"
urls = ["{url}"]
key_required = false
self_hosted = true

[models.eye]
price = {{ input = 1000.0, output = 0.0, source = "the contract", checked = 2026-11-30 }}
"""

IN_FLIGHT = 0.5
"""Dollars that the replies in flight when a limit is reached may cost above the mean, as lengths differ."""


@pytest.fixture
def target(workspace: Path, served: Serve) -> str:
    """A provider with a price of its own; a question costs some cents."""
    simulator = served(Scenario(replies=["Answer: A"]))
    (workspace / "providers" / "mine.toml").write_text(ENTRY.format(url=simulator.url), encoding="utf-8")
    return "mine:eye+tag=t"


def spent(run: Path) -> float:
    events = [json.loads(line) for line in (run / "journal.jsonl").read_bytes().splitlines()]
    tokens = [event["reply"]["usage"]["input_tokens"] for event in events if event["event"] == "reply"]
    return float(sum(tokens)) / 1e3


def test_a_run_ends_at_its_limit_and_goes_on_with_a_larger_one(
    vlbench: Command, workspace: Path, target: str
) -> None:
    words = ("run", "shapes", "-p", target, "-n", "120", "--conditions", "text", "--ui", "plain")

    stopped = vlbench(*words, "--max-cost", "4")

    assert stopped.returncode == 4, stopped.stderr
    assert "the limit of $4.00 was reached: $" in stopped.stderr
    (run,) = list_runs(workspace / "runs")
    first = spent(run.path)
    assert 3 < first <= 4 + IN_FLIGHT
    assert f"Cost: ${first:.2f}" in stopped.stdout

    again = vlbench("resume", "--ui", "none")
    assert (again.returncode, spent(run.path)) == (4, first), "the run keeps its limit"

    more = vlbench(*words, "--max-cost", "5")
    assert more.returncode == 4
    assert first < spent(run.path) <= 5 + IN_FLIGHT
    assert len(list_runs(workspace / "runs")) == 1, "a limit does not make another run"

    assert vlbench("resume", "--max-cost", "1000", "--ui", "none").returncode == 0
    assert Manifest.load(run.manifest_path).options["max_cost"] == 1000


def test_a_run_whose_price_was_taken_out_of_the_entry_keeps_it(
    vlbench: Command, workspace: Path, target: str
) -> None:
    words = ("run", "shapes", "-p", target, "-n", "60", "--conditions", "text", "--ui", "none")
    assert vlbench(*words, "--max-cost", "2").returncode == 4
    (run,) = list_runs(workspace / "runs")
    first = spent(run.path)
    entry = workspace / "providers" / "mine.toml"
    text = entry.read_text(encoding="utf-8")
    entry.write_text(text[: text.index("[models")], encoding="utf-8")

    stopped = vlbench("resume", "--max-requests", "100", "--ui", "none")
    assert stopped.returncode == 4, stopped.stderr
    assert spent(run.path) == first
    more = vlbench("resume", "--max-cost", "3", "--ui", "none")
    assert more.returncode == 4, more.stderr
    assert first < spent(run.path) <= 3 + IN_FLIGHT


def test_a_limit_stands_in_a_run_file_too(vlbench: Command, workspace: Path, target: str) -> None:
    text = f'providers = ["{target}"]\nbenchmarks = ["shapes"]\nmax-cost = 3.5\nlimit = 40\nui = "none"\n'
    (workspace / "run.toml").write_text(text, encoding="utf-8")
    assert vlbench("run", "run.toml").returncode == 4
    (run,) = list_runs(workspace / "runs")
    assert 2.5 < spent(run.path) <= 3.5 + IN_FLIGHT


def test_without_a_price_a_limit_in_dollars_sends_nothing(
    vlbench: Command, workspace: Path, served: Serve
) -> None:
    simulator = served(Scenario(replies=["Answer: A"]))
    refused = vlbench("run", "shapes", "-p", f"local:eye@{simulator.url}", "-n", "4", "--max-cost", "1")
    assert refused.returncode == 2
    assert "The price of local:eye is not known" in refused.stderr
    assert '[models."eye"]\n  price = { input' in refused.stderr
    assert not simulator.log
    assert not list_runs(workspace / "runs")


def test_a_dry_run_goes_by_the_replies_there_are(vlbench: Command, target: str) -> None:
    words = ("run", "shapes", "-p", target, "--conditions", "text", "--ui", "none")

    blind = vlbench(*words, "-n", "40", "--dry-run").stdout
    assert "1,000 requests of 1,000 tokens in and 100 out come to $1,000.00" in blind
    assert "price of its entry, the contract, 2026-11-30" in blind
    assert "--limit 20" in blind

    assert vlbench(*words, "-n", "10").returncode == 0
    told = vlbench(*words, "-n", "40", "--dry-run").stdout
    assert f"Cost of {target}: about $" in told
    assert "10 of text" in told
    assert "--limit 20" not in told

    assert vlbench(*words, "-n", "40").returncode == 0
    assert "Cost of" not in vlbench(*words, "-n", "40", "--dry-run").stdout, "nothing is left to pay for"


def test_a_report_does_not_change_with_the_list_of_prices(
    vlbench: Command, workspace: Path, target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert vlbench("run", "shapes", "-p", target, "-n", "10", "--ui", "none").returncode == 0
    forms = ("table", "md", "csv", "json")
    before = [vlbench("report", "--format", form).stdout for form in forms]

    def gone(*_: object, **__: object) -> NoReturn:
        raise AssertionError("a report must not look prices up")

    monkeypatch.setattr(genai_prices, "calc_price", gone)
    (workspace / "providers" / "mine.toml").unlink()

    assert [vlbench("report", "--format", form).stdout for form in forms] == before
    table, markdown, csv, document = before
    (run,) = list_runs(workspace / "runs")
    assert f"{spent(run.path):,.2f}" in table
    assert "$1000.00 in, $0.00 out per million tokens (price of its entry, the contract, 2026-11-30)" in table
    assert "Tokens and cost" in markdown
    assert csv.count("cost_usd") == 2
    rows = json.loads(document)["reports"][0]["rows"]
    assert sum(row["cost"] for row in rows) == pytest.approx(spent(run.path))
