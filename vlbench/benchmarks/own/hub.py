"""A Hugging Face data set by its id alone: which of its tables to read, and all shards of them."""

from __future__ import annotations

import hashlib
import logging
import os
from pathlib import Path

from vlbench.benchmarks.benchmark import HubFile, HubSet, Progress, Step
from vlbench.benchmarks.hub import Fetched, fetch
from vlbench.benchmarks.own.files import SHARDS_SUFFIX, chosen_tables
from vlbench.errors import DatasetError


def fetch_set(source: HubSet, cache_dir: Path, progress: Progress) -> Fetched:
    """The tables of one split on this machine; several shards come as a file that lists them.

    Which tables those are is remembered, so a second run needs no network. Raises `DatasetError`.
    """
    key = hashlib.sha256(f"{source.repo}\0{source.split}\0{source.revision}".encode()).hexdigest()[:20]
    note = cache_dir.absolute() / "hub" / f"{key}.tables"
    try:
        names = note.read_text(encoding="utf-8").split("\n")
    except OSError:
        progress(Step("asking the hub", 0))
        names = list(chosen_tables(_tables(source), source.split, f"The data set {source.repo}"))
    fetched = [fetch(HubFile(source.repo, name, source.revision), cache_dir, progress) for name in names]
    try:
        note.parent.mkdir(parents=True, exist_ok=True)
        note.write_text("\n".join(names), encoding="utf-8")
        if len(fetched) == 1:
            return fetched[0]
        listing = note.with_suffix(SHARDS_SUFFIX)
        listing.write_text("\n".join(str(one.path) for one in fetched), encoding="utf-8")
    except OSError as error:
        raise DatasetError(
            f"{note.parent} cannot be written ({error.strerror}). Name another place with --cache-dir."
        ) from error
    return Fetched(listing, fetched[0].revision)


def _tables(source: HubSet) -> list[str]:
    os.environ.setdefault("HF_HUB_DISABLE_XET", "1")
    import httpx2
    from huggingface_hub import HfApi
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError, OfflineModeIsEnabled

    # It tells of every try; the reason is told once, below.
    logging.getLogger("huggingface_hub").setLevel(logging.ERROR)
    try:
        return HfApi().list_repo_files(source.repo, repo_type="dataset", revision=source.revision)
    except (HfHubHTTPError, HFValidationError, OfflineModeIsEnabled, httpx2.HTTPError, OSError) as error:
        first = str(error).strip().partition("\n")[0]
        raise DatasetError(
            f"The files of the data set {source.repo} could not be listed ({first[:200]}). Check the name "
            "and the network, set HF_TOKEN if the set is private or gated, or name a file you have."
        ) from error
