"""`vlbench` in a process that counts what it does, in numbers that are the same on every machine.

python -m tests.counting FILE run mmstar ...      writes the counts to FILE as JSON
"""

from __future__ import annotations

import json
import os
import sqlite3
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

HEAVY = (
    "openai", "anthropic", "google.genai", "textual", "PIL", "pyarrow", "numpy", "huggingface_hub", "httpx2",
    "aiohttp", "genai_prices", "openpyxl", "rich",
)  # fmt: skip

connect = sqlite3.connect
counts: Counter[str] = Counter()


def audit(event: str, arguments: tuple[Any, ...]) -> None:  # Any: what each event brings
    match event:
        case "open":
            counts[f"open {os.path.basename(str(arguments[0]))}"] += 1
        case "socket.connect":
            if isinstance(arguments[1], tuple):
                counts["connections"] += 1
        case "subprocess.Popen" | "os.posix_spawn" | "os.fork":
            counts["processes"] += 1


def count_statement(statement: str) -> None:
    counts[f"sql {statement.split()[0]}"] += 1


def traced(*args: Any, **kwargs: Any) -> sqlite3.Connection:  # Any: whatever `connect` takes
    connection: sqlite3.Connection = connect(*args, **kwargs)
    connection.set_trace_callback(count_statement)
    return connection


def count_calls(owner: object, name: str, label: str, *, when: Callable[..., bool] = lambda *_: True) -> None:
    real = getattr(owner, name)

    def counted(*args: Any, **kwargs: Any) -> Any:  # Any: whatever the function takes
        counts[label] += when(*args)
        return real(*args, **kwargs)

    setattr(owner, name, counted)


def main() -> None:
    out, *words = sys.argv[1:]
    from vlbench.adapters import chat_body
    from vlbench.media.read import ImageReader

    sys.addaudithook(audit)
    sqlite3.connect = traced  # type: ignore[assignment]  # only in this process
    count_calls(os, "write", "journal lines", when=lambda _, data: data.startswith(b'{"v":'))
    count_calls(os, "fsync", "fsyncs")
    count_calls(chat_body, "build_body", "bodies")
    count_calls(ImageReader, "base64", "pictures encoded")
    from vlbench.cli.main import main as vlbench

    sys.argv = ["vlbench", *words]
    try:
        vlbench()
    finally:
        loaded = [name for name in HEAVY if name in sys.modules]
        Path(out).write_text(json.dumps({"counts": counts, "loaded": loaded}), encoding="utf-8")


if __name__ == "__main__":
    main()
