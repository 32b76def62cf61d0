"""Files are fetched from a stand-in for the hub on this machine, as the hub library asks for them."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import pytest

COMMIT = "8c1f" * 10
FILE = b"index\tquestion\n" * 1000

# The hub library reads its environment when it is imported, so every fetch is a process of its own.
SCRIPT = """
import json, sys
from pathlib import Path
from vlbench.benchmarks.benchmark import HubFile
from vlbench.benchmarks.hub import fetch
from vlbench.errors import DatasetError
repo, file, revision, cache, refresh = json.loads(sys.argv[1])
steps = []
try:
    found = fetch(HubFile(repo, file, revision), Path(cache), steps.append, refresh=refresh)
except DatasetError as error:
    print(json.dumps({"error": str(error)}))
else:
    done = steps[-1].done if steps else 0
    print(json.dumps({"path": str(found.path), "revision": found.revision, "done": done,
                      "imported": "huggingface_hub" in sys.modules}))
"""


class Hub(BaseHTTPRequestHandler):
    """The one route a download uses, for the public data set `o/open` and the gated one `o/gated`."""

    asked: ClassVar[list[tuple[str, str, str | None]]] = []
    protocol_version = "HTTP/1.1"

    def do_HEAD(self) -> None:
        self.asked.append((self.command, self.path, self.headers.get("Authorization")))
        match self.path.split("/"):
            case ["", "datasets", "o", "open", "resolve", "main" | "v1", "data", "rows.tsv"]:
                self._answer(200, FILE)
            case ["", "datasets", "o", "open", "resolve", "main", *_]:
                self._answer(404, b"", "EntryNotFound")
            case ["", "datasets", "o", "open", *_]:
                self._answer(404, b"", "RevisionNotFound")
            case ["", "datasets", "o", "gated", *_]:
                if self.headers.get("Authorization") == "Bearer hf_allowed":
                    self._answer(200, FILE)
                else:
                    self._answer(403, b"", "GatedRepo")
            case ["", "datasets", "o", "busy", *_]:
                self._answer(418, b"")
            case _:
                self._answer(404, b"", "RepoNotFound")

    do_GET = do_HEAD

    def _answer(self, status: int, body: bytes, error: str = "") -> None:
        self.send_response(status)
        if error:
            self.send_header("X-Error-Code", error)
        self.send_header("X-Repo-Commit", COMMIT)
        self.send_header("ETag", f'"{hashlib.sha256(body).hexdigest()}"')
        # Where the real hub keeps large files; taking this road would need another host.
        self.send_header("X-Xet-Hash", "ab" * 32)
        self.send_header("X-Xet-Refresh-Route", "/xet-must-not-be-asked")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def hub() -> Iterator[str]:
    Hub.asked.clear()
    with ThreadingHTTPServer(("127.0.0.1", 0), Hub) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


class Client:
    """Fetches in a fresh process, with a hub cache and a vlbench cache of its own."""

    def __init__(self, folder: Path, hub: str) -> None:
        self.folder = folder
        self.hub = hub

    def fetch(
        self,
        repo: str = "o/open",
        file: str = "data/rows.tsv",
        revision: str | None = None,
        refresh: bool = False,
        **variables: str,
    ) -> dict[str, str | int | bool]:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("HF_")}
        environment |= {"HF_HOME": str(self.folder / "hf"), "HF_ENDPOINT": self.hub, "NO_PROXY": "127.0.0.1"}
        arguments = json.dumps([repo, file, revision, str(self.folder / "cache"), refresh])
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT, arguments],
            env=environment | variables,
            stdout=subprocess.PIPE,
            check=True,
            encoding="utf-8",
        )
        found: dict[str, str | int | bool] = json.loads(done.stdout)
        return found


@pytest.fixture
def client(tmp_path: Path, hub: str) -> Client:
    return Client(tmp_path, hub)


def test_a_file_is_fetched_once_with_its_commit(client: Client) -> None:
    first = client.fetch()
    assert Path(str(first["path"])).read_bytes() == FILE
    assert (first["revision"], first["done"]) == (COMMIT, len(FILE))
    asked = len(Hub.asked)
    second = client.fetch()
    assert second == first | {"done": 0, "imported": False}
    assert len(Hub.asked) == asked
    assert not any("xet" in path for _, path, _ in Hub.asked)
    assert client.fetch(refresh=True)["revision"] == COMMIT
    assert len(Hub.asked) > asked


def test_a_token_opens_a_gated_data_set(client: Client) -> None:
    assert "is gated. Ask for access" in str(client.fetch("o/gated")["error"])
    assert client.fetch("o/gated", HF_TOKEN="hf_allowed")["revision"] == COMMIT


def test_what_was_fetched_is_found_offline(client: Client) -> None:
    message = str(client.fetch(HF_HUB_OFFLINE="1")["error"])
    assert "is not on this machine, and HF_HUB_OFFLINE is set" in message
    assert Hub.asked == []
    found = client.fetch(revision="v1")
    assert client.fetch(revision="v1", HF_HUB_OFFLINE="1")["path"] == found["path"]


@pytest.mark.parametrize(
    ("repo", "file", "revision", "message"),
    [
        ("o/open", "data/rows.tsv", "v9", "at revision v9 was not found: the data set has no such revision"),
        ("o/open", "renamed.tsv", None, "The file renamed.tsv of the data set o/open was not found"),
        ("o/none", "data/rows.tsv", None, "there is no such data set, or it is private"),
        ("not a name", "data/rows.tsv", None, "does not exist on the hub"),
        ("o/busy", "data/rows.tsv", None, "is not on this machine, and the hub answered 418"),
    ],
)
def test_the_reason_is_told(client: Client, repo: str, file: str, revision: str | None, message: str) -> None:
    assert message in str(client.fetch(repo, file, revision)["error"])


@pytest.mark.slow  # the hub library tries for half a minute
def test_a_hub_that_cannot_be_reached_is_told(tmp_path: Path) -> None:
    message = str(Client(tmp_path, "http://127.0.0.1:9").fetch()["error"])
    assert "is not on this machine, and the hub cannot be reached" in message
