"""Files of Hugging Face data sets, kept in the hub library's own cache (HF_HOME) and fetched once.

HF_TOKEN, HF_ENDPOINT, HF_HUB_OFFLINE and the proxy variables are the hub library's and are obeyed by it.
"""

from __future__ import annotations

import hashlib
import logging
import os
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, cast
from uuid import uuid4

from pydantic import ValidationError

from vlbench.benchmarks.benchmark import HubFile, Progress, Step
from vlbench.errors import DatasetError
from vlbench.types import Record

if TYPE_CHECKING:
    from huggingface_hub.errors import HfHubHTTPError


@dataclass(frozen=True, slots=True)
class Fetched:
    """A data file on this machine and the commit it comes from ("" for the user's own file)."""

    path: Path
    revision: str


class _Note(Record):
    """What is remembered of a fetched file, so that a second run need not ask the hub."""

    path: str
    revision: str


def fetch(source: HubFile, cache_dir: Path, progress: Progress, refresh: bool = False) -> Fetched:
    """The file, downloaded when it is not on this machine yet; `DatasetError` says why it cannot be had.

    A file that was fetched before is used as it is, even when its branch has moved on meanwhile: data must
    not change between two runs by itself. `refresh` asks the hub again.
    """
    name = hashlib.sha256(f"{source.repo}\0{source.file}\0{source.revision}".encode()).hexdigest()[:20]
    note_path = cache_dir.absolute() / "hub" / f"{name}.json"
    if not refresh and (known := _known(note_path)) is not None:
        return known
    fetched = _download(source, progress)
    _remember(note_path, fetched)
    return fetched


def _known(note_path: Path) -> Fetched | None:
    try:
        note = _Note.model_validate_json(note_path.read_bytes())
    except (OSError, ValidationError):
        return None
    path = Path(note.path)
    return Fetched(path, note.revision) if path.is_file() else None


def _remember(note_path: Path, fetched: Fetched) -> None:
    note = _Note(path=str(fetched.path), revision=fetched.revision)
    draft = note_path.with_name(f"{note_path.name}.{uuid4().hex[:8]}")
    try:
        note_path.parent.mkdir(parents=True, exist_ok=True)
        draft.write_bytes(note.model_dump_json().encode())
        draft.replace(note_path)
    except OSError as error:
        raise DatasetError(
            f"{note_path.parent} cannot be written ({error.strerror}). Free some space or name another place "
            "with --cache-dir."
        ) from error


def _download(source: HubFile, progress: Progress) -> Fetched:
    # The faster transfer speaks to further hosts, which closed networks do not let through.
    os.environ.setdefault("HF_HUB_DISABLE_XET", "1")
    import httpx2
    from huggingface_hub import hf_hub_download
    from huggingface_hub.errors import (
        EntryNotFoundError,
        HfHubHTTPError,
        HFValidationError,
        LocalEntryNotFoundError,
    )

    # Its own words would stand between ours; a failure is told below.
    logging.getLogger("huggingface_hub").setLevel(logging.CRITICAL)
    # Said before, as the library tries for half a minute when there is no network.
    progress(Step("asking the hub", 0))
    try:
        found = hf_hub_download(
            source.repo,
            source.file,
            repo_type="dataset",
            revision=source.revision,
            # The library only enters, updates and leaves it.
            tqdm_class=cast("type[Any]", _bar(source, progress)),
        )
    except LocalEntryNotFoundError as error:
        raise DatasetError(_unreachable(source, error)) from error
    except HfHubHTTPError as error:
        raise DatasetError(_refused(source, error)) from error
    except (EntryNotFoundError, HFValidationError) as error:
        raise DatasetError(f"{_title(source)} does not exist on the hub ({error}).") from error
    except (httpx2.HTTPError, OSError) as error:
        raise DatasetError(
            f"{_title(source)} could not be downloaded ({error}). Run again: it goes on where it stopped."
        ) from error
    snapshot = Path(found)
    # …/snapshots/<commit>/<file>, the file's name may have folders in it.
    commit = snapshot.parents[len(Path(source.file).parts) - 1].name
    return Fetched(snapshot.resolve(), commit)


def _bar(source: HubFile, progress: Progress) -> type:
    """What the hub library takes for a progress bar; it draws nothing and reports bytes."""

    class Bar:
        def __init__(self, *, total: int | None = None, initial: int = 0, **_: object) -> None:
            self._total = total
            self._done = initial

        def update(self, count: float | None = 1) -> None:
            self._done += int(count or 0)
            progress(Step(f"fetching {source.file} (bytes)", self._done, self._total))

        def __enter__(self) -> Self:
            return self

        def __exit__(
            self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
        ) -> None:
            pass

    return Bar


def _title(source: HubFile) -> str:
    at = f" at revision {source.revision}" if source.revision else ""
    return f"The file {source.file} of the data set {source.repo}{at}"


def _unreachable(source: HubFile, error: Exception) -> str:
    from huggingface_hub import is_offline_mode
    from huggingface_hub.errors import HfHubHTTPError

    if is_offline_mode():
        why = "HF_HUB_OFFLINE is set"
    elif isinstance(error.__cause__, HfHubHTTPError):
        why = f"the hub answered {error.__cause__.response.status_code}"
    else:
        why = f"the hub cannot be reached ({error.__cause__ or error})"
    return (
        f"{_title(source)} is not on this machine, and {why}. Fetch it where there is a network "
        "(vlbench fetch, with the same HF_HOME), or name a file you have."
    )


def _refused(source: HubFile, error: HfHubHTTPError) -> str:
    from huggingface_hub.errors import (
        GatedRepoError,
        RemoteEntryNotFoundError,
        RepositoryNotFoundError,
        RevisionNotFoundError,
    )

    match error:
        case GatedRepoError():
            return (
                f"{_title(source)} is gated. Ask for access on the data set's page, then set HF_TOKEN to a "
                "token of that account."
            )
        case RepositoryNotFoundError():
            return (
                f"{_title(source)} was not found: there is no such data set, or it is private. Check the "
                "name, and HF_TOKEN if it is private."
            )
        case RevisionNotFoundError():
            return f"{_title(source)} was not found: the data set has no such revision. Check its history."
        case RemoteEntryNotFoundError():
            return f"{_title(source)} was not found: the data set has no such file. Was it renamed?"
    return (
        f"{_title(source)} could not be fetched: the hub answered {error.response.status_code}. "
        "Try again later, or name a file you have."
    )
