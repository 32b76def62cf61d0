"""A file at a web address is fetched once, checked, and goes on where a download broke."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import pytest

from vlbench.benchmarks.benchmark import Step, WebFile
from vlbench.benchmarks.web import fetch_web, file_name
from vlbench.errors import DatasetError

FILE = bytes(range(256)) * 10_000
MD5 = hashlib.md5(FILE, usedforsecurity=False).hexdigest()


class Host(BaseHTTPRequestHandler):
    """Serves one file; `breaks_after` bytes it cuts the connection."""

    asked: ClassVar[list[str | None]] = []
    breaks_after: ClassVar[int | None] = None
    takes_ranges: ClassVar[bool] = True
    state: ClassVar[str] = ""
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        wanted = self.headers.get("Range")
        self.asked.append(wanted)
        if self.path == "/login.tsv":
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", "6")
            self.end_headers()
            self.wfile.write(b"<html>")
            return
        if self.path != "/sets/My%20Set.tsv":
            self.send_error(404 if self.path == "/none.tsv" else 503)
            return
        changed = self.headers.get("If-Range", self.state) != self.state
        ranged = wanted if self.takes_ranges and not changed else None
        first = int(ranged.removeprefix("bytes=").rstrip("-")) if ranged else 0
        self.send_response(206 if first else 200)
        if self.state:
            self.send_header("ETag", self.state)
        self.send_header("Content-Length", str(len(FILE) - first))
        self.end_headers()
        self.wfile.write(FILE[first : self.breaks_after])
        if self.breaks_after is not None:
            self.close_connection = True

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def host() -> Iterator[str]:
    Host.asked, Host.breaks_after, Host.takes_ranges, Host.state = [], None, True, ""
    with ThreadingHTTPServer(("127.0.0.1", 0), Host) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_the_file_is_fetched_once_and_its_sum_is_its_revision(host: str, tmp_path: Path) -> None:
    source, steps = WebFile(f"{host}/sets/My%20Set.tsv", MD5), list[Step]()
    found = fetch_web(source, tmp_path, steps.append)
    assert found.path.read_bytes() == FILE
    assert found.path.name == "My-Set.tsv"
    assert found.revision == MD5
    assert steps[-1] == Step("fetching My-Set.tsv (bytes)", len(FILE), len(FILE))
    assert fetch_web(source, tmp_path, steps.append) == found
    assert len(Host.asked) == 1


@pytest.mark.parametrize("takes_ranges", [True, False])
def test_a_broken_download_goes_on_where_it_stopped(host: str, tmp_path: Path, takes_ranges: bool) -> None:
    source, half = WebFile(f"{host}/sets/My%20Set.tsv", MD5), len(FILE) // 2
    Host.breaks_after = half
    with pytest.raises(DatasetError, match=r"could not be fetched .* goes on where it stopped"):
        fetch_web(source, tmp_path, lambda step: None)
    Host.breaks_after, Host.takes_ranges = None, takes_ranges
    assert fetch_web(source, tmp_path, lambda step: None).path.read_bytes() == FILE
    begun = Host.asked[1]
    assert begun is not None
    assert 0 < int(begun.removeprefix("bytes=").rstrip("-")) <= half


@pytest.mark.parametrize(
    ("before", "after", "goes_on"),
    [('"1"', '"1"', True), ('"1"', '"2"', False), ("", "", False), ('W/"1"', 'W/"1"', False)],
    ids=["the same", "replaced", "says nothing", "says nothing exact"],
)
def test_two_states_of_a_file_are_never_joined(
    host: str, tmp_path: Path, before: str, after: str, goes_on: bool
) -> None:
    source, half = WebFile(f"{host}/sets/My%20Set.tsv"), len(FILE) // 2
    Host.breaks_after, Host.state = half, before
    with pytest.raises(DatasetError, match="goes on where it stopped"):
        fetch_web(source, tmp_path, lambda step: None)
    Host.breaks_after, Host.state, steps = None, after, list[Step]()
    found = fetch_web(source, tmp_path, steps.append)
    assert found.path.read_bytes() == FILE
    assert (steps[0].done > 2**20) is goes_on
    assert sorted(path.name for path in found.path.parent.iterdir()) == ["My-Set.tsv", "My-Set.tsv.md5"]


def test_a_file_with_another_sum_is_refused_and_not_kept(host: str, tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match=rf"has the MD5 {MD5}, but {'0' * 32} was expected"):
        fetch_web(WebFile(f"{host}/sets/My%20Set.tsv", "0" * 32), tmp_path, lambda step: None)
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("none.tsv", r"does not exist \(404\)"),
        ("busy", "answered 503"),
        ("login.tsv", "a web page in place of a file"),
    ],
)
def test_a_refusal_is_told(host: str, tmp_path: Path, place: str, words: str) -> None:
    with pytest.raises(DatasetError, match=words):
        fetch_web(WebFile(f"{host}/{place}"), tmp_path, lambda step: None)
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_a_host_that_cannot_be_reached_is_told(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="could not be fetched"):
        fetch_web(WebFile("http://127.0.0.1:1/x.tsv"), tmp_path, lambda step: None)


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://h/a/b.tsv?token=1#x", "b.tsv"),
        ("https://h/", "data"),
        ("https://h/..%2F..%2Fetc%2Fpasswd", "passwd"),
        ("https://h/%00%1b[31m.tsv", "31m.tsv"),
        ("https://h/.bashrc", "bashrc"),
    ],
)
def test_the_name_of_a_file_is_safe(url: str, name: str) -> None:
    assert file_name(url) == name
