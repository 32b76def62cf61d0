"""`vlbench fetch` on a machine with a network, and the run later on one without."""

from __future__ import annotations

import hashlib
import io
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import pytest
from PIL import Image

COMMIT = "0a1b" * 10


def mmstar_parquet(rows: int) -> bytes:
    """A file in the layout of the published one, with questions and pictures of our own."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    records = []
    for at in range(rows):
        encoded = io.BytesIO()
        Image.new("RGB", (32, 24), (at * 20 % 256, 80, 120)).save(encoded, "JPEG")
        records.append(
            {
                "index": at,
                "question": f"What fills picture {at}?\nOptions: A: sea, B: sky, C: grass, D: snow",
                "image": encoded.getvalue(),
                "answer": "ABCD"[at % 4],
                "category": "math" if at % 2 else "coarse perception",
                "l2_category": "geometry" if at % 2 else "image emotion",
                "meta_info": {"source": "MMBench", "split": "val", "image_path": f"images/{at}.jpg"},
            }
        )
    out = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(records), out)
    return out.getvalue()


class Hub(BaseHTTPRequestHandler):
    """The one file of `Lin-Chen/MMStar`, under its branch and its commit."""

    body: ClassVar[bytes] = b""
    asked: ClassVar[list[str]] = []
    protocol_version = "HTTP/1.1"

    def do_HEAD(self) -> None:
        self.asked.append(self.path)
        found = self.path in [
            f"/datasets/Lin-Chen/MMStar/resolve/{revision}/mmstar.parquet" for revision in ("main", COMMIT)
        ]
        body = self.body if found else b""
        self.send_response(200 if found else 404)
        self.send_header("X-Repo-Commit", COMMIT)
        self.send_header("ETag", f'"{hashlib.sha256(body).hexdigest()}"')
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    do_GET = do_HEAD

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def hub() -> Iterator[str]:
    Hub.asked.clear()
    Hub.body = mmstar_parquet(12)
    with ThreadingHTTPServer(("127.0.0.1", 0), Hub) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_a_fetched_benchmark_runs_later_without_any_network(hub: str, tmp_path: Path) -> None:
    environ = {name: value for name, value in os.environ.items() if not name.startswith("HF_")}
    environ |= {
        "HF_HOME": str(tmp_path / "hf"),
        "HF_ENDPOINT": hub,
        "NO_PROXY": "127.0.0.1",
        **{f"XDG_{kind}_HOME": str(tmp_path / kind) for kind in ("DATA", "CACHE", "CONFIG")},
    }

    def vlbench(*words: str, **further: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "vlbench", *words],
            cwd=tmp_path, env=environ | further, capture_output=True, text=True, timeout=60,
        )  # fmt: skip

    fetched = vlbench("fetch", "mmstar")
    assert fetched.returncode == 0, fetched.stderr
    assert "12 samples" in fetched.stdout
    assert COMMIT in fetched.stdout
    asked = len(Hub.asked)

    offline = {"HF_HUB_OFFLINE": "1", "HF_ENDPOINT": "http://127.0.0.1:9"}
    ran = vlbench("run", "mmstar", "-p", "builtin", "--ui", "none", **offline)
    assert ran.returncode == 0, ran.stderr
    told = vlbench("report", "--format", "json")
    assert f'"data_revision": "{COMMIT}"' in told.stdout
    assert len(Hub.asked) == asked


def test_a_pinned_revision_is_the_one_that_is_fetched(hub: str, tmp_path: Path) -> None:
    environ = {name: value for name, value in os.environ.items() if not name.startswith("HF_")}
    environ |= {"HF_HOME": str(tmp_path / "hf"), "HF_ENDPOINT": hub, "NO_PROXY": "127.0.0.1"}

    done = subprocess.run(
        [sys.executable, "-m", "vlbench", "fetch", "mmstar", "--revision", COMMIT, "--cache-dir", "cache"],
        cwd=tmp_path, env=environ, capture_output=True, text=True, timeout=60,
    )  # fmt: skip

    assert done.returncode == 0, done.stderr
    asked = [path for path in Hub.asked if path.startswith("/datasets/")]
    assert asked
    assert all(COMMIT in path for path in asked)
