"""The catalog: every provider and prompt profile that can be named here, read when it is asked for."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from vlbench.catalog.checks import problems_of
from vlbench.catalog.entry import ProviderEntry
from vlbench.catalog.places import Kind, Place, search_path
from vlbench.catalog.profile import PromptProfile
from vlbench.catalog.read import BrokenFile, Problem, line_in, read_profile, read_provider
from vlbench.catalog.trust import stranger
from vlbench.catalog.urls import is_local
from vlbench.errors import UsageError


@dataclass(frozen=True, slots=True)
class Catalog:
    """Entries by id, those of an earlier place in front of those of a later one.

    With `trust`, entries of the workspace may send any key anywhere.
    """

    places: tuple[Place, ...]
    trust: bool = False

    @classmethod
    def open(cls, workspace: Path, *, trust: bool = False, user: Path | None = None) -> Catalog:
        """The catalog as seen from `workspace`; nothing is read yet.

        `user` is the user's configuration directory, the platform's unless given. Raises `CatalogError` when
        the shipped catalog is missing.
        """
        return cls(search_path(workspace, user), trust)

    def provider(self, entry_id: str) -> ProviderEntry:
        """One entry, reading its file only.

        Raises `UsageError` when there is none of this id, `CatalogError` when its file is broken or would
        send a known key to a foreign host.
        """
        return self._admitted(*self._locate("providers", entry_id, "provider"))

    def providers(self) -> list[ProviderEntry]:
        """Every entry in order of ids. Raises `CatalogError` at the first broken file."""
        return [self._admitted(*found) for _, found in sorted(self._files("providers").items())]

    def provider_path(self, entry_id: str) -> Path:
        """The file an entry comes from. Raises `UsageError` when there is none."""
        return self._locate("providers", entry_id, "provider")[1]

    def profile(self, benchmark: str, name: str) -> PromptProfile:
        """One prompt profile, reading its file only. Raises `UsageError` or `CatalogError`."""
        profile = read_profile(self.profile_path(benchmark, name))
        if profile.benchmark != benchmark:  # "a-b" + "c" and "a" + "b-c" share a file name
            raise UsageError(
                f"Prompt profile {profile.id} is of benchmark {profile.benchmark}, not {benchmark}."
            )
        return profile

    def profile_with_id(self, profile_id: str) -> PromptProfile:
        """One prompt profile by its whole id. Raises `UsageError` or `CatalogError`."""
        return read_profile(self._locate("prompts", profile_id, "prompt profile")[1])

    def profiles(self) -> list[PromptProfile]:
        """Every prompt profile in order of ids. Raises `CatalogError` at the first broken file."""
        return [read_profile(path) for _, (_, path) in sorted(self._files("prompts").items())]

    def profile_path(self, benchmark: str, name: str) -> Path:
        """The file a profile comes from. Raises `UsageError` when there is none."""
        return self._locate("prompts", f"{benchmark}-{name}", "prompt profile")[1]

    def foreign_address(self, entry: ProviderEntry, urls: Iterable[str]) -> str | None:
        """Why a file of the workspace must not send `entry`'s key to `urls`, in words; None when it may.

        For addresses that a run file names; those typed on the command line are the user's own decision.
        """
        return None if self.trust else stranger(entry.key_variables, urls, self._own_entries())

    def check(self) -> list[str]:
        """Everything wrong in any file, hidden ones included, as `file:line: field: what`."""
        return [str(problem) for place in self.places for problem in problems_of(place, self._key_theft)]

    def _key_theft(self, path: Path, entry: ProviderEntry) -> Problem | None:
        """What is wrong when `entry`, the workspace's file `path`, sends a known key to a foreign host."""
        if not entry.key_variables or all(is_local(url) for url in entry.urls):
            return None
        reason = self.foreign_address(entry, entry.urls)
        if reason is None:
            return None
        return Problem(path, line_in(path, "urls"), "urls", f"{reason}; --trust allows it for this workspace")

    def _own_entries(self) -> list[ProviderEntry]:
        """What was shipped or written by the user: the entries that say where a key belongs."""
        own = (place for place in self.places if place.owner != "workspace")
        return [read_provider(path) for place in own for path in place.files("providers")]

    def _admitted(self, place: Place, path: Path) -> ProviderEntry:
        entry = read_provider(path)
        if place.owner == "workspace" and (problem := self._key_theft(path, entry)):
            raise BrokenFile([problem])
        return entry

    def _files(self, kind: Kind) -> dict[str, tuple[Place, Path]]:
        """Where each id of one kind is read from."""
        return {path.stem: (place, path) for place in reversed(self.places) for path in place.files(kind)}

    def _locate(self, kind: Kind, entry_id: str, word: str) -> tuple[Place, Path]:
        for place in self.places:
            if path := place.file(kind, entry_id):
                return place, path
        ids = sorted(self._files(kind))
        near = difflib.get_close_matches(entry_id, ids, n=3)
        hint = f"Did you mean {' or '.join(near)}? " if near else ""
        raise UsageError(f"There is no {word} {entry_id!r}. {hint}Known: {', '.join(ids) or 'none'}.")
