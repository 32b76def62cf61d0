"""Data files at a web address, fetched once, going on where a broken download stopped."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from vlbench.benchmarks.benchmark import Progress, Step, WebFile
from vlbench.benchmarks.hub import Fetched
from vlbench.errors import DatasetError

if TYPE_CHECKING:
    import httpx

_TIMEOUT_S = 60.0
_CHUNK_BYTES = 2**20


def fetch_web(source: WebFile, cache_dir: Path, progress: Progress) -> Fetched:
    """The file behind the address. Its revision is the MD5 of its bytes, as these hosts publish it.

    A file that was fetched before is used as it is. Raises `DatasetError` when it cannot be had or has
    another checksum than is known.
    """
    folder = cache_dir.absolute() / "web" / hashlib.sha256(source.url.encode()).hexdigest()[:20]
    path = folder / file_name(source.url)
    sums = path.with_name(f"{path.name}.md5")
    if path.is_file() and sums.is_file():
        return Fetched(path, sums.read_text(encoding="ascii"))
    part = path.with_name(f"{path.name}.part")
    mark = part.with_name(f"{part.name}.of")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        md5 = _download(source, part, mark, progress)
        mark.unlink(missing_ok=True)
        if source.md5 and md5 != source.md5:
            part.unlink()
            raise DatasetError(
                f"{source.url} has the MD5 {md5}, but {source.md5} was expected: the file was replaced or "
                "damaged on its way. Try again, or give the file you trust with --data."
            )
        os.replace(part, path)
        sums.write_text(md5, encoding="ascii")
    except OSError as error:
        raise DatasetError(
            f"{source.url} could not be kept in {folder} ({error.strerror or error}). Free some space or "
            "name another place with --cache-dir."
        ) from error
    return Fetched(path, md5)


def file_name(url: str) -> str:
    """The last part of the address's path, in characters that are safe in a file name."""
    last = unquote(urlsplit(url).path).rpartition("/")[2]
    return "".join(c if c.isalnum() or c in "._-" else "-" for c in last).lstrip(".-")[-100:] or "data"


def _download(source: WebFile, part: Path, mark: Path, progress: Progress) -> str:
    """Fetch what is missing of the file into `part`; its MD5 in hex.

    `mark` keeps what the server called the file's state, so that two states of it are never joined. Where
    neither that nor the MD5 is known, a broken download begins anew.
    """
    import httpx

    digest = hashlib.md5(usedforsecurity=False)
    state = mark.read_text(encoding="latin-1") if mark.exists() else ""
    have = part.stat().st_size if part.exists() and (state or source.md5) else 0
    headers = {"range": f"bytes={have}-", "accept-encoding": "identity"} if have else {}
    if have and state:
        headers["if-range"] = state
    try:
        with (
            httpx.Client(follow_redirects=True, timeout=_TIMEOUT_S) as client,
            client.stream("GET", source.url, headers=headers) as response,
        ):
            goes_on = bool(have) and response.status_code == httpx.codes.PARTIAL_CONTENT
            if not goes_on and response.status_code != httpx.codes.OK:
                if response.status_code == httpx.codes.REQUESTED_RANGE_NOT_SATISFIABLE:
                    part.unlink()
                raise DatasetError(_refused(source, response.status_code))
            if response.headers.get("content-type", "").startswith("text/html"):
                raise DatasetError(
                    f"{source.url} answered with a web page in place of a file. Does it ask for a login? "
                    "Download the file and name it."
                )
            if goes_on:
                with part.open("rb") as file:
                    while chunk := file.read(_CHUNK_BYTES):
                        digest.update(chunk)
            else:
                mark.write_text(_state(response), encoding="latin-1")
            _write(source, response, part, have if goes_on else 0, digest, progress)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise DatasetError(
            f"{source.url} could not be fetched ({str(error) or type(error).__name__}). Run again: it goes "
            "on where it stopped. Without network, name a file you have with --data."
        ) from error
    return digest.hexdigest()


def _state(response: httpx.Response) -> str:
    """What tells one state of the file from another; "" where the server says nothing that is exact."""
    tag = response.headers.get("etag", "")
    exact = tag if not tag.startswith("W/") else ""
    return exact or response.headers.get("last-modified", "")


def _write(
    source: WebFile,
    response: httpx.Response,
    part: Path,
    done: int,
    digest: hashlib._Hash,
    progress: Progress,
) -> None:
    length = response.headers.get("content-length", "")
    total = done + int(length) if length.isdigit() else None
    with part.open("ab" if done else "wb") as file:
        for chunk in response.iter_bytes(_CHUNK_BYTES):
            file.write(chunk)
            digest.update(chunk)
            done += len(chunk)
            progress(Step(f"fetching {file_name(source.url)} (bytes)", done, total))
        file.flush()
        os.fsync(file.fileno())


def _refused(source: WebFile, status: int) -> str:
    if status == 404:
        return f"{source.url} does not exist (404). Was the file moved? Name a file you have with --data."
    return (
        f"{source.url} could not be fetched: the server answered {status}. Try again later, or name a file "
        "you have with --data."
    )
