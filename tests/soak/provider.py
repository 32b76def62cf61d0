"""The provider of the soak: the simulator with replies that depend on the question alone.

    python -m tests.soak.provider [--latency S] [--fault-rate R] [--seed N]      prints its URL

So two runs of the same questions must come to the same verdicts, whatever happened on the way.
"""

from __future__ import annotations

import argparse
import hashlib

from vlbench.simulator.exchange import Asked, Said, Step
from vlbench.simulator.scenario import FaultKind, Latency, Scenario
from vlbench.simulator.server import run

FAULTS: tuple[FaultKind, ...] = ("429", "500", "503", "cut", "malformed", "error_in_200")


def reply(asked: Asked) -> Step:
    """Mostly a letter; now and then a refusal, a cut-off or words that no reader takes for an answer."""
    digest = hashlib.sha256(f"{asked.text} {len(asked.images)}".encode()).digest()
    match digest[0] % 20:
        case 0:
            return Said("I can't help with that.", finish="refused")
        case 1:
            return Said("First I look at every", finish="length")
        case 2:
            return Said("There is no telling.")
        case _:
            return Said(f"The answer is {'AB'[digest[1] % 2]}.")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--latency", type=float, default=0.03)
    parser.add_argument("--fault-rate", type=float, default=0.1)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    scenario = Scenario(
        replies=reply,
        latency=Latency(given.latency, 0.5),
        faults=dict.fromkeys(FAULTS, given.fault_rate / len(FAULTS)),
        seed=given.seed,
    )
    run(scenario=scenario, ready=lambda url: print(url, flush=True))


if __name__ == "__main__":
    main()
