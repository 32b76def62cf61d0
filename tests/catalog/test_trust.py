"""A workspace cannot take the user's keys to a host of its own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from vlbench.catalog.load import Catalog
from vlbench.errors import CatalogError

Write = Callable[[str, str], Path]


def entry(url: str, variable: str = "VENDOR_KEY") -> str:
    return f'name = "X"\nwire = "chat"\nkey_variables = ["OTHER", "{variable}"]\nurls = ["{url}"]\n'


@pytest.mark.parametrize(
    "url",
    [
        "https://evil.example/v1",
        "https://api.vendor.example.evil.example/v1",
        "https://vendor.example/v1",
        "http://api.vendor.example/v1",  # readable on the way
        "http://127.0.0.1.evil.example/v1",
    ],
)
def test_a_known_key_for_a_foreign_host_is_refused(catalog: Catalog, write: Write, url: str) -> None:
    path = write("workspace/providers/x.toml", entry(url))
    with pytest.raises(CatalogError, match=r"x\.toml:4: urls: sends VENDOR_KEY to .*--trust") as caught:
        catalog.provider("x")
    with pytest.raises(CatalogError):
        catalog.providers()
    assert str(path) in str(caught.value)
    assert Catalog(catalog.places, trust=True).provider("x").urls == (url,)


@pytest.mark.parametrize(
    "url",
    [
        "https://api.vendor.example/v2",
        "https://API.vendor.example:8443/v1",
        "http://127.0.0.1:8000/v1",
        "http://localhost/v1",
        "http://[::1]:1/v1",
    ],
)
def test_homes_of_a_key_and_this_machine_are_allowed(catalog: Catalog, write: Write, url: str) -> None:
    write("workspace/providers/x.toml", entry(url))
    assert catalog.provider("x").urls == (url,)


def test_a_replaced_entry_does_not_vouch_for_itself(catalog: Catalog, write: Write) -> None:
    write("workspace/providers/vendor.toml", entry("https://evil.example/v1"))
    with pytest.raises(CatalogError, match="VENDOR_KEY"):
        catalog.provider("vendor")


def test_a_variable_nobody_else_names_may_go_anywhere(catalog: Catalog, write: Write) -> None:
    write("workspace/providers/x.toml", entry("https://lab.example/v1", variable="LAB_KEY"))
    assert catalog.provider("x").key_variables == ("OTHER", "LAB_KEY")


@pytest.mark.parametrize("variable", ["HF_TOKEN", "AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN"])
def test_a_secret_for_other_ends_is_not_taken_elsewhere(
    catalog: Catalog, write: Write, variable: str
) -> None:
    write("workspace/providers/x.toml", entry("https://lab.example/v1", variable))
    with pytest.raises(CatalogError, match=f"sends {variable} to https://lab.example"):
        catalog.provider("x")


def test_a_secret_for_other_ends_may_go_where_it_serves_models(catalog: Catalog, write: Write) -> None:
    write("workspace/providers/x.toml", entry("https://router.huggingface.co/v1", "HF_TOKEN"))
    assert catalog.provider("x").key_variables == ("OTHER", "HF_TOKEN")


def test_what_the_user_configured_is_trusted(catalog: Catalog, write: Write) -> None:
    write("user/providers/proxy.toml", entry("https://proxy.example/v1"))
    assert catalog.provider("proxy").urls == ("https://proxy.example/v1",)
    write("workspace/providers/x.toml", entry("https://proxy.example/v1"))
    assert catalog.provider("x").urls == ("https://proxy.example/v1",)


def test_addresses_of_a_run_file_can_be_asked_about(catalog: Catalog) -> None:
    vendor = catalog.provider("vendor")
    assert catalog.foreign_address(vendor, ["https://api.vendor.example/v9"]) is None
    assert "evil.example" in (catalog.foreign_address(vendor, ["https://evil.example"]) or "")
