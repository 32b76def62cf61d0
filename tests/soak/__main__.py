"""Real runs killed at random moments, then every other mishap: `make soak`.

    python -m tests.soak [--kills N] [--seed N] [--only NAME]      about five minutes for 100 kills

Prints what happened and ends with an error as soon as anything was lost or paid for twice.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

from tests.soak.disks import CannotMount
from tests.soak.kills import kill_often
from tests.soak.mishaps import MISHAPS


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.soak")
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=[mishap.__name__ for mishap in MISHAPS])
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if given.only is None:
            began = time.monotonic()
            tally = kill_often(folder / "kills", given.kills, given.seed, say=_say)
            print(f"{tally}; {time.monotonic() - began:.0f} s", flush=True)
        for mishap in MISHAPS:
            if given.only in (None, mishap.__name__):
                began = time.monotonic()
                try:
                    mishap(folder / mishap.__name__)
                    verdict = "held"
                except CannotMount as why:
                    verdict = f"not tried: {why}"
                print(f"{mishap.__name__}: {verdict}; {time.monotonic() - began:.0f} s", flush=True)


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
