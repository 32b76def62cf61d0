"""A journal with a damaged line: told by what only reads, mended by what goes on."""

from __future__ import annotations

from pathlib import Path

from tests.cli.conftest import RunCommand, Serve
from vlbench.simulator.scenario import Scenario
from vlbench.state.events import Warned, parse_event
from vlbench.store import journal
from vlbench.store.run_dir import list_runs

SAMPLES = 4


def test_a_damaged_line_is_told_then_set_aside_and_its_reply_comes_from_the_cache(
    vlbench: RunCommand, served: Serve, workspace: Path
) -> None:
    simulator = served(Scenario(replies=["A"]))
    words = ("run", "shapes", "-p", f"local:m+tag=t@{simulator.url}", "-n", str(SAMPLES), "--ui", "none")
    (workspace / "providers" / "none.toml").unlink()
    local = Path(__file__).parents[2] / "providers" / "local.toml"
    (workspace / "providers" / "local.toml").write_bytes(local.read_bytes())
    assert vlbench(*words).returncode == 0
    (run,) = list_runs(workspace / "runs")
    whole = run.journal_path.read_bytes()
    run.journal_path.write_bytes(whole.replace(b'{"v":1,"seq":3,', b"\xff\xff\xff\xff\xff\xff\xff3,", 1))

    told = vlbench("report")
    assert told.returncode == 2
    assert (
        f"line 3 is damaged: it is not an event of a run. Go on with `vlbench resume {run.name}`"
        in told.stderr
    )

    assert vlbench("resume", run.name, "--ui", "none").returncode == 0

    assert len(simulator.log) == 2 * SAMPLES
    assert vlbench("report").returncode == 0
    events = [parse_event(line.event) for line in journal.read(run.journal_path)]
    (warning,) = [event for event in events if isinstance(event, Warned)]
    assert "set aside in journal.jsonl.damaged: line 3." in warning.message
