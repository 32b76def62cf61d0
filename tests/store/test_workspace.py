from __future__ import annotations

from pathlib import Path

import pytest

from vlbench.store.workspace import Workspace


@pytest.fixture(autouse=True)
def user_directories(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "user-cache"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "user-data"))


@pytest.mark.parametrize("folder", ["providers", "prompts"])
def test_a_directory_with_a_catalog_is_a_workspace(folder: str, tmp_path: Path) -> None:
    (tmp_path / folder).mkdir()
    (tmp_path / folder / "mine.toml").touch()
    assert Workspace.find(tmp_path, {}) == Workspace(tmp_path, tmp_path / "cache", tmp_path / "runs")


def test_a_python_package_called_providers_makes_no_workspace(tmp_path: Path) -> None:
    (tmp_path / "providers").mkdir()
    (tmp_path / "providers" / "__init__.py").touch()
    found = Workspace.find(tmp_path, {})
    assert found.root is None
    assert found.cache_dir.is_relative_to(tmp_path / "user-cache")
    assert found.runs_dir.is_relative_to(tmp_path / "user-data")


def test_the_option_wins_over_the_variable_and_the_variable_over_the_rest(tmp_path: Path) -> None:
    environ = {"VLBENCH_CACHE_DIR": "from-variable"}
    assert Workspace.find(tmp_path, environ).cache_dir == tmp_path / "from-variable"
    assert Workspace.find(tmp_path, environ, Path("/from/option")).cache_dir == Path("/from/option")


def test_an_empty_variable_is_no_choice(tmp_path: Path) -> None:
    assert Workspace.find(tmp_path, {"VLBENCH_CACHE_DIR": ""}) == Workspace.find(tmp_path, {})


def test_a_tilde_is_the_home_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    found = Workspace.find(tmp_path, {"VLBENCH_CACHE_DIR": "~/c"})
    assert found.cache_dir == tmp_path / "home" / "c"
