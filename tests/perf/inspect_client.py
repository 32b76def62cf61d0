"""The same questions through Inspect AI, for the table of `bench_requests`. Needs the package inspect_ai.

python -m tests.perf.inspect_client URL FOLDER REQUESTS CONCURRENCY
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path


def main(url: str, folder: Path, requests: int, concurrency: int) -> None:
    os.environ |= {"OPENAI_BASE_URL": url, "OPENAI_API_KEY": "x", "INSPECT_DISPLAY": "none"}
    # Any: the package is no dependency of ours, so that nothing is known of its types.
    import inspect_ai  # type: ignore[import-not-found, unused-ignore]  # only where it is installed
    from inspect_ai.dataset import MemoryDataset, Sample  # type: ignore[import-not-found, unused-ignore]
    from inspect_ai.model import (  # type: ignore[import-not-found, unused-ignore]
        ChatMessageUser,
        ContentImage,
        ContentText,
        get_model,
    )
    from inspect_ai.solver import generate  # type: ignore[import-not-found, unused-ignore]

    pictures = sorted(folder.glob("*.jpg"))
    samples = []
    for number in range(requests):
        picture = ContentImage(image=str(pictures[number % len(pictures)]))
        words = ContentText(text=f"What is on picture {number}? A. this B. that")
        samples.append(Sample(id=number, input=[ChatMessageUser(content=[picture, words])], target="B"))
    task = inspect_ai.Task(dataset=MemoryDataset(samples), solver=[generate()])
    model = get_model("openai/bench", responses_api=False)
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as logs:
        (log,) = inspect_ai.eval(
            task,
            model=model,
            max_connections=concurrency,
            max_samples=concurrency,
            log_dir=logs,
            display="none",
        )
    if log.status != "success":
        raise SystemExit(f"inspect: {log.status}")
    print(time.perf_counter() - began)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))
