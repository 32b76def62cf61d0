"""That memory does not grow with what is asked: the peak of runs on 10,000 and on 100,000 samples.

python -m tests.perf.bench_memory      two or three minutes
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

import orjson

from tests.perf.bench_requests import measured, server

SIZES = (10_000, 100_000)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, server(0.0) as url:
        home = Path(folder)
        environ = os.environ | {
            "HOME": folder,
            "VLBENCH_CACHE_DIR": f"{folder}/cache",
            "XDG_DATA_HOME": folder,
        }
        print("| samples | peak MB | CPU ms a sample |\n|---|---|---|")
        for samples in SIZES:
            with open(home / "data.jsonl", "wb") as file:
                for number in range(samples):
                    row = {
                        "id": str(number),
                        "question": f"What is number {number}?",
                        "category": f"c{number % 6}",
                    }
                    file.write(orjson.dumps({**row, "options": ["this", "that"], "answer": "B"}) + b"\n")
            command = [sys.executable, "-m", "vlbench", "run", str(home / "data.jsonl")]
            command += ["-p", f"local:bench+tag=bench@{url}", "--conditions", "text", "--ui", "plain"]
            command += ["--concurrency", "64", "-n", str(samples), "--fresh"]
            cost, _ = measured(command, home, environ)
            print(f"| {samples:,} | {cost.peak_mb:.0f} | {1000 * cost.cpu_s / samples:.2f} |", flush=True)


if __name__ == "__main__":
    main()
