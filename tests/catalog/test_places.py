"""The shipped catalog is found in an installed package and in a checkout, and nowhere else."""

from __future__ import annotations

from pathlib import Path

import pytest

from vlbench.catalog import places
from vlbench.errors import CatalogError


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package directory that believes to be vlbench's."""
    folder = tmp_path.resolve() / "vlbench"
    (folder / "catalog").mkdir(parents=True)
    monkeypatch.setattr(places, "__file__", str(folder / "catalog" / "places.py"))
    return folder


def test_an_installed_catalog_comes_first(package: Path) -> None:
    (package / "_catalog").mkdir()
    (package.parent / "pyproject.toml").write_text('[project]\nname = "vlbench"\n', encoding="utf-8")
    assert places.shipped_root() == package / "_catalog"


def test_a_checkout_is_known_by_its_pyproject(package: Path) -> None:
    (package.parent / "pyproject.toml").write_text('[project]\nname = "vlbench"\n', encoding="utf-8")
    assert places.shipped_root() == package.parent


@pytest.mark.parametrize("pyproject", [None, '[project]\nname = "other"\n', "[", "project = 1"])
def test_providers_beside_the_package_of_someone_else_are_ignored(
    package: Path, pyproject: str | None
) -> None:
    (package.parent / "providers").mkdir()
    if pyproject is not None:
        (package.parent / "pyproject.toml").write_text(pyproject, encoding="utf-8")
    with pytest.raises(CatalogError, match="shipped catalog is missing"):
        places.shipped_root()
