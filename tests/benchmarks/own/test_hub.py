"""A data set on the hub is read by its id alone: the test split, with all its shards."""

from __future__ import annotations

import hashlib
import io
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import pyarrow
import pyarrow.parquet
import pytest

COMMIT = "8c1f" * 10
# The hub library reads its environment when it is imported, so every reading is a process of its own.
SCRIPT = """
import json, sys
from pathlib import Path
from vlbench.benchmarks.index import indexed
from vlbench.benchmarks.registry import find_benchmark
from vlbench.errors import VlbenchError
try:
    data = indexed(find_benchmark(sys.argv[1]), None, Path(sys.argv[2]))
except VlbenchError as error:
    print(json.dumps({"error": str(error)}))
else:
    print(json.dumps({"revision": data.revision, "sha256": data.data_sha256,
                      "samples": [[s.id, s.question, s.gold, len(s.images)] for s in data.samples()]}))
"""


class Hub(BaseHTTPRequestHandler):
    """What listing and downloading ask for, for the data set `o/mcq`."""

    files: ClassVar[dict[str, bytes]] = {}
    protocol_version = "HTTP/1.1"

    def do_HEAD(self) -> None:
        path = self.path.partition("?")[0]
        if path == "/api/datasets/o/mcq/tree/main":
            listed = [
                {"type": "file", "path": name, "size": len(content), "oid": "0"}
                for name, content in self.files.items()
            ]
            self._answer(json.dumps(listed).encode())
        elif (name := path.removeprefix("/datasets/o/mcq/resolve/main/")) in self.files:
            self._answer(self.files[name])
        else:
            self.send_response(404)
            self.send_header("X-Error-Code", "RepoNotFound")
            self.send_header("Content-Length", "0")
            self.end_headers()

    do_GET = do_HEAD

    def _answer(self, body: bytes) -> None:
        self.send_response(200)
        self.send_header("X-Repo-Commit", COMMIT)
        self.send_header("ETag", f'"{hashlib.sha256(body).hexdigest()}"')
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def read(tmp_path: Path, jpeg: Callable[[int], bytes]) -> Iterator[Callable[..., dict[str, object]]]:
    def shard(number: int) -> bytes:
        out = io.BytesIO()
        rows = {"question": [f"{number}?"], "options": [["x", "y"]], "answer": ["y"], "image": [jpeg(number)]}
        pyarrow.parquet.write_table(pyarrow.table(rows), out)
        return out.getvalue()

    Hub.files = {
        "README.md": b"",
        "data/test-00000-of-00002.parquet": shard(1),
        "data/test-00001-of-00002.parquet": shard(2),
        "data/train-00000-of-00001.parquet": shard(3),
    }
    with ThreadingHTTPServer(("127.0.0.1", 0), Hub) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()

        def run(name: str, **variables: str) -> dict[str, object]:
            environ = {**os.environ, "HF_ENDPOINT": f"http://127.0.0.1:{server.server_port}"}
            environ |= {"HF_HOME": str(tmp_path / "hf"), **variables}
            command = [sys.executable, "-c", SCRIPT, name, str(tmp_path / "cache")]
            done = subprocess.run(command, env=environ, capture_output=True, check=True)
            found: dict[str, object] = json.loads(done.stdout)
            return found

        yield run
        server.shutdown()
        thread.join()


def test_the_test_split_is_read_with_all_shards_and_again_without_the_hub(
    read: Callable[..., dict[str, object]],
) -> None:
    first = read("hf://o/mcq")
    assert first["samples"] == [["row-1", "1?", "B", 1], ["row-2", "2?", "B", 1]]
    assert first["revision"] == COMMIT
    Hub.files = {}
    assert read("o/mcq", HF_HUB_OFFLINE="1") == first


def test_a_set_that_is_not_there_is_told(read: Callable[..., dict[str, object]]) -> None:
    error = str(read("hf://o/none")["error"])
    assert error.startswith("The files of the data set o/none could not be listed (")
    assert "HF_TOKEN" in error
