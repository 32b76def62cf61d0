"""Entries come from the workspace, the user's configuration or the shipped catalog, in this order."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from vlbench.catalog.load import Catalog
from vlbench.catalog.places import shipped_root
from vlbench.errors import CatalogError, UsageError

Write = Callable[[str, str], Path]
OWN = 'name = "Own"\nwire = "chat"\nurls = ["http://127.0.0.1:1/v1"]\n'
PROFILE = (
    'benchmark = "shapes-diff"\nname = "short"\nversion = 3\ntitle = "t"\n[image]\ntemplate = "{question}"\n'
)


def test_an_entry_replaces_one_of_the_same_id_in_a_later_place(catalog: Catalog, write: Write) -> None:
    assert catalog.provider("vendor").name == "Vendor"
    user = write("user/providers/vendor.toml", OWN)
    assert catalog.provider("vendor").name == "Own"
    assert catalog.provider_path("vendor") == user
    mine = write("workspace/providers/vendor.toml", OWN.replace("Own", "Mine"))
    assert catalog.provider("vendor").name == "Mine"
    assert catalog.provider_path("vendor") == mine


def test_entries_of_all_places_are_listed_once_each(catalog: Catalog, write: Write) -> None:
    write("user/providers/vendor.toml", OWN)
    write("workspace/providers/b.toml", OWN)
    write("workspace/providers/.b.toml", "an editor's lock file")
    assert [(entry.id, entry.name) for entry in catalog.providers()] == [("b", "Own"), ("vendor", "Own")]


def test_asking_for_one_entry_reads_its_file_only(
    catalog: Catalog, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    keyed = OWN + 'key_variables = ["VENDOR_KEY"]\n'
    write("workspace/providers/own.toml", keyed)
    write("workspace/providers/broken.toml", "[")
    read: list[str] = []
    loads = tomllib.loads

    def recorded(text: str) -> dict[str, object]:
        read.append(text)
        return loads(text)

    monkeypatch.setattr(tomllib, "loads", recorded)
    assert catalog.provider("own").name == "Own"
    assert read == [keyed]


def test_an_unknown_id_is_answered_with_near_ones_and_all(catalog: Catalog, write: Write) -> None:
    write("workspace/providers/zebra.toml", OWN)
    with pytest.raises(UsageError, match=r"'vendro'.*Did you mean vendor\? Known: vendor, zebra"):
        catalog.provider("vendro")


@pytest.mark.parametrize("entry_id", ["../shipped/providers/vendor", "Vendor", "", "/etc/passwd"])
def test_an_id_never_leaves_the_catalog(catalog: Catalog, write: Write, entry_id: str) -> None:
    write("workspace/providers/own.toml", OWN)
    with pytest.raises(UsageError, match="There is no provider"):
        catalog.provider(entry_id)


def test_profiles_are_found_by_benchmark_and_name(catalog: Catalog, write: Write) -> None:
    path = write("workspace/prompts/shapes-diff-short.toml", PROFILE)
    assert catalog.profile("shapes-diff", "short").version == 3
    assert catalog.profile_path("shapes-diff", "short") == path
    assert [profile.id for profile in catalog.profiles()] == ["shapes-diff-short"]
    with pytest.raises(UsageError, match=r"no prompt profile 'shapes-short'.*shapes-diff-short"):
        catalog.profile("shapes", "short")


def test_a_profile_is_not_found_under_another_split_of_its_name(catalog: Catalog, write: Write) -> None:
    write("workspace/prompts/shapes-diff-short.toml", PROFILE)
    with pytest.raises(UsageError, match="is of benchmark shapes-diff"):
        catalog.profile("shapes", "diff-short")


def test_a_broken_file_of_a_listing_is_an_error(catalog: Catalog, write: Write) -> None:
    write("workspace/providers/Bad.toml", OWN)
    with pytest.raises(CatalogError, match=r"Bad\.toml"):
        catalog.providers()


def test_the_checkout_as_workspace_is_the_shipped_catalog_itself(tmp_path: Path) -> None:
    owners = [place.owner for place in Catalog.open(shipped_root(), user=tmp_path).places]
    assert owners == ["user", "shipped"]
    owners = [place.owner for place in Catalog.open(tmp_path, user=tmp_path).places]
    assert owners == ["workspace", "user", "shipped"]


def test_a_workspace_without_catalog_sees_what_was_shipped(tmp_path: Path) -> None:
    seen = Catalog.open(tmp_path, user=tmp_path / "none")
    assert {"builtin", "gpt", "local", "vllm"} <= {entry.id for entry in seen.providers()}
    assert seen.profile("mmstar", "default").version >= 1
